//===- NetworkRun.h - A network's run on the host ---------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Other executions to bisect: an IR, float or integer, that the evaluator
// computes, and recorded arrays.
//
//   auto network = NetworkRun::open({"net_o.txt"}, call);
//   std::optional<Execution> execution = network->run(inputs, diags);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_BISECT_NETWORKRUN_H
#define YARROW_COMPILER_BISECT_NETWORKRUN_H

#include "compiler/bisect/Execution.h"
#include "compiler/eval/NetworkTensors.h"
#include "compiler/session/Network.h"
#include "dialects/compass/network/Evaluator.h"

namespace yarrow {

class NetworkRun {
public:
  /// Null after errors.
  static std::unique_ptr<NetworkRun> open(const session::ModelSource &source,
                                          const session::Call &call);

  mlir::ModuleOp module() const { return network->module(); }
  const std::shared_ptr<const session::Network> &loaded() const {
    return network;
  }
  const std::vector<NetworkTensor> &tensors() const { return all; }
  bool isInteger() const { return network->isQuantized(); }
  /// Null if there is none of that name.
  const NetworkTensor *find(const std::string &name) const;

  /// \p inputs as the network stores them. Nullopt after errors.
  std::optional<Execution> run(const std::vector<std::vector<char>> &inputs,
                               DiagnosticEngine &diags);

private:
  std::shared_ptr<const session::Network> network;
  std::vector<NetworkTensor> all;
  llvm::DenseMap<mlir::Value, std::size_t> placeOf;
  std::unique_ptr<compass::Evaluator> evaluator;
};

/// \p bytes as the result of the layer that makes the tensor.
LayerResult resultOf(const NetworkTensor &tensor,
                     std::optional<std::vector<char>> bytes = {});

/// The tensors that \p found has too, as the .npz file has them for a run;
/// other arrays are passed over. Of an array for one run only, later runs have
/// nothing. Nullopt if no array fits (ReferenceUnmatched), or one is of another
/// type or shape (ReferenceForm).
std::optional<Execution> recordedExecution(const std::string &path,
                                           const Execution &found,
                                           std::size_t run,
                                           DiagnosticEngine &diags);

} // namespace yarrow

#endif // YARROW_COMPILER_BISECT_NETWORKRUN_H
