//===- StateCheck.cpp - Whether the ends of a state fit -------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/graph/StateCheck.h"
#include "dialects/compass/Compass.h"
#include "dialects/compass/LayerError.h"
#include "dialects/compass/LayerKeys.h"
#include "dialects/compass/Layers.h"
#include "dialects/compass/Tensors.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "support/Format.h"

using namespace yarrow;
using namespace yarrow::compass;
using namespace mlir;

static std::string typeText(Value value) {
  TensorInfo info = describe(value);
  std::string text = dtypeName(info.storedType()).str() + shapeText(info.shape);
  if (info.isQuantized())
    text += ", scale " + formatFixed(info.scale, 6) + ", zp " +
            std::to_string(info.zp);
  return text;
}

static LogicalResult verifyInitial(Operation *input, const TensorInfo &info) {
  ElementsAttr attr = tensorKey(input, keys::state_initial);
  if (!attr)
    return success();
  auto stored = viewConstant(attr);
  if (stored && stored->dtype == info.dtype &&
      stored->numElements() == info.numElements())
    return success();
  return layerError(
             input, diag::StateMismatch, "state_initial_shape",
             "the initial value of the state does not have the state's type")
      .found(stored ? dtypeName(stored->storedType()) + shapeText(stored->shape)
                    : Twine("data of another size"))
      .expected(dtypeName(info.storedType()) + shapeText(info.shape));
}

static LogicalResult verifyEnds(Operation *input, Value present) {
  Value past = input->getResult(0);
  TensorInfo from = describe(past), to = describe(present);
  // Ranges within the type may differ: the bytes are the same.
  if (from.storedType() == to.storedType() && from.shape == to.shape &&
      from.scale == to.scale && from.zp == to.zp)
    return success();
  return layerError(input, diag::StateMismatch, keys::state_output,
                    "the state " + tensorNameOf(past) + " and its next value " +
                        tensorNameOf(present) + " differ in type")
      .found(typeText(past))
      .expected(typeText(present));
}

LogicalResult compass::verifyState(Operation *input) {
  StringRef key = keys::state_output;
  auto output = input->getAttrOfType<IntegerAttr>(key);
  if (!output)
    return tensorKey(input, keys::state_initial)
               ? layerError(input, diag::StateMismatch, "state_initial_offset",
                            "the input has initial values, but is not a state")
                     .expected("state_output=POSITION of the output with its "
                               "next value")
               : success();
  if (failed(verifyInitial(input, describe(input->getResult(0)))))
    return failure();
  auto graph = input->getParentOfType<func::FuncOp>();
  if (graph && graph.getName() != "main")
    return layerError(input, diag::StateMismatch, key,
                      "an input of a sub-graph cannot be a state")
        .found("in " + graph.getName())
        .expected("inputs of the main graph");
  Block *block = input->getBlock();
  auto end = block && !block->empty() ? dyn_cast<func::ReturnOp>(block->back())
                                      : func::ReturnOp();
  if (!end)
    return success();
  int64_t index = output.getInt();
  if (index < 0 || uint64_t(index) >= end.getNumOperands())
    return layerError(input, diag::StateMismatch, key,
                      "the network does not have the output with the state's "
                      "next value")
        .found(Twine(index))
        .expected("below " + Twine(end.getNumOperands()));
  for (Operation &other : *block)
    if (&other != input && other.getAttrOfType<IntegerAttr>(key) == output)
      return layerError(input, diag::StateMismatch, key,
                        "two states have the same output as their next value")
          .found(tensorNameOf(other.getResult(0)) + " and " +
                 tensorNameOf(input->getResult(0)));
  return verifyEnds(input, end.getOperand(unsigned(index)));
}
