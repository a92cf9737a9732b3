//===- EltwiseOps.td - Arithmetic on two tensors --------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_DIALECTS_COMPASS_ELTWISE_ELTWISEOPS_TD
#define YARROW_DIALECTS_COMPASS_ELTWISE_ELTWISEOPS_TD

include "dialects/compass/CompassBase.td"

class Compass_BinaryOp<string mnemonic, string layerType> :
    Compass_Op<mnemonic, layerType, EltwiseRule, !listconcat(Requant, FusedActivation)>;

def Compass_EltwiseOp : Compass_Op<"eltwise", "Eltwise", EltwiseRule, !listconcat([
  WordKey<"method", "ADD, SUB, MUL, MAX or MIN", "ADD">], Requant, FusedActivation)> {
  let summary = "elementwise arithmetic with broadcasting";
}
def Compass_AddOp : Compass_BinaryOp<"add", "Add"> { let summary = "sum with broadcasting"; }
def Compass_SubOp : Compass_BinaryOp<"sub", "Sub"> { let summary = "difference with broadcasting"; }
def Compass_MulOp : Compass_BinaryOp<"mul", "Mul"> { let summary = "product with broadcasting"; }

#endif // YARROW_DIALECTS_COMPASS_ELTWISE_ELTWISEOPS_TD
