//===- VolumeProgram.cpp - Convolutions over volumes ----------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A window over planes, rows and columns is one over rows and columns of an
// image whose pixels have the channels of all planes of the window. So
// Convolution3D and ConvTranspose3D gather the planes that each plane of the
// result reads side by side,
//
//   planes[n, z, y, x, k, c] = X[n, plane that tap k of z reads, y, x, c]
//
// by copies that the DMA makes, a copy for each tap, and convolve the images
// [n, z] of them. The weights [output, kernel_y, kernel_x, kernel_z, input]
// lie as those of such a convolution do. The price is kernel_z times the input
// in memory; of a transposed one, tap and plane meet only once in stride_z, and
// the others are products with a real 0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/LayerKeys.h"
#include "dialects/compass/Layers.h"
#include "dialects/compass/ZeroPoints.h"
#include "dialects/compass/conv/ConvOps.h"
#include "dialects/compass/conv/ConvProgram.h"
#include "dialects/compass/conv/ConvShapes.h"
#include "kernels/movement/DataMovement.h"
#include "support/diagnostics/Operators.h"

using namespace yarrow;
using namespace yarrow::compass;
using namespace mlir;

namespace {

/// Planes of the result that a tap gives a plane of the input: from a first one
/// on in steps.
struct PlaneRun {
  int64_t count = 0;
  int64_t from = 0, fromStep = 1; ///< in the input
  int64_t to = 0, toStep = 1;     ///< in the result
};

class VolumeConv {
public:
  VolumeConv(Operation *op, ConvKind kind, LayerProgram &program)
      : op(op), program(program), isTransposed(kind == ConvKind::Transposed),
        groups(intKey(op, keys::group)), in(describe(op->getOperand(0))),
        out(describe(op->getResult(0))) {
    call.kind = kind;
  }

  LogicalResult build();

private:
  LogicalResult checkSizes();
  void setShape();
  bool isPlain() const {
    return z.kernel == 1 && z.stride == 1 && z.before == 0 && z.after == 0;
  }
  PlaneRun runOf(int64_t tap) const;
  void gather();
  void fillUnread(int64_t tap, const PlaneRun &run);
  /// Copies elements of each pixel's channels in \p count planes.
  void copyPlanes(BufferBinding from, kernels::CopyParams p, int64_t tap,
                  const PlaneRun &run);
  BufferBinding weightsByGroup(const BufferBinding &weights) const;

  Operation *op;
  LayerProgram &program;
  bool isTransposed;
  int64_t groups;
  TensorInfo in, out;
  WindowAxis z, y, x;
  ConvCall call;
};

} // namespace

PlaneRun VolumeConv::runOf(int64_t tap) const {
  PlaneRun run;
  run.fromStep = isTransposed ? 1 : z.stride;
  run.toStep = isTransposed ? z.stride : 1;
  int64_t offset = tap * z.dilation - z.before;
  // Direct: from = to * stride + offset; transposed: the other way round.
  int64_t begin = -1;
  int64_t &driver = isTransposed ? run.from : run.to;
  int64_t &driven = isTransposed ? run.to : run.from;
  int64_t drivers = isTransposed ? in.shape[1] : out.shape[1];
  int64_t driveds = isTransposed ? out.shape[1] : in.shape[1];
  for (int64_t i = 0; i < drivers; ++i) {
    int64_t other = i * z.stride + offset;
    if (other < 0 || other >= driveds)
      continue;
    if (begin < 0)
      begin = i, driver = i, driven = other;
    ++run.count;
  }
  return run;
}

void VolumeConv::copyPlanes(BufferBinding from, kernels::CopyParams p,
                            int64_t tap, const PlaneRun &run) {
  int64_t pixels = in.shape[2] * in.shape[3], channels = in.shape[4];
  int64_t perGroup = channels / groups, wide = channels * z.kernel;
  int64_t dims[] = {in.shape[0], run.count, pixels, groups, perGroup};
  int64_t steps[] = {out.shape[1] * pixels * wide, run.toStep * pixels * wide,
                     wide, perGroup * z.kernel, 1};
  p.elemBytes = kernels::dtypeBytes(in.dtype);
  p.rank = 5;
  for (unsigned i = 0; i < 5; ++i)
    p.dims[i] = uint32_t(dims[i]), p.dstStride[i] = int32_t(steps[i]);
  p.dstOffset = int32_t(run.to * pixels * wide + tap * perGroup);
  KernelCall &copy = program.call<kernels::Copy>(p);
  copy["input"] = std::move(from);
  copy["output"] = call.input;
}

