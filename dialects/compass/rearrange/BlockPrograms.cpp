//===- BlockPrograms.cpp - Layers that move blocks, as copies -------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Blocks move between batch, space and channels where a tensor's axes, cut into
// blocks and places in a block, are permuted: one strided copy, with a border
// or a crop another.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/Layers.h"
#include "dialects/compass/movement/Moving.h"
#include "dialects/compass/movement/StridedCopy.h"
#include "dialects/compass/rearrange/RearrangeOps.h"
#include "kernels/movement/DataMovement.h"

using namespace yarrow;
using namespace yarrow::compass;
using namespace mlir;

static LogicalResult checkMoves(Operation *op) {
  for (Value out : op->getResults())
    if (failed(
            checkSameElement(op, describe(op->getOperand(0)), describe(out))))
      return failure();
  return success();
}

/// A value of the first input's type between the steps of a program.
static BufferBinding movedValue(Operation *op, LayerProgram &program,
                                std::string name, ArrayRef<int64_t> shape) {
  TensorInfo info = describe(op->getOperand(0));
  info.shape.assign(shape.begin(), shape.end());
  return program.intermediate(std::move(name), info);
}

//===----------------------------------------------------------------------===//
// Space and depth
//===----------------------------------------------------------------------===//

LogicalResult SpaceToDepthOp::buildProgram(LayerProgram &program) {
  if (failed(checkMoves(*this)))
    return failure();
  ArrayRef<int64_t> y = shapeOf(getResult(0));
  int64_t by = intKey(*this, keys::block_size_y),
          bx = intKey(*this, keys::block_size_x);
  return appendCopy(
      *this, program,
      permutedAxes({y[0], y[1], by, y[2], bx, inputShape(*this, 0)[3]},
                   {0, 1, 3, 2, 4, 5}));
}

LogicalResult DepthToSpaceOp::buildProgram(LayerProgram &program) {
  if (failed(checkMoves(*this)))
    return failure();
  ArrayRef<int64_t> x = inputShape(*this, 0);
  int64_t by = intKey(*this, keys::block_size_y),
          bx = intKey(*this, keys::block_size_x);
  int64_t channels = x[3] / (by * bx);
  if (wordKey(*this, keys::mode, "DCR") == "CRD")
    return appendCopy(
        *this, program,
        permutedAxes({x[0], x[1], x[2], channels, by, bx}, {0, 1, 4, 2, 5, 3}));
  return appendCopy(
      *this, program,
      permutedAxes({x[0], x[1], x[2], by, bx, channels}, {0, 1, 3, 2, 4, 5}));
}

//===----------------------------------------------------------------------===//
// Space and batch
//===----------------------------------------------------------------------===//

namespace {
/// A block of the batch along one spatial axis, and what is cut off of it.
struct BatchBlock {
  int64_t length, cropBefore, cropAfter;
};
} // namespace

/// One copy for each block axis, the last one first, where one for all would
/// have too many axes: \p values are the input, what is between them, and the
/// result, of shape \p moved.
static LogicalResult moveBlockByBlock(Operation *op, LayerProgram &program,
                                      ArrayRef<BatchBlock> blocks,
                                      ArrayRef<int64_t> moved,
                                      const BufferBinding &to) {
  SmallVector<int64_t> shape(inputShape(op, 0));
  BufferBinding from = operand(0);
  for (size_t i = blocks.size(); i-- > 0;) {
    int64_t block = blocks[i].length;
    auto axes = ArrayRef<int64_t>(shape).drop_front();
    SmallVector<CopyAxis> copy = permutedAxes(
        {shape[0] / moved[0] / block, block, moved[0],
         product(axes.take_front(i)), axes[i], product(axes.drop_front(i + 1))},
        {0, 2, 3, 4, 1, 5});
    shape[0] /= block;
    shape[i + 1] *= block;
    BufferBinding next =
        i == 0 ? to
               : movedValue(op, program, "moved_axis" + std::to_string(i + 1),
                            shape);
    if (failed(appendCopy(op, program, copy, {from, next})))
      return failure();
    from = next;
  }
  return success();
}

