//===- RunEval.cpp - Packs on the reference evaluator ---------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/Execution.h"
#include "dialects/compass/Layers.h"
#include "dialects/compass/MlirDiagnostics.h"
#include "dialects/compass/Records.h"
#include "dialects/compass/graph/GraphOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "parser/compass/CompassReader.h"
#include "support/diagnostics/Operators.h"
#include "test/conformance/Compare.h"
#include "test/conformance/Stages.h"
#include "llvm/ADT/DenseMap.h"
#include <cstring>
#include <filesystem>

using namespace yarrow;
using namespace yarrow::conformance;
using compass::describe;

//===----------------------------------------------------------------------===//
// What the stages share
//===----------------------------------------------------------------------===//

Outcome conformance::outcomeOf(const DiagnosticEngine &diags) {
  std::set<std::string> reasons;
  for (const Diagnostic &d : diags.all())
    if (d.isError())
      reasons.insert(std::string(d.id->code) + " " + d.message);
  if (reasons.empty())
    return Outcome::fail("failed without a diagnostic");
  return Outcome::skip(std::move(reasons));
}

/// "absent ops/add2__s8": such a reason is one pack's alone.
static Outcome skipPack(const Pack &pack, const char *why) {
  return Outcome::skip({std::string(why) + " " + pack.name});
}

/// The layers of \p module that cannot be executed, each form once.
static std::set<std::string> refusedForms(mlir::ModuleOp module) {
  std::set<std::string> forms;
  for (mlir::Operation *op : compass::notExecutable(module)) {
    const compass::OperatorRecord *record = compass::recordOf(op);
    const compass::KeyRecord *key = record->methodKey();
    std::string form =
        std::string(diag::OpNotExecutable.code) + " " + record->layerType.str();
    if (key && !record->methods.empty())
      form +=
          " " + compass::wordKey(op, compass::WordKey(*key), key->defaultText);
    forms.insert(form);
  }
  return forms;
}

Outcome conformance::outcomeOfDifference(const Pack &pack, std::string text) {
  Outcome outcome = skipPack(pack, "differs");
  outcome.text = std::move(text);
  return outcome;
}

mlir::OwningOpRef<mlir::ModuleOp>
conformance::readPack(mlir::MLIRContext &context, const Pack &pack,
                      const char *stem, Outcome &why) {
  std::string base =
      pack.integerIr.empty() ? pack.dir + "/" + stem : pack.integerIr;
  if (!std::filesystem::exists(base + ".txt") ||
      !std::filesystem::exists(base + ".bin")) {
    why = skipPack(pack, "absent");
    return nullptr;
  }
  DiagnosticEngine diags;
  auto module =
      compass::readCompassIr(context, base + ".txt", base + ".bin", diags);
  if (!module) {
    why = outcomeOf(diags);
    return nullptr;
  }
  std::set<std::string> forms = refusedForms(*module);
  if (forms.empty())
    return module;
  why = Outcome::skip(std::move(forms));
  return nullptr;
}

int64_t conformance::integerTolerance(const Pack &pack) {
  // The reference rounded some accumulators to float32; Yarrow computes the
  // exact value.
  return pack.name == "models/resnet20_nhwc_a16w8" ||
         pack.name == "models/vit_tiny_rand_a16";
}

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

namespace {
/// Collects how the tensors of one run compare; keeps the first difference.
struct Report {
  std::string first;
  size_t tensors = 0, wrong = 0;
  double worstRatio = 0;

  void add(mlir::Value value, compass::TensorBytesRef bytes,
           const std::string &file, const std::string &sample,
           const Tolerance &tolerance) {
    DiagnosticEngine diags;
    auto npy = readNpy(file, diags);
    Difference d;
    if (npy)
      d = compare(describe(value), bytes, *npy, tolerance);
    else
      d.problem = diags.all().front().str();
    ++tensors;
    if (npy && describe(value).isFloat())
      worstRatio = std::max(worstRatio, d.worstRatio);
    if (d.ok())
      return;
    ++wrong;
    if (!first.empty())
      return;
    mlir::Operation *op = value.getDefiningOp();
    const auto *record = compass::recordOf(op);
    first = "layer " + compass::layerNameOf(op).str() + " (" +
            (record ? record->layerType.str() : "?") + "), tensor " +
            compass::tensorNameOf(value) + ": " + d.str();
    if (!sample.empty())
      first += ", " + sample;
  }
};
} // namespace

