//===- CheckOnnx.cpp - ONNX's tests on the host and the NPU ---------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Compiled only when RunNpu.cpp is present.
//
//===----------------------------------------------------------------------===//
#include "test/conformance/Stages.h"

using namespace yarrow;
using namespace yarrow::conformance;

Outcome conformance::checkOnnx(const Pack &pack, const Options &options) {
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
    return Outcome::skip({"unrecorded " + pack.name});
  Tolerance tolerance;
  tolerance.relative = 1e-3;
  tolerance.absolute = 1e-4;
  outcome = compareOutputs(*evaluator, samples, tolerance);
  if (outcome.kind == Outcome::Failed)
    return outcomeOfDifference(pack, outcome.text);
  if (outcome.kind == Outcome::Skipped)
    return outcome;
  // The same kernels as of other packs, which run on all targets.
  Outcome npu =
      compareOnTargets(*module, *evaluator, samples, {options.targets.front()});
  return npu.kind == Outcome::Passed ? outcome : npu;
}
