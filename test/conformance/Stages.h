//===- Stages.h - What is checked of a pack ---------------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// One function per stage; each reads the pack in a context of its own, so that
// packs may be checked on several threads.
//
//   Outcome o = checkEval(pack, options);
//   if (o.kind == Outcome::Failed) std::cout << o.text;
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_TEST_CONFORMANCE_STAGES_H
#define YARROW_TEST_CONFORMANCE_STAGES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "test/conformance/Compare.h"
#include "test/conformance/Packs.h"
#include <set>
#include <string>
#include <vector>

namespace yarrow::conformance {

using compass::Evaluator;

struct Options {
  std::vector<std::string> targets = {"X2_1204", "Z2_1104", "Z1_0701"};
};

struct Outcome {
  enum Kind { Passed, Failed, Skipped } kind = Passed;
  std::string text;      ///< Failed: why; Passed: figures for --verbose
  double worstRatio = 0; ///< floats: largest error / largest value
  std::set<std::string> operators = {}; ///< Of a model, for the table.
  /// Skipped: why, each once. A list says which reasons may be (Refusals.h).
  std::set<std::string> reasons;

  static Outcome skip(std::set<std::string> reasons) {
    return {Skipped, "", 0, {}, std::move(reasons)};
  }
  static Outcome fail(std::string why) { return {Failed, std::move(why)}; }
};

/// Every tensor of the integer network on the host against the recorded ones.
Outcome checkEval(const Pack &pack, const Options &options);
/// The float network on the host against recorded floats (opzoo), or against
/// the recorded integers dequantized (networks: cosine).
Outcome checkFloat(const Pack &pack, const Options &options);
/// The integer network as an ONNX model, read again: the same integers.
Outcome checkQdq(const Pack &pack, const Options &options);
/// The same as a QNN graph; all outputs are compared, too.
Outcome checkQnn(const Pack &pack, const Options &options);
/// The integer network compiled and simulated against the evaluator, on every
/// target, functional and timed, with optimizations on and off.
Outcome checkNpu(const Pack &pack, const Options &options);

/// The compiler's cost of every command, and of every cut convolution, against
/// the simulator's, on every target.
Outcome checkCost(const Pack &pack, const Options &options);

/// A test of ONNX: the float network on the host and on the first target,
/// within 1e-3 of what ONNX expects.
Outcome checkOnnx(const Pack &pack, const Options &options);

/// A model with recorded inputs and outputs, imported and run on the host:
/// within 1e-3 of what is recorded.
Outcome checkImport(const Pack &pack, const Options &options);

/// The same compiled and simulated on the first target, against the evaluator,
/// byte for byte.
Outcome checkImportNpu(const Pack &pack, const Options &options);

//===----------------------------------------------------------------------===//
// What the stages share
//===----------------------------------------------------------------------===//

/// Reads one IR of the pack. Null with \p why set if it cannot be checked: the
/// file is absent, it cannot be read, or it has layers that nothing computes.
mlir::OwningOpRef<mlir::ModuleOp> readPack(mlir::MLIRContext &context,
                                           const Pack &pack, const char *stem,
                                           Outcome &why);
/// Skips with the code and the message of each error; fails if there is none.
Outcome outcomeOf(const DiagnosticEngine &diags);
/// Runs the samples on the host and compares with their recorded outputs.
Outcome compareOutputs(const Evaluator &evaluator,
                       const std::vector<Sample> &samples,
                       const Tolerance &tolerance);
/// The network compiled and simulated, with optimizations on and off, against
/// the evaluator, byte for byte.
Outcome compareOnTargets(mlir::ModuleOp module, const Evaluator &evaluator,
                         const std::vector<Sample> &samples,
                         const std::vector<std::string> &targets);
/// The same with the bytes of the inputs of each sample.
Outcome compareOnTargets(mlir::ModuleOp module, const Evaluator &evaluator,
                         std::vector<std::vector<compass::TensorBytes>> inputs,
                         const std::vector<std::string> &targets);
/// Skips a pack with recorded results that are not the right ones, for the
/// reason "differs <pack>": one that is not on the list fails.
Outcome outcomeOfDifference(const Pack &pack, std::string text);
/// How far integers of a pack may be off: 1 for the two whose reference rounded
/// accumulators to float32, else 0.
int64_t integerTolerance(const Pack &pack);

} // namespace yarrow::conformance

#endif // YARROW_TEST_CONFORMANCE_STAGES_H
