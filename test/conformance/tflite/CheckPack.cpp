//===- CheckPack.cpp - A TFLite model on the evaluator --------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "test/conformance/tflite/CheckPack.h"
#include "compiler/eval/NetworkTensors.h"
#include "compiler/model/Models.h"
#include "dialects/compass/MlirDiagnostics.h"
#include "dialects/compass/graph/GraphOps.h"
#include "dialects/compass/graph/Graphs.h"
#include "dialects/compass/network/Evaluator.h"
#include "quantizer/calibrate/Calibrate.h"
#include "support/Format.h"
#include "support/diagnostics/Files.h"
#include "support/diagnostics/Operators.h"
#include "llvm/ADT/StringMap.h"
#include <cstring>
#include <set>

using namespace yarrow;
using namespace yarrow::conformance;
using compass::Evaluator;
using compass::TensorBytes;
using compass::TensorBytesRef;

namespace {

class PackCheck {
public:
  explicit PackCheck(const TflitePack &pack) : pack(pack) {}

  PackResult check() {
    if (read()) {
      compareOutputs();
      if (result.problem.empty() && !pack.layers.empty())
        compareLayers();
    }
    return std::move(result);
  }

private:
  bool read();
  bool refuse();
  void compareOutputs();
  void compareLayers();
  bool runLayer(mlir::Operation &op);
  void take(mlir::Value value, TensorBytes computed);
  void add(const std::string &op, const std::string &tensor, std::size_t sample,
           mlir::Value value, TensorBytesRef computed,
           const StoredValues &recorded);

  const TflitePack &pack;
  PackResult result;
  std::unique_ptr<mlir::MLIRContext> context = makeContext();
  DiagnosticEngine diags;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::unique_ptr<Evaluator> evaluator;
  std::unique_ptr<SampleSet> samples;
  llvm::DenseMap<mlir::Value, const RecordedLayer *> recordedOf;
  llvm::DenseMap<mlir::Value, TensorBytes> tensors;
};

} // namespace

bool PackCheck::refuse() {
  std::set<std::string> codes;
  for (const Diagnostic &d : diags.all())
    if (d.isError()) {
      codes.insert(std::string(d.id->code));
      result.messages += "\n  " + d.headline();
    }
  for (const std::string &code : codes)
    result.refusal += (result.refusal.empty() ? "" : ",") + code;
  return false;
}

bool PackCheck::read() {
  std::vector<graph::ImportedTensor> imported;
  graph::ImportOptions options;
  options.names = &imported;
  module = readModel(*context, pack.model, "", diags,
                     compass::ReadFor::Execution, options);
  if (!module)
    return refuse();
  evaluator = Evaluator::create(*module, diags);
  std::vector<NpyView> arrays;
  for (const std::string &path : pack.inputs)
    if (auto array = readSamples(path, diags))
      arrays.push_back(std::move(*array));
  samples = SampleSet::create(*module, arrays, diags, {diag::TensorMismatch});
  if (!evaluator || !samples)
    return refuse();
  std::vector<NetworkTensor> network = tensorsOf(*module, imported);
  llvm::StringMap<mlir::Value> valueOf;
  for (const NetworkTensor &tensor : network)
    for (const std::string &name : tensor.modelNames)
      valueOf.try_emplace(name, tensor.value);
  for (const RecordedLayer &layer : pack.layers)
    if (mlir::Value value = valueOf.lookup(layer.name))
      recordedOf.try_emplace(value, &layer);
    else
      result.vanished.push_back(layer.op + " " + layer.name);
  return true;
}

