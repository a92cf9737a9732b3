//===- TwinRunner.cpp - What a graph of QNN computes ----------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "test/qnn/TwinRunner.h"
#include "api/nnapi/run/HalfEdges.h"
#include "compiler/pipeline/Compile.h"
#include "compiler/pipeline/Context.h"
#include "dialects/compass/Compat.h"
#include "dialects/compass/Execution.h"
#include "dialects/compass/Tensors.h"
#include "dialects/compass/graph/Graphs.h"
#include "dialects/compass/network/Evaluator.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "parser/qnn/JsonReader.h"
#include "parser/qnn/JsonWriter.h"
#include "parser/qnn/QnnImport.h"
#include "parser/qnn/Weights.h"
#include "quantizer/prequantized/Prequantized.h"
#include "runtime/SimulatedDevice.h"
#include "test/TemporaryFile.h"

using namespace yarrow;
using namespace yarrow::qnntwins;
using nnapi::Value;
using vts::Outcome;

/// The graph as it is after a stay in files; nullopt after errors.
static std::optional<qnn::QnnModel> throughFiles(const qnn::QnnModel &model,
                                                 DiagnosticEngine &diags) {
  testing::TemporaryFile archive;
  if (!qnn::writeWeights(model, archive.path(), diags))
    return std::nullopt;
  auto read = qnn::parseJson(qnn::jsonOf(model), model.file, diags);
  if (!read || !qnn::readWeights(*read, archive.path(), diags))
    return std::nullopt;
  return read;
}

/// Layers that can be computed; null after errors.
static mlir::OwningOpRef<mlir::ModuleOp> networkOf(mlir::MLIRContext &context,
                                                   const qnn::QnnModel &model,
                                                   DiagnosticEngine &diags) {
  auto read = std::optional(model);
  (void)throughFiles;
  auto module = read ? qnn::importQnnModel(context, *read, {}, diags) : nullptr;
  if (!module ||
      (compass::isCompat(*module) &&
       !convertPrequantized(*module, {}, diags)) ||
      !compass::checkExecutable(*module, diags) ||
      !compass::checkKernels(*module, /*mustRun=*/true, diags))
    return nullptr;
  return module;
}

static std::vector<std::uint32_t> dimsOf(mlir::ModuleOp module, std::size_t i) {
  auto info = compass::describe(compass::mainGraph(module).getResultTypes()[i]);
  return {info.shape.begin(), info.shape.end()};
}

bool TwinRunner::evaluate(mlir::ModuleOp module, std::span<const Value> inputs,
                          std::vector<Value> &outputs,
                          DiagnosticEngine &diags) const {
  auto evaluator = compass::Evaluator::create(module, diags);
  if (!evaluator)
    return false;
  std::vector<compass::TensorBytesRef> refs;
  for (const Value &input : inputs)
    refs.emplace_back(reinterpret_cast<const char *>(input.bytes.data()),
                      input.bytes.size());
  std::vector<compass::TensorBytes> results;
  if (compass::EvaluationStop stop = evaluator->run(refs, results)) {
    stop.report(diags);
    return false;
  }
  for (std::size_t i = 0; i < results.size(); ++i) {
    auto bytes = std::as_bytes(std::span(results[i]));
    outputs.push_back(
        Value::of(dimsOf(module, i), {bytes.begin(), bytes.end()}));
  }
  return true;
}

bool TwinRunner::simulate(mlir::ModuleOp module, std::span<const Value> inputs,
                          std::vector<Value> &outputs,
                          DiagnosticEngine &diags) const {
  std::size_t count = compass::mainGraph(module).getNumResults();
  std::vector<std::vector<std::uint32_t>> dims;
  for (std::size_t i = 0; i < count; ++i)
    dims.push_back(dimsOf(module, i));
  CompileOptions options;
  auto bytes = compileToRun(module, *machine, options, diags);
  auto executable =
      bytes ? runtime::Executable::parse(*bytes, "aipu.bin", diags) : nullptr;
  auto session =
      executable ? runtime::simulatedSession(executable, {}, diags) : nullptr;
  if (!session)
    return false;
  for (std::size_t i = 0; i < inputs.size(); ++i)
    if (!session->setInput(i, inputs[i].bytes, diags))
      return false;
  if (!session->run(diags))
    return false;
  for (std::size_t i = 0; i < count; ++i) {
    auto result = session->output(i);
    outputs.push_back(Value::of(dims[i], {result.begin(), result.end()}));
  }
  return true;
}

/// float16 is computed in float32.
static nnapi::HalfEdges halvesOf(const qnn::QnnModel &model) {
  auto among = [&](qnn::TensorKind kind) {
    std::vector<bool> isHalf;
    for (const qnn::QnnTensor &tensor : model.tensors)
      if (tensor.kind == kind)
        isHalf.push_back(tensor.type == qnn::DataType::FLOAT_16);
    return isHalf;
  };
  return {among(qnn::TensorKind::Input), among(qnn::TensorKind::Output)};
}

Outcome TwinRunner::run(const Twin &twin) const {
  DiagnosticEngine diags;
  auto context = makeContext();
  auto module = networkOf(*context, twin.model, diags);
  nnapi::HalfEdges halves = halvesOf(twin.model);
  std::vector<Value> outputs, inputs = halves.load(twin.inputs);
  bool isComputed =
      module && (machine ? simulate(*module, inputs, outputs, diags)
                         : evaluate(*module, inputs, outputs, diags));
  if (!isComputed)
    return vts::refused(diags);
  if (outputs.size() == twin.outputs.size())
    halves.store(outputs);
  return vts::compareOutputs(twin.outputs, outputs);
}
