//===- WindowShape.h - Lengths of results of window operators -------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Kernel, stride, dilation and pads of a layer as one entry per spatial axis,
// for convolutions and pooling over images and volumes alike, and the length
// of the result along an axis.
//
//   for (const WindowAxis &axis : windowAxes(op, 2, weights)) // rows, columns
//     auto length = windowCount(op, axis, in[axis.dataAxis]);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_DIALECTS_COMPASS_WINDOWSHAPE_H
#define YARROW_DIALECTS_COMPASS_WINDOWSHAPE_H

#include "dialects/compass/LayerKeys.h"

namespace yarrow::compass {

/// The keys of a window along one axis: of an image (pad_left) or of a volume
/// (pad_x_begin).
struct WindowAxisKeys {
  IntKey kernel, stride, dilation, before, after, outputPadding;
};

/// Those of axis \p i of a window with \p spatial axes (1: x; 2: y, x; 3: z, y,
/// x).
const WindowAxisKeys &windowAxisKeys(unsigned i, unsigned spatial);

/// The window of a layer along one spatial axis.
struct WindowAxis {
  char name; ///< x, y or z.
  const WindowAxisKeys *keys;
  unsigned dataAxis; ///< In NHWC or NDHWC.
  unsigned
      weightAxis; ///< In [output, y, x, input] or [output, y, x, z, input].
  int64_t kernel, stride, dilation;
  int64_t before, after; ///< Pads.

  /// Elements from the first to the last cell of a window.
  int64_t span() const { return (kernel - 1) * dilation + 1; }
};

/// The axes of an image (\p spatial = 2: y, x) or of a volume (3: z, y, x). A
/// kernel_... that the layer does not have is the length that \p weights has.
llvm::SmallVector<WindowAxis, 3>
windowAxes(mlir::Operation *op, unsigned spatial,
           const ConstantView *weights = nullptr);

/// Windows that fit in \p length elements and the pads; emits an error if there
/// is none.
mlir::FailureOr<int64_t> windowCount(mlir::Operation *op,
                                     const WindowAxis &axis, int64_t length);

/// The same for layers with ceil_mode, which the reference tools record
/// unreliably (docs/operators/pool.md, Pooling): \p declared if a last window
/// that sticks out explains it.
mlir::FailureOr<int64_t> windowCountOrCeil(mlir::Operation *op,
                                           const WindowAxis &axis,
                                           int64_t length, int64_t declared);

/// The shape of \p op's first input with the spatial lengths of its windows;
/// ceil as windowCountOrCeil.
mlir::FailureOr<llvm::SmallVector<int64_t>>
windowShape(mlir::Operation *op, llvm::ArrayRef<WindowAxis> axes, bool ceil);

} // namespace yarrow::compass

#endif // YARROW_DIALECTS_COMPASS_WINDOWSHAPE_H
