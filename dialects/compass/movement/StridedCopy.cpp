//===- StridedCopy.cpp - Layers that are strided copies -------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/movement/StridedCopy.h"
#include "dialects/compass/LayerError.h"
#include "kernels/movement/DataMovement.h"
#include "support/diagnostics/Operators.h"

using namespace yarrow;
using namespace yarrow::compass;
using namespace mlir;

SmallVector<int64_t> compass::denseStrides(ArrayRef<int64_t> shape) {
  SmallVector<int64_t> strides(shape.size());
  int64_t step = 1;
  for (size_t i = shape.size(); i-- > 0; step *= shape[i])
    strides[i] = step;
  return strides;
}

SmallVector<CopyAxis> compass::axesInto(ArrayRef<int64_t> shape,
                                        ArrayRef<int64_t> fromStrides) {
  SmallVector<CopyAxis> axes;
  for (auto [length, from, to] :
       llvm::zip(shape, fromStrides, denseStrides(shape)))
    axes.push_back({length, from, to});
  return axes;
}

SmallVector<CopyAxis> compass::permutedAxes(ArrayRef<int64_t> view,
                                            ArrayRef<int64_t> perm) {
  SmallVector<int64_t> dense = denseStrides(view), shape, strides;
  for (int64_t axis : perm) {
    shape.push_back(view[axis]);
    strides.push_back(dense[axis]);
  }
  return axesInto(shape, strides);
}

SmallVector<CopyAxis> compass::mergedAxes(ArrayRef<CopyAxis> axes) {
  SmallVector<CopyAxis> merged;
  for (const CopyAxis &axis : axes) {
    if (axis.length == 1)
      continue;
    if (!merged.empty() &&
        merged.back().fromStride == axis.fromStride * axis.length &&
        merged.back().toStride == axis.toStride * axis.length)
      merged.back() = {merged.back().length * axis.length, axis.fromStride,
                       axis.toStride};
    else
      merged.push_back(axis);
  }
  return merged;
}

bool compass::fitsOneCopy(ArrayRef<CopyAxis> axes) {
  return mergedAxes(axes).size() <= kernels::kMaxRank;
}

LogicalResult compass::appendCopy(Operation *op, LayerProgram &program,
                                  ArrayRef<CopyAxis> axes,
                                  const CopyEnds &ends) {
  if (!fitsOneCopy(axes))
    return layerError(op, diag::OpUnsupported, "layer_top_shape",
                      "more than " + Twine(kernels::kMaxRank) +
                          " axes are not supported yet");
  SmallVector<CopyAxis> merged = mergedAxes(axes);
  kernels::CopyParams p;
  p.elemBytes = kernels::dtypeBytes(describe(op, program, ends.to).dtype);
  p.rank = merged.size();
  p.srcOffset = int32_t(ends.fromOffset);
  for (auto [i, axis] : llvm::enumerate(merged)) {
    p.dims[i] = uint32_t(axis.length);
    p.srcStride[i] = int32_t(axis.fromStride);
    p.dstStride[i] = int32_t(axis.toStride);
  }
  KernelCall &call = program.call<kernels::Copy>(p);
  call["input"] = ends.from;
  call["output"] = ends.to;
  return success();
}
