//===- EltwiseOps.cpp - Arithmetic on two tensors -------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/eltwise/EltwiseOps.h"
#include "dialects/compass/eltwise/BinaryFunction.h"
#include "dialects/compass/eltwise/Elementwise.h"
#include "dialects/compass/eltwise/EltwiseShapes.h"

using namespace yarrow;
using namespace yarrow::compass;
using namespace mlir;
using kernels::BinaryOp;

#include "dialects/compass/eltwise/BinaryInterface.cpp.inc"

#define GET_OP_CLASSES
#include "dialects/compass/eltwise/EltwiseOps.cpp.inc"

void compass::registerEltwiseOps(CompassDialect &dialect) {
  dialect.addFamily<
#define GET_OP_LIST
#include "dialects/compass/eltwise/EltwiseOps.cpp.inc"
      >();
}

LogicalResult DivModOp::buildProgram(LayerProgram &program) {
  bool rounds = getMode().equals_insensitive("FLOOR");
  BinaryOp quotient =
      rounds ? BinaryOp::FloorQuotient : BinaryOp::TruncQuotient;
  BinaryOp rest = rounds ? BinaryOp::Mod : BinaryOp::FMod;
  return success(succeeded(buildBinary(*this, quotient, 0, program)) &&
                 succeeded(buildBinary(*this, rest, 1, program)));
}
