//===- TwinRunner.h - What a graph of QNN computes --------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A twin goes the way of a user's graph: written as JSON and archive, read
// again, imported, and computed by the evaluator or on a simulated machine.
//
//   Outcome outcome = TwinRunner(machine).run(twin);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_TEST_QNN_TWINRUNNER_H
#define YARROW_TEST_QNN_TWINRUNNER_H

#include "isa/Machine.h"
#include "mlir/IR/BuiltinOps.h"
#include "test/qnn/Twin.h"
#include "test/vts/Compare.h"

namespace yarrow::qnntwins {

class TwinRunner {
public:
  /// Null: the evaluator.
  explicit TwinRunner(std::optional<isa::Machine> machine)
      : machine(std::move(machine)) {}

  /// May be called from several threads.
  vts::Outcome run(const Twin &twin) const;

private:
  bool evaluate(mlir::ModuleOp module, std::span<const nnapi::Value> inputs,
                std::vector<nnapi::Value> &outputs,
                DiagnosticEngine &diags) const;
  bool simulate(mlir::ModuleOp module, std::span<const nnapi::Value> inputs,
                std::vector<nnapi::Value> &outputs,
                DiagnosticEngine &diags) const;

  const std::optional<isa::Machine> machine;
};

} // namespace yarrow::qnntwins

#endif // YARROW_TEST_QNN_TWINRUNNER_H
