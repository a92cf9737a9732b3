//===- WindowShape.cpp - Lengths of results of window operators -----------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/WindowShape.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "support/diagnostics/Operators.h"

using namespace yarrow;
using namespace yarrow::compass;
using namespace mlir;

SmallVector<WindowAxis, 3> compass::windowAxes(Operation *op, unsigned spatial,
                                               const ConstantView *weights) {
  SmallVector<WindowAxis, 3> axes;
  if (spatial == 3)
    axes.push_back({'z', 1, 3, 1, 1, 1, 0, 0});
  axes.push_back({'y', spatial - 1, 1, 1, 1, 1, 0, 0});
  axes.push_back({'x', spatial, 2, 1, 1, 1, 0, 0});
  for (WindowAxis &axis : axes) {
    std::string kernel = axis.key("kernel");
    axis.kernel = weights && !op->hasAttr(kernel)
                      ? weights->shape[axis.weightAxis]
                      : intKey(op, kernel);
    axis.stride = intKey(op, axis.key("stride"));
    axis.dilation = intKey(op, axis.key("dilation"));
    if (spatial == 3) {
      axis.before = intKey(op, axis.key("pad") + "_begin");
      axis.after = intKey(op, axis.key("pad") + "_end");
    } else {
      axis.before = intKey(op, axis.name == 'x' ? "pad_left" : "pad_top");
      axis.after = intKey(op, axis.name == 'x' ? "pad_right" : "pad_bottom");
    }
    // DataStride has no dilation.
    axis.dilation = std::max<int64_t>(axis.dilation, 1);
  }
  return axes;
}

FailureOr<int64_t> compass::windowCount(Operation *op, const WindowAxis &axis,
                                        int64_t length) {
  int64_t padded = length + axis.before + axis.after;
  if (padded >= axis.span())
    return (padded - axis.span()) / axis.stride + 1;
  return layerError(op, diag::OpInvalid, axis.key("kernel"),
                    Twine("the window is larger than the padded input along ") +
                        Twine(axis.name))
      .found(Twine(axis.span()))
      .expected("at most " + Twine(padded));
}

FailureOr<int64_t> compass::windowCountOrCeil(Operation *op,
                                              const WindowAxis &axis,
                                              int64_t length,
                                              int64_t declared) {
  int64_t rest = length + axis.before + axis.after - axis.span();
  // A window that is larger than the input has nothing to stick out of.
  if (rest >= 0 && declared == (rest + axis.stride - 1) / axis.stride + 1)
    return declared;
  return windowCount(op, axis, length);
}

FailureOr<SmallVector<int64_t>>
compass::windowShape(Operation *op, ArrayRef<WindowAxis> axes, bool ceil) {
  SmallVector<int64_t> shape(inputShape(op, 0));
  ArrayRef<int64_t> declared = declaredShape(op, 0);
  for (const WindowAxis &axis : axes) {
    int64_t &length = shape[axis.dataAxis];
    auto count =
        ceil ? windowCountOrCeil(op, axis, length, declared[axis.dataAxis])
             : windowCount(op, axis, length);
    if (failed(count))
      return failure();
    length = *count;
  }
  return shape;
}
