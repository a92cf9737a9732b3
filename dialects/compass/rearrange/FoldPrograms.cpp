//===- FoldPrograms.cpp - Col2Im and OverlapAdd ---------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/Layers.h"
#include "dialects/compass/WindowShape.h"
#include "dialects/compass/rearrange/RearrangeOps.h"
#include "dialects/compass/rearrange/RearrangeShapes.h"
#include "kernels/rearrange/Fold.h"
#include "support/diagnostics/Operators.h"

using namespace yarrow;
using namespace yarrow::compass;
using namespace mlir;
using kernels::FoldAxis;
using kernels::FoldShape;

/// No output is the sum of more inputs: at one place of an axis, one window at
/// most has a certain cell there, and a cell is there in one window.
static uint64_t mostInputs(const FoldShape &shape) {
  uint64_t most = 1;
  for (const FoldAxis &axis : shape.axes) {
    uint64_t windowSpan = uint64_t(axis.windows - 1) * axis.stride,
             cellSpan = uint64_t(axis.kernel - 1) * axis.dilation;
    most *=
        std::min({uint64_t(axis.kernel), uint64_t(axis.windows),
                  windowSpan / axis.dilation + 1, cellSpan / axis.stride + 1});
  }
  return most;
}

/// Adds up operand 0, of which integers have \p inZp added.
static LogicalResult appendFold(Operation *op, LayerProgram &program,
                                const FoldShape &shape, int32_t inZp) {
  TensorInfo in = describe(op->getOperand(0)), out = describe(op->getResult(0));
  if (isIntegerLayer(op)) {
    kernels::FoldIntParams p;
    p.shape = shape;
    p.most = uint32_t(mostInputs(shape));
    p.inType = in.dtype;
    p.inZp = inZp;
    if (failed(buildRequant(op, out, p.requant)))
      return failure();
    program.call<kernels::FoldInt>(p).bindInOut();
    return success();
  }
  program.call<kernels::FoldFloat>({shape, in.dtype, out.dtype}).bindInOut();
  return success();
}

/// Places of elements are computed in 32 bits (kernels/rearrange/Fold.h).
static LogicalResult checkLength(Operation *op, int64_t length) {
  constexpr int64_t kMost = (int64_t(1) << 30) - 1;
  if (length <= kMost)
    return success();
  return layerError(op, diag::OpUnsupported, "layer_top_shape",
                    "sums along an axis of this length are not supported yet")
      .found(Twine(length))
      .expected("at most " + Twine(kMost) + ", pads included");
}

/// A frame is a cell of windows that lie side by side, one for each of its
/// elements: the innermost axis of the sums is then contiguous.
LogicalResult OverlapAddOp::buildProgram(LayerProgram &program) {
  TensorInfo in = describe(getOperand(0));
  ArrayRef<int64_t> x = in.shape;
  int64_t length = shapeOf(getResult(0)).back();
  if (failed(checkLength(*this, length)))
    return failure();
  FoldShape shape;
  shape.outer = uint32_t(product(x.drop_back(2)));
  FoldAxis &axis = shape.axes[kernels::kFoldAxes - 1];
  axis.image = uint32_t(length);
  axis.kernel = uint32_t(x[x.size() - 2]);
  axis.dilation = uint32_t(intKey(*this, keys::frame_step));
  axis.windows = uint32_t(x.back());
  return appendFold(*this, program, shape, in.zp);
}

LogicalResult Col2ImOp::buildProgram(LayerProgram &program) {
  ArrayRef<int64_t> x = inputShape(*this, 0), y = shapeOf(getResult(0));
  auto kernel = constantSizes(*this, 2);
  if (!kernel)
    return layerError(*this, diag::OpUnsupported, "layer_bottom",
                      "a window size known only at run time is not supported "
                      "yet");
  size_t spatial = kernel->size();
  if (spatial < 1 || spatial > kernels::kFoldAxes)
    return layerError(*this, diag::OpUnsupported, "layer_bottom_shape",
                      "images with this many axes are not supported yet")
        .found(Twine(int64_t(spatial)))
        .expected("1 to " + Twine(int64_t(kernels::kFoldAxes)));
  FoldShape shape;
  shape.outer = uint32_t(y[0] * y[1]);
  int64_t windows = 1;
  for (size_t i = 0; i < spatial; ++i) {
    const WindowAxisKeys &keys = windowAxisKeys(i, spatial);
    auto key = [&](IntKey name, int64_t absent) {
      return (*this)->hasAttr(name) ? intKey(*this, name) : absent;
    };
    FoldAxis &axis = shape.axes[kernels::kFoldAxes - spatial + i];
    axis.image = uint32_t(y[i + 2]), axis.kernel = uint32_t((*kernel)[i]);
    axis.stride = uint32_t(key(keys.stride, 1));
    axis.dilation = uint32_t(key(keys.dilation, 1));
    axis.pad = uint32_t(key(keys.before, 0));
    int64_t padded = y[i + 2] + axis.pad + key(keys.after, 0);
    int64_t span = ((*kernel)[i] - 1) * axis.dilation + 1;
    if (failed(checkLength(*this, padded + axis.pad)))
      return failure();
    axis.windows =
        span > padded ? 0 : uint32_t((padded - span) / axis.stride + 1);
    windows *= axis.windows;
  }
  if (windows != x[2] || windows == 0)
    return layerError(*this, diag::OpInvalid, "layer_bottom_shape",
                      "the number of windows does not fit image and kernel")
        .found(Twine(x[2]))
        .expected(windows ? Twine(windows)
                          : Twine("windows no larger than the padded image"));
  // The reference adds up stored integers; their zero points are lost.
  return appendFold(*this, program, shape, /*inZp=*/0);
}
