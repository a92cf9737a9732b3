//===- RepeatPrograms.cpp - Layers that repeat or reverse -----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Copies where it is known what is repeated or reversed how often; kernels
// where data says it.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/Layers.h"
#include "dialects/compass/movement/Moving.h"
#include "dialects/compass/movement/StridedCopy.h"
#include "dialects/compass/rearrange/RearrangeOps.h"
#include "kernels/rearrange/Sequences.h"

using namespace yarrow;
using namespace yarrow::compass;
using namespace mlir;

//===----------------------------------------------------------------------===//
// Tile and Meshgrid
//===----------------------------------------------------------------------===//

/// A copy for each axis that is repeated, the last one first.
static LogicalResult tileAxisByAxis(Operation *op, LayerProgram &program,
                                    ArrayRef<int64_t> repeats) {
  TensorInfo info = describe(op->getOperand(0));
  BufferBinding from = operand(0);
  size_t first = 0;
  while (repeats[first] == 1)
    ++first;
  for (size_t i = repeats.size(); i-- > first;) {
    if (repeats[i] == 1)
      continue;
    ArrayRef<int64_t> shape = info.shape;
    int64_t outer = product(shape.take_front(i)),
            inner = product(shape.drop_front(i));
    SmallVector<CopyAxis> axes =
        axesInto({outer, repeats[i], inner}, {inner, 0, 1});
    info.shape[i] *= repeats[i];
    BufferBinding to =
        i == first
            ? result(0)
            : program.intermediate("tiled_axis" + std::to_string(i), info);
    if (failed(appendCopy(op, program, axes, {from, to})))
      return failure();
    from = to;
  }
  return success();
}

LogicalResult TileOp::buildProgram(LayerProgram &program) {
  TensorInfo in = describe(getOperand(0));
  if (failed(checkSameElement(*this, in, describe(getResult(0)))))
    return failure();
  SmallVector<int64_t> repeats = intsKey(*this, keys::repeats), shape, strides;
  for (auto [length, stride, copies] :
       llvm::zip(in.shape, denseStrides(in.shape), repeats)) {
    shape.append({copies, length});
    strides.append({0, stride});
  }
  SmallVector<CopyAxis> axes = axesInto(shape, strides);
  return fitsOneCopy(axes) ? appendCopy(*this, program, axes)
                           : tileAxisByAxis(*this, program, repeats);
}

LogicalResult MeshgridOp::buildProgram(LayerProgram &program) {
  bool isXy = wordKey(*this, keys::indexing, "XY") == "XY";
  for (unsigned k = 0; k < getNumResults(); ++k) {
    ArrayRef<int64_t> shape = shapeOf(getResult(k));
    if (failed(checkSameElement(*this, describe(getOperand(k)),
                                describe(getResult(k)))))
      return failure();
    SmallVector<int64_t> strides(shape.size(), 0);
    strides[isXy && k < 2 && shape.size() > 1 ? 1 - k : k] = 1;
    if (failed(appendCopy(*this, program, axesInto(shape, strides),
                          {operand(k), result(k)})))
      return failure();
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Repeat
//===----------------------------------------------------------------------===//

/// How often each slice is repeated, if that is known and of all the same.
static std::optional<int64_t> constantRepeats(Operation *op) {
  auto repeats = constantInput(op, 1);
  if (!repeats || repeats->numElements() == 0)
    return std::nullopt;
  for (int64_t i = 1; i < repeats->numElements(); ++i)
    if (repeats->intAt(i) != repeats->intAt(0))
      return std::nullopt;
  return repeats->intAt(0);
}

LogicalResult RepeatOp::buildProgram(LayerProgram &program) {
  TensorInfo in = describe(getOperand(0)), out = describe(getResult(0));
  SmallVector<int64_t> shape(in.shape);
  auto axis =
      axisOrFlat(*this, shape, std::max<size_t>(out.shape.size(), 1) - 1);
  if (failed(axis) || failed(checkSameElement(*this, in, out)))
    return failure();
  int64_t outer = product(ArrayRef(shape).take_front(*axis)),
          slices = shape[*axis], length = out.shape[*axis],
          inner = product(ArrayRef(shape).drop_front(*axis + 1));
  if (auto copies = constantRepeats(*this))
    return appendCopy(*this, program,
                      axesInto({outer, slices, *copies, inner},
                               {slices * inner, inner, 0, 1}));
  TensorInfo repeats = describe(getOperand(1));
  kernels::RepeatParams p;
  p.elemBytes = kernels::dtypeBytes(in.dtype);
  p.repeatType = repeats.dtype;
  p.outer = uint32_t(outer), p.inner = uint32_t(inner);
  p.slices = uint32_t(slices), p.length = uint32_t(length);
  p.repeatCount = uint32_t(repeats.numElements());
  KernelCall &call = program.call<kernels::Repeat>(p).bindInOut();
  call["repeats"] = operand(1);
  return success();
}

//===----------------------------------------------------------------------===//
// ReverseSequence
//===----------------------------------------------------------------------===//

/// Whether each sequence is known to be reversed as a whole, as in the backward
/// half of a recurrent layer.
static bool reversesAll(Operation *op, int64_t time) {
  auto lengths = constantInput(op, 1);
  for (int64_t i = 0; lengths && i < lengths->numElements(); ++i)
    if (lengths->intAt(i) != time)
      return false;
  return lengths.has_value();
}

LogicalResult ReverseSequenceOp::buildProgram(LayerProgram &program) {
  TensorInfo in = describe(getOperand(0)), out = describe(getResult(0)),
             lengths = describe(getOperand(1));
  auto batch = axisKey(*this, keys::batch_axis, in.shape.size());
  auto time = axisKey(*this, keys::time_axis, in.shape.size());
  if (failed(batch) || failed(time) || failed(checkSameElement(*this, in, out)))
    return failure();
  ArrayRef<int64_t> shape = in.shape;
  SmallVector<int64_t> strides = denseStrides(shape);
  if (reversesAll(*this, shape[*time])) {
    CopyEnds ends;
    ends.fromOffset = (shape[*time] - 1) * strides[*time];
    strides[*time] = -strides[*time];
    return appendCopy(*this, program, axesInto(shape, strides), ends);
  }
  int64_t front = std::min(*batch, *time), back = std::max(*batch, *time);
  kernels::ReverseSequenceParams p;
  p.elemBytes = kernels::dtypeBytes(in.dtype);
  p.lengthType = lengths.dtype;
  p.isTimeFirst = *time < *batch;
  p.outer = uint32_t(product(shape.take_front(front)));
  p.middle = uint32_t(product(shape.slice(front + 1, back - front - 1)));
  p.inner = uint32_t(product(shape.drop_front(back + 1)));
  p.sequences = uint32_t(shape[*batch]);
  p.time = uint32_t(shape[*time]);
  KernelCall &call = program.call<kernels::ReverseSequence>(p);
  call.bindInOut();
  call["lengths"] = operand(1);
  return success();
}
