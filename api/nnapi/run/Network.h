//===- Network.h - The layers of a part of a model --------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// What both backends begin with: the module of a part, in a context of its own,
// checked, its integers given (quantizer/prequantized).
//
//   auto network = Network::make(part, diags);
//   network->module(); network->outputDims();
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_API_NNAPI_RUN_NETWORK_H
#define YARROW_API_NNAPI_RUN_NETWORK_H

#include "compiler/session/Network.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "parser/nnapi/NnModel.h"
#include "support/Diagnostics.h"

#include <memory>
#include <vector>

namespace yarrow::nnapi {

class Network {
public:
  /// Null after errors.
  static std::unique_ptr<Network> make(const NnModel &part,
                                       DiagnosticEngine &diags);

  mlir::ModuleOp module() const { return *network; }
  /// Lengths of the outputs, that of a count included.
  const std::vector<std::vector<std::uint32_t>> &outputDims() const {
    return dims;
  }
  /// For the library (compiler/session); it is gone from here.
  std::shared_ptr<const session::Network> handOver() &&;

private:
  bool checkEdges(const NnModel &part, DiagnosticEngine &diags) const;
  void readDims(const NnModel &part);

  std::unique_ptr<mlir::MLIRContext> context;
  mutable mlir::OwningOpRef<mlir::ModuleOp> network;
  std::vector<std::vector<std::uint32_t>> dims;
};

} // namespace yarrow::nnapi

#endif // YARROW_API_NNAPI_RUN_NETWORK_H