void PackCheck::add(const std::string &op, const std::string &tensor,
                    std::size_t sample, mlir::Value value,
                    TensorBytesRef computed, const StoredValues &recorded) {
  StoredValues found{
      npyTypeOf(compass::describe(value).dtype),
      std::as_bytes(std::span(computed.data(), computed.size()))};
  if (found.count() != recorded.count() ||
      (!found.isFloat() && found.type != recorded.type) ||
      found.isFloat() != recorded.isFloat()) {
    result.problem = tensor + ": " + std::string(npyTypeName(found.type)) +
                     " of " + formatCount(found.count()) +
                     " elements, recorded " +
                     std::string(npyTypeName(recorded.type)) + " of " +
                     formatCount(recorded.count());
    return;
  }
  OperatorResult &row = result.byOperator[op];
  row.tensors += sample == 0;
  bool wasEqual = row.difference.isEqual();
  row.difference.add(sample, found, recorded);
  if (wasEqual && !row.difference.isEqual())
    row.first = tensor;
}

void PackCheck::compareOutputs() {
  std::vector<NpyView> recorded;
  for (const std::string &path : pack.outputs)
    if (auto array = readSamples(path, diags))
      recorded.push_back(std::move(*array));
  if (recorded.size() != evaluator->outputs().size()) {
    result.problem = formatCount(recorded.size()) +
                     " recorded outputs, the network has " +
                     formatCount(evaluator->outputs().size());
    return;
  }
  for (std::size_t sample = 0; sample < samples->count(); ++sample) {
    std::vector<std::vector<char>> inputs = samples->inputsOf(sample);
    std::vector<TensorBytesRef> refs(inputs.begin(), inputs.end());
    std::vector<TensorBytes> outputs;
    if (evaluator->run(refs, outputs)) {
      result.problem = "a loop does not end";
      return;
    }
    for (std::size_t k = 0; k < outputs.size(); ++k) {
      std::size_t bytes = recorded[k].sizeBytes() / samples->count();
      add("OUTPUT", "output " + std::to_string(k), sample,
          evaluator->outputs()[k], outputs[k],
          {recorded[k].type,
           recorded[k].bytes().subspan(sample * bytes, bytes)});
    }
  }
}

/// Compares, and goes on with what was recorded.
void PackCheck::take(mlir::Value value, TensorBytes computed) {
  if (const RecordedLayer *layer = recordedOf.lookup(value))
    if (auto array = readNpy(layer->file, diags)) {
      add(layer->op, layer->name, 0, value, computed,
          {array->type, array->bytes()});
      if (array->sizeBytes() == computed.size())
        std::memcpy(computed.data(), array->data, computed.size());
    }
  tensors[value] = std::move(computed);
}

/// False if the layer cannot be computed by itself: it calls sub-graphs.
bool PackCheck::runLayer(mlir::Operation &op) {
  if (auto constant = mlir::dyn_cast<compass::ConstantOp>(op)) {
    auto bytes = compass::viewConstant(*constant.getWeights())->bytes;
    take(op.getResult(0), {bytes.begin(), bytes.end()});
    return true;
  }
  std::vector<TensorBytesRef> operands;
  for (mlir::Value value : op.getOperands())
    operands.push_back(tensors[value]);
  std::vector<TensorBytes> results;
  if (failed(compass::evaluateOp(&op, operands, results)))
    return false;
  for (auto [value, bytes] : llvm::zip(op.getResults(), results))
    take(value, std::move(bytes));
  return true;
}

void PackCheck::compareLayers() {
  compass::DiagnosticForwarder forward(context.get(), diags,
                                       diag::OpUnsupported);
  std::vector<std::vector<char>> inputs = samples->inputsOf(0);
  for (auto [value, bytes] : llvm::zip(evaluator->inputs(), inputs))
    tensors[value] = {bytes.begin(), bytes.end()};
  for (mlir::Operation &op :
       compass::mainGraph(*module).getBody().front().without_terminator())
    if (!mlir::isa<compass::InputOp>(op) && !runLayer(op)) {
      result.problem = "a layer cannot be computed by itself";
      return;
    }
}

PackResult conformance::checkPack(const TflitePack &pack) {
  return PackCheck(pack).check();
}