/// y[n, d0 * b0 + i0, d1 * b1 + i1, ...] = x[((i0 * b1 + i1) ...) * N + n, d0,
/// d1, ...], cropped.
static LogicalResult buildBatchToSpace(Operation *op, LayerProgram &program,
                                       ArrayRef<BatchBlock> blocks) {
  if (failed(checkMoves(op)))
    return failure();
  ArrayRef<int64_t> x = inputShape(op, 0);
  int64_t cells = 1, rank = blocks.size();
  SmallVector<int64_t> view, perm{rank}, moved(x);
  bool isCropped = false;
  for (auto [i, block] : llvm::enumerate(blocks)) {
    cells *= block.length;
    view.push_back(block.length);
    perm.append({rank + 1 + int64_t(i), int64_t(i)});
    moved[i + 1] *= block.length;
    isCropped |= block.cropBefore != 0 || block.cropAfter != 0;
  }
  moved[0] /= cells;
  view.push_back(moved[0]);
  view.append(x.begin() + 1, x.end());
  for (int64_t axis = 2 * rank + 1; axis < int64_t(view.size()); ++axis)
    perm.push_back(axis);

  BufferBinding to =
      isCropped ? movedValue(op, program, "uncropped", moved) : result(0);
  SmallVector<CopyAxis> axes = permutedAxes(view, perm);
  if (failed(fitsOneCopy(axes)
                 ? appendCopy(op, program, axes, {operand(0), to})
                 : moveBlockByBlock(op, program, blocks, moved, to)))
    return failure();
  if (!isCropped)
    return success();
  SmallVector<int64_t> strides = denseStrides(moved);
  CopyEnds ends{to, result(0)};
  for (auto [i, block] : llvm::enumerate(blocks))
    ends.fromOffset += block.cropBefore * strides[i + 1];
  return appendCopy(op, program, axesInto(shapeOf(op->getResult(0)), strides),
                    ends);
}

LogicalResult BatchToSpaceOp::buildProgram(LayerProgram &program) {
  auto key = [&](IntKey name) { return intKey(*this, name); };
  return buildBatchToSpace(
      *this, program,
      {{key(keys::block_size_y), key(keys::crop_top), key(keys::crop_bottom)},
       {key(keys::block_size_x), key(keys::crop_left), key(keys::crop_right)}});
}

LogicalResult BatchToSpaceNDOp::buildProgram(LayerProgram &program) {
  auto crops = nestedKey(*this, keys::crops);
  SmallVector<BatchBlock> blocks;
  for (auto [i, length] : llvm::enumerate(intsKey(*this, keys::block_size)))
    blocks.push_back({length, crops.empty() ? 0 : crops[i][0],
                      crops.empty() ? 0 : crops[i][1]});
  return buildBatchToSpace(*this, program, blocks);
}

/// x with its border, a real 0; the result of a step, or x itself without.
static BufferBinding padded(Operation *op, LayerProgram &program,
                            ArrayRef<int64_t> shape) {
  int64_t top = intKey(op, keys::pad_top), left = intKey(op, keys::pad_left);
  TensorInfo in = describe(op->getOperand(0));
  if (in.shape == shape)
    return operand(0);
  // Rows of pixels and channels in one: the border is of the same value.
  kernels::PadParams p;
  p.elemBytes = kernels::dtypeBytes(in.dtype);
  p.rank = 3;
  for (auto [dims, of] : {std::pair(p.inDims, ArrayRef<int64_t>(in.shape)),
                          std::pair(p.outDims, shape)}) {
    dims[0] = uint32_t(of[0]), dims[1] = uint32_t(of[1]);
    dims[2] = uint32_t(of[2] * of[3]);
  }
  p.padBefore[1] = int32_t(top);
  p.padBefore[2] = int32_t(left * in.shape[3]);
  // The zero point may lie beyond the type (ZeroPoints.h).
  if (in.isInteger())
    p.fill[0] = uint32_t(std::clamp<int64_t>(-in.zp, in.lo, in.hi));
  BufferBinding value = movedValue(op, program, "padded", shape);
  KernelCall &call = program.call<kernels::Pad>(p);
  call["input"] = operand(0);
  call["output"] = value;
  return value;
}