/// Every layer on the recorded operands, so that an allowed difference does not
/// grow from layer to layer. False after a diagnostic.
static bool runLayerByLayer(mlir::ModuleOp module,
                            llvm::ArrayRef<mlir::Value> inputs,
                            std::vector<compass::TensorBytes> &inputData,
                            const Sample &sample, const Tolerance &tolerance,
                            Report &report, DiagnosticEngine &diags) {
  llvm::DenseMap<mlir::Value, compass::TensorBytes> tensors;
  auto record = [&](mlir::Value value, compass::TensorBytes computed) {
    auto it = sample.tensors.find(compass::tensorNameOf(value));
    if (it != sample.tensors.end()) {
      report.add(value, computed, it->second, sample.name, tolerance);
      auto npy = readNpy(it->second, diags);
      if (npy && npy->sizeBytes() == computed.size())
        std::memcpy(computed.data(), npy->data, computed.size());
    }
    tensors[value] = std::move(computed);
  };
  for (auto [value, bytes] : llvm::zip(inputs, inputData))
    record(value, bytes);
  compass::DiagnosticForwarder forward(module.getContext(), diags,
                                       diag::OpUnsupported);
  auto main = module.lookupSymbol<mlir::func::FuncOp>("main");
  for (mlir::Operation &op : main.front()) {
    if (mlir::isa<compass::InputOp, mlir::func::ReturnOp>(op))
      continue;
    if (auto constant = mlir::dyn_cast<compass::ConstantOp>(op)) {
      auto bytes = compass::viewConstant(*constant.getWeights())->bytes;
      record(op.getResult(0), {bytes.begin(), bytes.end()});
      continue;
    }
    std::vector<compass::TensorBytesRef> operands;
    for (mlir::Value v : op.getOperands())
      operands.push_back(tensors[v]);
    std::vector<compass::TensorBytes> results;
    if (failed(compass::evaluateOp(&op, operands, results)))
      return false;
    for (auto [value, bytes] : llvm::zip(op.getResults(), results))
      record(value, std::move(bytes));
  }
  return true;
}

Outcome conformance::checkEval(const Pack &pack, const Options &) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  Outcome outcome;
  auto module = readPack(context, pack, "int", outcome);
  if (!module)
    return outcome;
  DiagnosticEngine diags;
  auto samples = pack.intSamples(diags);
  auto evaluator = Evaluator::create(*module, diags);
  if (!evaluator)
    return outcomeOf(diags);
  if (samples.empty())
    return skipPack(pack, "unrecorded");
  Tolerance tolerance;
  tolerance.integer = integerTolerance(pack);
  // Float parts of mixed IR: one unit in the last place of float16. Today every
  // recorded one is equal to the last bit.
  tolerance.relative = 1.0 / 1024;
  Report report;
  for (const Sample &sample : samples) {
    auto inputs = inputsOf(evaluator->inputs(), sample, diags);
    if (!inputs)
      return outcomeOf(diags);
    if (tolerance.integer) {
      if (!runLayerByLayer(*module, evaluator->inputs(), *inputs, sample,
                           tolerance, report, diags))
        return outcomeOf(diags);
      continue;
    }
    std::vector<compass::TensorBytesRef> refs(inputs->begin(), inputs->end());
    std::vector<compass::TensorBytes> outputs;
    evaluator->run(
        refs, outputs, [&](mlir::Value value, compass::TensorBytesRef bytes) {
          auto it = sample.tensors.find(compass::tensorNameOf(value));
          if (it != sample.tensors.end())
            report.add(value, bytes, it->second, sample.name, tolerance);
        });
    if (!sample.outputs.empty() && sample.outputs.size() != outputs.size())
      return Outcome::fail(std::to_string(sample.outputs.size()) +
                           " recorded outputs, the network has " +
                           std::to_string(outputs.size()));
    for (size_t i = 0; i < sample.outputs.size(); ++i)
      report.add(evaluator->outputs()[i], outputs[i], sample.outputs[i],
                 sample.name, tolerance);
  }
  outcome.worstRatio = report.worstRatio;
  outcome.text = std::to_string(report.tensors) + " tensors";
  if (report.tensors == 0)
    return Outcome::fail("no recorded tensor has a name of the network");
  if (report.wrong)
    return Outcome::fail(report.first + " (" + std::to_string(report.wrong) +
                         " of " + std::to_string(report.tensors) +
                         " tensors differ)");
  return outcome;
}

