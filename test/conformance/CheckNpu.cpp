//===- CheckNpu.cpp - Packs on the simulated NPU --------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Compiled only when RunNpu.cpp is present.
//
//===----------------------------------------------------------------------===//
#include "passes/cleanup/Cleanup.h"
#include "test/conformance/Compare.h"
#include "test/conformance/RunNpu.h"
#include "test/conformance/Stages.h"

using namespace yarrow;
using namespace yarrow::conformance;

/// Where two results of the same type differ, for the message.
static std::string firstDifference(const compass::TensorBytes &found,
                                   const compass::TensorBytes &expected) {
  if (found.size() != expected.size())
    return std::to_string(found.size()) + " bytes, expected " +
           std::to_string(expected.size());
  size_t count = 0, first = 0;
  for (size_t i = found.size(); i-- > 0;)
    if (found[i] != expected[i])
      ++count, first = i;
  return std::to_string(count) + " of " + std::to_string(found.size()) +
         " bytes differ, the first at " + std::to_string(first);
}

/// The first output that differs, or "".
static std::string firstDifference(const SampleOutputs &found,
                                   const SampleOutputs &expected) {
  for (size_t s = 0; s < expected.size(); ++s)
    for (size_t o = 0; o < expected[s].size(); ++o)
      if (found[s][o] != expected[s][o])
        return "output " + std::to_string(o) + " of sample " +
               std::to_string(s) + ": " +
               firstDifference(found[s][o], expected[s][o]);
  return "";
}

/// Outputs of the evaluator.
static SampleOutputs
evaluated(const Evaluator &evaluator,
          const std::vector<std::vector<compass::TensorBytes>> &inputs) {
  SampleOutputs outputs;
  for (const auto &data : inputs) {
    std::vector<compass::TensorBytesRef> refs(data.begin(), data.end());
    outputs.emplace_back();
    evaluator.run(refs, outputs.back());
  }
  return outputs;
}

/// Whether integers are the same, and floats but for rounding: a formula that
/// clean-up recognises is computed as what it spells.
static bool areAlike(const Evaluator &evaluator, const SampleOutputs &found,
                     const SampleOutputs &expected) {
  constexpr double kRounding = 1e-5;
  for (size_t s = 0; s < expected.size(); ++s)
    for (auto [o, value] : llvm::enumerate(evaluator.outputs())) {
      compass::TensorInfo info = compass::describe(value);
      if (found[s][o] == expected[s][o])
        continue;
      if (!info.isFloat() || found[s][o].size() != expected[s][o].size())
        return false;
      std::vector<double> a = realValues(info, found[s][o]),
                          b = realValues(info, expected[s][o]);
      double most = 0;
      for (double x : b)
        most = std::max(most, std::abs(x));
      for (auto [x, y] : llvm::zip(a, b))
        if (!(std::abs(x - y) <= kRounding * most))
          return false;
    }
  return true;
}

/// The outputs of the network that clean-up makes of \p module, if they are
/// like \p expected; else these.
static SampleOutputs
cleanedUp(mlir::ModuleOp module,
          const std::vector<std::vector<compass::TensorBytes>> &inputs,
          const SampleOutputs &expected) {
  mlir::OwningOpRef<mlir::ModuleOp> copy(
      mlir::cast<mlir::ModuleOp>(module->clone()));
  DiagnosticEngine own;
  auto evaluator =
      runCleanup(*copy, own) ? Evaluator::create(*copy, own) : nullptr;
  if (!evaluator)
    return expected;
  SampleOutputs outputs = evaluated(*evaluator, inputs);
  return areAlike(*evaluator, outputs, expected) ? outputs : expected;
}

Outcome conformance::compareOnTargets(mlir::ModuleOp module,
                                      const Evaluator &evaluator,
                                      const std::vector<Sample> &samples,
                                      const std::vector<std::string> &targets) {
  DiagnosticEngine diags;
  std::vector<std::vector<compass::TensorBytes>> inputs;
  for (const Sample &sample : samples) {
    auto data = inputsOf(evaluator.inputs(), sample, diags);
    if (!data)
      return outcomeOf(diags);
    inputs.push_back(std::move(*data));
  }
  return compareOnTargets(module, evaluator, std::move(inputs), targets);
}

Outcome conformance::compareOnTargets(
    mlir::ModuleOp module, const Evaluator &evaluator,
    std::vector<std::vector<compass::TensorBytes>> inputs,
    const std::vector<std::string> &targets) {
  const SampleOutputs plain = evaluated(evaluator, inputs);
  std::optional<SampleOutputs> cleaned;
  size_t runs = 0;
  for (const std::string &target : targets)
    for (bool optimize : {false, true}) {
      std::string where = target + (optimize ? " optimized" : " unoptimized");
      mlir::OwningOpRef<mlir::ModuleOp> copy(
          mlir::cast<mlir::ModuleOp>(module->clone()));
      SampleOutputs functional, timed;
      DiagnosticEngine own;
      if (!compileAndRun(*copy, {target, optimize}, inputs, functional, timed,
                         own)) {
        // What the evaluator computes, the NPU computes.
        std::string error = "failed without a diagnostic";
        for (const Diagnostic &d : own.all())
          if (d.isError())
            error = d.str();
        return Outcome::fail(where + ": " + error);
      }
      runs += 2;
      if (optimize && !cleaned && functional != plain)
        cleaned = cleanedUp(module, inputs, plain);
      const SampleOutputs &expected = optimize && cleaned ? *cleaned : plain;
      std::string difference = firstDifference(functional, expected);
      if (!difference.empty())
        return Outcome::fail(where + " functional: " + difference);
      difference = firstDifference(timed, expected);
      if (!difference.empty())
        return Outcome::fail(where + " timed: " + difference);
    }
  Outcome outcome;
  outcome.text = std::to_string(runs) + " runs of " +
                 std::to_string(inputs.size()) + " samples";
  return outcome;
}

Outcome conformance::checkNpu(const Pack &pack, const Options &options) {
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
    return Outcome::skip({"unrecorded " + pack.name});
  return compareOnTargets(*module, *evaluator, samples, options.targets);
}
