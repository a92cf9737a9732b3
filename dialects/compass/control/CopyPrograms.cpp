//===- CopyPrograms.cpp - Layers that pass tensors on ---------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/control/ControlOps.h"
#include "dialects/compass/movement/Moving.h"
#include "dialects/compass/movement/StridedCopy.h"

using namespace yarrow;
using namespace yarrow::compass;
using namespace mlir;

static LogicalResult copyAll(Operation *op, LayerProgram &program) {
  for (unsigned i = 0; i < op->getNumOperands(); ++i) {
    TensorInfo in = describe(op->getOperand(i));
    if (failed(checkSameElement(op, in, describe(op->getResult(i)))) ||
        failed(appendCopy(op, program, axesInto({in.numElements()}, {1}),
                          {operand(i), result(i)})))
      return failure();
  }
  return success();
}

LogicalResult PreprocessOp::buildProgram(LayerProgram &program) {
  return copyAll(*this, program);
}

LogicalResult DummyOp::buildProgram(LayerProgram &program) {
  return copyAll(*this, program);
}