//===----------------------------------------------------------------------===//
// Floats
//===----------------------------------------------------------------------===//

/// Networks have no recorded floats. Their quantized outputs, dequantized,
/// must point in nearly the same direction.
static Outcome compareWithIntegers(const Pack &pack, const Evaluator &evaluator,
                                   mlir::MLIRContext &context) {
  DiagnosticEngine diags;
  Outcome outcome;
  auto quantized = readPack(context, pack, "int", outcome);
  auto samples = pack.intSamples(diags);
  if (!quantized || samples.empty())
    return skipPack(pack, "unrecorded");
  const Sample &sample = samples.front();
  std::vector<mlir::Value> references;
  for (mlir::Value v :
       mlir::cast<mlir::Operation *>(quantized->lookupSymbol("main"))
           ->getRegion(0)
           .front()
           .getTerminator()
           ->getOperands())
    references.push_back(v);
  auto inputs = inputsOf(evaluator.inputs(), sample, diags);
  if (!inputs)
    return outcomeOf(diags);
  std::vector<compass::TensorBytesRef> refs(inputs->begin(), inputs->end());
  std::vector<compass::TensorBytes> outputs;
  evaluator.run(refs, outputs);
  double lowest = 1;
  size_t compared = 0;
  for (size_t i = 0; i < std::min(outputs.size(), references.size()); ++i) {
    auto it = sample.tensors.find(compass::tensorNameOf(references[i]));
    if (it == sample.tensors.end())
      continue;
    auto npy = readNpy(it->second, diags);
    if (!npy)
      return outcomeOf(diags);
    ++compared;
    lowest =
        std::min(lowest, cosine(describe(evaluator.outputs()[i]), outputs[i],
                                describe(references[i]), *npy));
  }
  outcome.text = "cosine " + std::to_string(lowest);
  if (!compared)
    return skipPack(pack, "unrecorded");
  // Operators whose integer form is coarse (FAST_EXP softmax: 0.97) lie above.
  if (!(lowest > 0.9))
    return outcomeOfDifference(pack,
                               outcome.text + " to the recorded integers");
  return outcome;
}

Outcome conformance::compareOutputs(const Evaluator &evaluator,
                                    const std::vector<Sample> &samples,
                                    const Tolerance &tolerance) {
  DiagnosticEngine diags;
  Report report;
  for (const Sample &sample : samples) {
    auto inputs = inputsOf(evaluator.inputs(), sample, diags);
    if (!inputs)
      return outcomeOf(diags);
    std::vector<compass::TensorBytesRef> refs(inputs->begin(), inputs->end());
    std::vector<compass::TensorBytes> outputs;
    evaluator.run(refs, outputs);
    if (sample.outputs.size() != outputs.size())
      return Outcome::fail(std::to_string(sample.outputs.size()) +
                           " recorded outputs, the network has " +
                           std::to_string(outputs.size()));
    for (size_t i = 0; i < outputs.size(); ++i)
      report.add(evaluator.outputs()[i], outputs[i], sample.outputs[i],
                 sample.name, tolerance);
  }
  if (report.wrong)
    return Outcome::fail(report.first);
  Outcome outcome;
  outcome.worstRatio = report.worstRatio;
  char text[64];
  std::snprintf(text, sizeof text, "error %.2g of the largest value",
                report.worstRatio);
  outcome.text = text;
  return outcome;
}

Outcome conformance::checkFloat(const Pack &pack, const Options &) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  Outcome outcome;
  auto module = readPack(context, pack, "float", outcome);
  if (!module)
    return outcome;
  DiagnosticEngine diags;
  auto evaluator = Evaluator::create(*module, diags);
  if (!evaluator)
    return outcomeOf(diags);
  auto samples = pack.floatSamples();
  if (samples.empty())
    return compareWithIntegers(pack, *evaluator, context);
  Tolerance tolerance;
  tolerance.relative = 1e-4;
  tolerance.absolute = 1e-5;
  outcome = compareOutputs(*evaluator, samples, tolerance);
  return outcome.kind == Outcome::Failed
             ? outcomeOfDifference(pack, outcome.text)
             : outcome;
}
