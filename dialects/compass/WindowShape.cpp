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

const WindowAxisKeys &compass::windowAxisKeys(unsigned i, unsigned spatial) {
  static constexpr WindowAxisKeys image[] = {
      {keys::kernel_y, keys::stride_y, keys::dilation_y, keys::pad_top,
       keys::pad_bottom, keys::output_padding_y},
      {keys::kernel_x, keys::stride_x, keys::dilation_x, keys::pad_left,
       keys::pad_right, keys::output_padding_x}};
  static constexpr WindowAxisKeys volume[] = {
      {keys::kernel_z, keys::stride_z, keys::dilation_z, keys::pad_z_begin,
       keys::pad_z_end, keys::output_padding_z},
      {keys::kernel_y, keys::stride_y, keys::dilation_y, keys::pad_y_begin,
       keys::pad_y_end, keys::output_padding_y},
      {keys::kernel_x, keys::stride_x, keys::dilation_x, keys::pad_x_begin,
       keys::pad_x_end, keys::output_padding_x}};
  return spatial == 3 ? volume[i] : image[i + 2 - spatial];
}

SmallVector<WindowAxis, 3> compass::windowAxes(Operation *op, unsigned spatial,
                                               const ConstantView *weights) {
  SmallVector<WindowAxis, 3> axes;
  auto add = [&](char name, unsigned dataAxis, unsigned weightAxis) {
    const WindowAxisKeys &keys = windowAxisKeys(axes.size(), spatial);
    axes.push_back({name, &keys, dataAxis, weightAxis, 1, 1, 1, 0, 0});
  };
  if (spatial == 3)
    add('z', 1, 3);
  add('y', spatial - 1, 1);
  add('x', spatial, 2);
  for (WindowAxis &axis : axes) {
    const WindowAxisKeys &keys = *axis.keys;
    axis.kernel = weights && !op->hasAttr(keys.kernel)
                      ? weights->shape[axis.weightAxis]
                      : intKey(op, keys.kernel);
    axis.stride = intKey(op, keys.stride);
    axis.before = intKey(op, keys.before);
    axis.after = intKey(op, keys.after);
    // DataStride has no dilation.
    axis.dilation = std::max<int64_t>(intKey(op, keys.dilation), 1);
  }
  return axes;
}

FailureOr<int64_t> compass::windowCount(Operation *op, const WindowAxis &axis,
                                        int64_t length) {
  int64_t padded = length + axis.before + axis.after;
  if (padded >= axis.span())
    return (padded - axis.span()) / axis.stride + 1;
  return layerError(op, diag::OpInvalid, axis.keys->kernel,
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
