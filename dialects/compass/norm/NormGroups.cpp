//===- NormGroups.cpp - Which values are normalised together --------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/norm/NormGroups.h"
#include "dialects/compass/LayerAxes.h"
#include "dialects/compass/LayerKeys.h"
#include "kernels/Elements.h"
#include "support/diagnostics/Operators.h"
#include "llvm/Support/MathExtras.h"

using namespace yarrow;
using namespace yarrow::compass;
using namespace mlir;
using kernels::NormAxes;
using kernels::NormShape;

// A machine has 4 to 16 TECs: groups are cut until there is work for most.
static constexpr int64_t kPieces = 16;
// Columns side by side are cut less: of 16 a loop is unrolled before it can be
// vectorized.
static constexpr int64_t kColumnBlocks = 4, kLeastColumns = 32;
// Longer runs of one group are rows.
static constexpr int64_t kMostGroupColumns = 32;

/// Neighbours of a kind whose weights follow one another become one.
static SmallVector<NormAxis> mergedAxes(ArrayRef<NormAxis> axes) {
  SmallVector<NormAxis> merged;
  for (const NormAxis &axis : axes) {
    if (axis.length == 1)
      continue;
    NormAxis *outer = merged.empty() ? nullptr : &merged.back();
    if (outer && outer->isReduced == axis.isReduced &&
        outer->affineStride == axis.affineStride * axis.length) {
      outer->length *= axis.length;
      outer->affineStride = axis.affineStride;
    } else {
      merged.push_back(axis);
    }
  }
  return merged;
}

static void append(NormAxes &axes, const NormAxis &axis, int64_t stride) {
  assert(axes.rank < kernels::kNormAxes && "kMaxRank is checked");
  axes.dims[axes.rank] = axis.length;
  axes.strides[axes.rank] = stride;
  axes.affineStrides[axes.rank++] = axis.affineStride;
}

/// At least \p least columns, so that all blocks are equal if that can be.
static uint32_t columnsOfBlock(const NormShape &s, uint32_t least) {
  if (s.inner <= least)
    return s.inner;
  uint32_t first = llvm::alignTo(least, s.groupColumns);
  for (uint32_t columns = first; columns <= kernels::kNormColumns;
       columns += s.groupColumns)
    if (s.inner % columns == 0)
      return columns;
  return llvm::alignDown(kernels::kNormColumns, s.groupColumns);
}

/// Chooses how the work is cut (NormShape).
static void cutWork(NormShape &s, int64_t kept, int64_t reduced) {
  int64_t pieces = kept, chunks = reduced;
  if (s.groupColumns) {
    int64_t columns = llvm::divideCeil(kept * s.inner, kColumnBlocks);
    columns =
        std::clamp<int64_t>(columns, kLeastColumns, kernels::kNormColumns);
    s.blockColumns = columnsOfBlock(s, columns);
    pieces *= llvm::divideCeil(s.inner, s.blockColumns);
  } else {
    chunks *= llvm::divideCeil(s.inner, kernels::kChunk);
  }
  s.parts = std::clamp<int64_t>(llvm::divideCeil(kPieces, pieces), 1, chunks);
}

NormShape compass::makeNormShape(ArrayRef<NormAxis> all) {
  SmallVector<NormAxis> axes = mergedAxes(all);
  NormShape s;
  NormAxis inner{1, true};
  if (!axes.empty())
    inner = axes.pop_back_val();
  s.inner = inner.length, s.innerAffineStride = inner.affineStride;
  s.groupColumns = inner.isReduced ? 0 : 1;
  // Short runs of one group, next to those of others: columns.
  bool hasOuterTerms = axes.size() > 1;
  if (inner.isReduced && inner.length <= kMostGroupColumns && hasOuterTerms &&
      axes.back().affineStride == inner.affineStride * inner.length) {
    s.groupColumns = inner.length;
    s.inner *= axes.pop_back_val().length;
  }
  int64_t stride = s.inner, kept = 1, reduced = 1;
  SmallVector<int64_t> strides(axes.size());
  for (size_t i = axes.size(); i-- > 0; stride *= axes[i].length)
    strides[i] = stride;
  for (auto [axis, axisStride] : llvm::zip(axes, strides)) {
    append(axis.isReduced ? s.reduced : s.kept, axis, axisStride);
    (axis.isReduced ? reduced : kept) *= axis.length;
  }
  cutWork(s, kept, reduced);
  return s;
}

LogicalResult compass::checkNormRank(Operation *op) {
  size_t rank = inputShape(op, 0).size();
  if (rank <= kernels::kMaxRank)
    return success();
  return layerError(op, diag::OpUnsupported, "layer_bottom_shape",
                    "more than " + Twine(kernels::kMaxRank) +
                        " axes are not supported yet")
      .found(Twine(rank) + " axes");
}

FailureOr<NormShape> compass::normShapeOf(Operation *op, bool hasWeights) {
  ArrayRef<int64_t> shape = inputShape(op, 0);
  auto axes = axesKey(op, shape.size());
  if (failed(axes) || failed(checkNormRank(op)))
    return failure();
  SmallVector<NormAxis> list;
  for (int64_t length : shape)
    list.push_back({length});
  int64_t stride = hasWeights ? 1 : 0;
  for (int64_t axis : llvm::reverse(*axes)) {
    list[axis].isReduced = true;
    list[axis].affineStride = stride;
    stride *= shape[axis];
  }
  return makeNormShape(list);
}
