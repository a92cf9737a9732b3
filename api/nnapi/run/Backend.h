//===- Backend.h - What computes models of NNAPI ----------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The evaluator, or a simulated NPU. A backend makes programs of parts of
// models: of operations without control flow, all lengths known. Both may be
// used from several threads.
//
//   std::shared_ptr<Backend> npu = npuBackend(machine);
//   auto program = npu->compile(part, diags);
//   program->run(inputs, outputs, numbers, diags);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_API_NNAPI_RUN_BACKEND_H
#define YARROW_API_NNAPI_RUN_BACKEND_H

#include "api/nnapi/run/Value.h"
#include "isa/Machine.h"
#include "parser/nnapi/NnModel.h"
#include "support/Diagnostics.h"
#include <string>

namespace yarrow::nnapi {

/// What a run took.
struct RunNumbers {
  std::uint64_t cycles = 0;      ///< Of the NPU; 0 of the evaluator.
  std::uint64_t nanoseconds = 0; ///< The same by its clock.
  std::uint64_t loopRounds = 0;  ///< Of all WHILE operations.
};

class Program {
public:
  virtual ~Program() = default;
  /// Lengths of each output.
  virtual const std::vector<std::vector<std::uint32_t>> &outputDims() const = 0;
  /// Inputs have exactly the model's sizes. False after errors.
  virtual bool run(std::span<const Value> inputs, std::vector<Value> &outputs,
                   RunNumbers &numbers, DiagnosticEngine &diags) = 0;
};

class Backend {
public:
  virtual ~Backend() = default;
  virtual std::string name() const = 0;
  /// Null after errors.
  virtual std::shared_ptr<Program> compile(const NnModel &part,
                                           DiagnosticEngine &diags) = 0;
};

/// On the host.
std::shared_ptr<Backend> evaluatorBackend();
/// On the simulated machine, with cycles. Compiled kernels and plans are kept
/// in the folder \p cache, if it is not empty.
std::shared_ptr<Backend> npuBackend(const isa::Machine &machine,
                                    const std::string &cache = "");

} // namespace yarrow::nnapi

#endif // YARROW_API_NNAPI_RUN_BACKEND_H
