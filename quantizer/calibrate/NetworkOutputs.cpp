//===- NetworkOutputs.cpp - What a network gives its user -----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "quantizer/calibrate/NetworkOutputs.h"

#include "dialects/compass/Records.h"
#include "dialects/compass/Traits.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/STLExtras.h"

using namespace yarrow;
using namespace yarrow::compass;

bool yarrow::isNetworkOutput(mlir::Value value) {
  return llvm::any_of(value.getUsers(), [](mlir::Operation *user) {
    return !recordOf(user) ||
           (user->hasTrait<trait::MovesOnly>() &&
            llvm::any_of(user->getResults(), isNetworkOutput));
  });
}