/// A real 0 in the places of \p tap for which the input has no plane.
void VolumeConv::fillUnread(int64_t tap, const PlaneRun &run) {
  std::vector<char> zero(kernels::dtypeBytes(in.dtype));
  int32_t stored = in.isInteger() ? -in.zp : 0;
  std::memcpy(zero.data(), &stored, std::min<size_t>(zero.size(), 4));
  auto fill = [&](int64_t first, int64_t count, int64_t step) {
    if (count > 0)
      copyPlanes(constant({1}, in.dtype, zero), {}, tap,
                 {.count = count, .to = first, .toStep = step});
  };
  if (run.count == 0)
    return fill(0, out.shape[1], 1);
  int64_t last = run.to + (run.count - 1) * run.toStep;
  fill(0, run.to, 1);
  for (int64_t i = 1; i < run.toStep; ++i)
    fill(run.to + i, run.count - 1, run.toStep);
  fill(last + 1, out.shape[1] - last - 1, 1);
}

void VolumeConv::gather() {
  TensorInfo info = in;
  info.shape = {in.shape[0] * out.shape[1], in.shape[2], in.shape[3],
                in.shape[4] * z.kernel};
  call.input = program.intermediate("planes", info);
  int64_t pixels = in.shape[2] * in.shape[3], channels = in.shape[4];
  for (int64_t tap = 0; tap < z.kernel; ++tap) {
    PlaneRun run = runOf(tap);
    fillUnread(tap, run);
    if (run.count == 0)
      continue;
    kernels::CopyParams p;
    int64_t plane = pixels * channels;
    int64_t steps[] = {in.shape[1] * plane, run.fromStep * plane, channels,
                       channels / groups, 1};
    for (unsigned i = 0; i < 5; ++i)
      p.srcStride[i] = int32_t(steps[i]);
    p.srcOffset = int32_t(run.from * plane);
    copyPlanes(operand(0), p, tap, run);
  }
}

/// Of several groups, the taps of planes move behind the group: [..., kernel_z,
/// group, input] to [..., group, kernel_z, input].
BufferBinding VolumeConv::weightsByGroup(const BufferBinding &weights) const {
  uint64_t perGroup =
      in.shape[4] / groups * kernels::dtypeBytes(weights.view.dtype);
  uint64_t row = perGroup * groups * z.kernel;
  ArrayRef<char> from = weights.view.bytes;
  std::vector<char> bytes;
  bytes.reserve(from.size());
  for (uint64_t at = 0; at < from.size(); at += row)
    for (int64_t group = 0; group < groups; ++group)
      for (int64_t tap = 0; tap < z.kernel; ++tap) {
        ArrayRef<char> part =
            from.slice(at + (tap * groups + group) * perGroup, perGroup);
        bytes.insert(bytes.end(), part.begin(), part.end());
      }
  return constant(weights.view.shape, weights.view.dtype, std::move(bytes));
}

void VolumeConv::setShape() {
  kernels::Conv2DShape &s = call.shape;
  s.batch = in.shape[0] * out.shape[1];
  s.inH = in.shape[2], s.inW = in.shape[3];
  s.inC = in.shape[4] * z.kernel;
  s.outH = out.shape[2], s.outW = out.shape[3], s.outC = out.shape[4];
  s.kernelH = y.kernel, s.kernelW = x.kernel;
  s.strideH = y.stride, s.strideW = x.stride;
  s.dilationH = y.dilation, s.dilationW = x.dilation;
  s.padTop = y.before, s.padLeft = x.before;
  s.groups = groups;
}

LogicalResult VolumeConv::checkSizes() {
  for (const WindowAxis &axis : {z, y, x})
    for (int64_t pad : {axis.before, axis.after})
      if (pad > INT16_MAX)
        return layerError(op, diag::OpUnsupported, axis.keys->before,
                          "pads of this length are not supported yet")
            .found(Twine(pad))
            .expected("at most 32767");
  // Copies count elements in 32 bits.
  int64_t elements = in.numElements() / in.shape[1] * out.shape[1] * z.kernel;
  if (std::max(elements, in.numElements()) <= INT32_MAX)
    return success();
  return layerError(op, diag::OpUnsupported, keys::kernel_z,
                    "volumes with this many elements are not supported yet")
      .found(Twine(elements) + " with all planes of the windows")
      .expected("below 2147483648");
}

LogicalResult VolumeConv::build() {
  auto stored = weightsOf(op, 5, isTransposed ? groups : 1);
  if (failed(stored) || failed(checkWeightedTypes(op)))
    return failure();
  auto axes = windowAxes(op, 3, &*stored);
  z = axes[0], y = axes[1], x = axes[2];
  auto weights = weightConstants(op);
  if (failed(weights) || failed(checkSizes()))
    return failure();
  setShape();
  call.weights = *weights;
  if (!isPlain())
    gather();
  if (isTransposed && groups > 1)
    call.weights = weightsByGroup(*weights);
  return addConv(op, call, program);
}

LogicalResult compass::buildVolumeConv(Operation *op, ConvKind kind,
                                       LayerProgram &program) {
  return VolumeConv(op, kind, program).build();
}

LogicalResult Convolution3DOp::buildProgram(LayerProgram &program) {
  return buildVolumeConv(*this, ConvKind::Direct, program);
}
LogicalResult ConvTranspose3DOp::buildProgram(LayerProgram &program) {
  return buildVolumeConv(*this, ConvKind::Transposed, program);
}