LogicalResult SpaceToBatchOp::buildProgram(LayerProgram &program) {
  if (failed(checkMoves(*this)))
    return failure();
  auto key = [&](IntKey name) { return intKey(*this, name); };
  SmallVector<int64_t> x(inputShape(*this, 0));
  x[1] += key(keys::pad_top) + key(keys::pad_bottom);
  x[2] += key(keys::pad_left) + key(keys::pad_right);
  int64_t by = key(keys::block_size_y), bx = key(keys::block_size_x);
  BufferBinding from = padded(*this, program, x);
  return appendCopy(*this, program,
                    permutedAxes({x[0], x[1] / by, by, x[2] / bx, bx, x[3]},
                                 {2, 4, 0, 1, 3, 5}),
                    {from, result(0)});
}

//===----------------------------------------------------------------------===//
// Channels and windows
//===----------------------------------------------------------------------===//

LogicalResult ChannelShuffleOp::buildProgram(LayerProgram &program) {
  if (failed(checkMoves(*this)))
    return failure();
  ArrayRef<int64_t> x = inputShape(*this, 0);
  int64_t outer = product(x.drop_back()), channels = x.back();
  int64_t group = intKey(*this, keys::group),
          splits = intKey(*this, keys::splits);
  int64_t size = channels / group, part = channels / splits;
  // A part is whole runs of one channel of each group, or is cut out of the
  // shuffled whole.
  bool isDirect = part % group == 0;
  BufferBinding whole;
  if (!isDirect) {
    whole = movedValue(*this, program, "shuffled", x);
    if (failed(appendCopy(*this, program,
                          permutedAxes({outer, group, size}, {0, 2, 1}),
                          {operand(0), whole})))
      return failure();
  }
  for (int64_t i = 0; i < splits; ++i) {
    auto axes =
        isDirect ? axesInto({outer, part / group, group}, {channels, 1, size})
                 : axesInto({outer, part}, {channels, 1});
    CopyEnds ends{isDirect ? operand(0) : whole, result(unsigned(i)),
                  isDirect ? i * part / group : i * part};
    if (failed(appendCopy(*this, program, axes, ends)))
      return failure();
  }
  return success();
}

LogicalResult DataStrideOp::buildProgram(LayerProgram &program) {
  if (failed(checkMoves(*this)))
    return failure();
  auto key = [&](IntKey name) { return intKey(*this, name); };
  ArrayRef<int64_t> x = inputShape(*this, 0), y = shapeOf(getResult(0));
  int64_t ky = key(keys::kernel_y), kx = key(keys::kernel_x), pixel = x[3];
  int64_t row = x[2] * pixel;
  return appendCopy(*this, program,
                    axesInto({y[0], y[1] / ky, ky, y[2] / kx, kx * pixel},
                             {x[1] * row, key(keys::stride_y) * row, row,
                              key(keys::stride_x) * pixel, 1}));
}

LogicalResult CropOp::buildProgram(LayerProgram &program) {
  if (failed(checkMoves(*this)))
    return failure();
  ArrayRef<int64_t> x = inputShape(*this, 0);
  SmallVector<int64_t> strides = denseStrides(x);
  CopyEnds ends;
  for (auto [crop, length, stride] :
       llvm::zip(nestedKey(*this, keys::crops), x, strides))
    ends.fromOffset += (crop[0] < 0 ? crop[0] + length : crop[0]) * stride;
  return appendCopy(*this, program, axesInto(shapeOf(getResult(0)), strides),
                    ends);
}
