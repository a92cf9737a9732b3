//===- BinaryInterface.td - Layers that are a function of two values ------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Apart from the records, so that an interface is generated once and not with
// every family that includes them.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_DIALECTS_COMPASS_ELTWISE_BINARYINTERFACE_TD
#define YARROW_DIALECTS_COMPASS_ELTWISE_BINARYINTERFACE_TD

include "mlir/IR/OpBase.td"

def Compass_BinaryFunctionInterface : OpInterface<"BinaryFunction"> {
  let cppNamespace = "::yarrow::compass";
  let description = "A layer that is a function of two values, with broadcasting.";
  let methods = [
    InterfaceMethod<"The function, of kernels/arithmetic/BinaryFn.def.",
                    "::yarrow::kernels::BinaryOp", "binaryFunction">
  ];
}

#endif // YARROW_DIALECTS_COMPASS_ELTWISE_BINARYINTERFACE_TD
