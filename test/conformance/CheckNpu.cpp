//===- CheckNpu.cpp - Packs on the simulated NPU --------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Compiled only when RunNpu.cpp is present.
//
//===----------------------------------------------------------------------===//
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
  std::vector<std::vector<compass::TensorBytes>> expected;
  for (const auto &data : inputs) {
    std::vector<compass::TensorBytesRef> refs(data.begin(), data.end());
    expected.emplace_back();
    evaluator.run(refs, expected.back());
  }
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
