//===- NormMaker.cpp - The layers that stand for a norm's formula ---------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "passes/cleanup/NormMaker.h"

#include "dialects/compass/Layers.h"
#include "dialects/compass/eltwise/EltwiseOps.h"
#include "dialects/compass/movement/MovementOps.h"
#include "dialects/compass/norm/NormOps.h"
#include "passes/cleanup/CleanupPatterns.h"

using namespace yarrow::compass;
using namespace mlir;

namespace yarrow::cleanup {

/// The axis of the channels of a tensor whose images are normalised channel by
/// channel: the last, or the second. The last of [N, T, C] alone is that of a
/// LayerNorm.
static std::optional<int64_t> channelsOfImage(ArrayRef<int64_t> shape,
                                              ArrayRef<int64_t> axes) {
  auto rank = int64_t(shape.size());
  for (int64_t channels : {rank - 1, int64_t(1)}) {
    if (rank < 3 || (channels == 1 && rank < 4))
      continue;
    bool isNorm = true;
    for (int64_t axis = 0; axis < rank; ++axis) {
      bool isReduced = llvm::is_contained(axes, axis);
      bool isKept = axis == 0 || axis == channels;
      isNorm &= shape[std::size_t(axis)] == 1 || isReduced != isKept;
    }
    if (isNorm)
      return channels;
  }
  return std::nullopt;
}

namespace {
struct Groups {
  int64_t channels, count;
};
} // namespace

/// Where \p x is an image whose channels are cut into groups, and each group
/// normalised: [N, G, ...] of [N, C, ...], or [N, ..., G, C/G] of [N, ..., C].
static std::optional<Groups> groupsOf(Value x, ArrayRef<int64_t> axes) {
  auto reshape = x.getDefiningOp<ReshapeOp>();
  if (!reshape)
    return std::nullopt;
  ArrayRef<int64_t> cut = shapeOf(x), image = shapeOf(reshape.getX());
  if (image.size() < 3 || cut.size() < 3 || cut[0] != image[0])
    return std::nullopt;
  auto keepsOnly = [&](int64_t kept) {
    for (auto [axis, length] : llvm::enumerate(cut))
      if (length != 1 && llvm::is_contained(axes, int64_t(axis)) ==
                             (axis == 0 || int64_t(axis) == kept))
        return false;
    return true;
  };
  if (keepsOnly(1) && image[1] % cut[1] == 0)
    return Groups{1, cut[1]};
  auto last = int64_t(image.size()) - 1;
  bool isLastCut =
      cut.size() == image.size() + 1 &&
      cut.take_front(std::size_t(last)) == image.take_front(std::size_t(last));
  if (isLastCut && keepsOnly(last))
    return Groups{last, cut[std::size_t(last)]};
  return std::nullopt;
}

NormMaker::NormMaker(PatternRewriter &rewriter, Operation *op)
    : rewriter(rewriter), op(op), name(tensorNameOf(op->getResult(0))) {
  rewriter.setInsertionPoint(op);
}

Value NormMaker::make(const Spread &spread, ArrayRef<int64_t> axes) {
  if (spread.isCentred) {
    if (auto groups = groupsOf(spread.x, axes))
      return ofGroups(spread, groups->channels, groups->count);
    if (auto channels = channelsOfImage(shapeOf(spread.x), axes))
      return ofChannels(spread, *channels);
  }
  StringRef kind = spread.isCentred ? LayerNormOp::getOperationName()
                                    : RMSNormOp::getOperationName();
  SmallVector<int64_t> affine = llvm::map_to_vector(
      axes, [&](int64_t axis) { return shapeOf(spread.x)[std::size_t(axis)]; });
  return layer(
      kind, spread.x, spread.epsilon, affine,
      rewriter.getNamedAttr(keys::axis, rewriter.getDenseI64ArrayAttr(axes)));
}

Value NormMaker::binary(StringRef method, Value a, Value b, StringRef what) {
  OperationState state(op->getLoc(), EltwiseOp::getOperationName());
  state.addOperands({a, b});
  state.addTypes(op->getResult(0).getType());
  state.addAttribute(keys::method, rewriter.getStringAttr(method));
  return named(rewriter.create(state), what);
}

Value NormMaker::ofChannels(const Spread &spread, int64_t channels) {
  int64_t count = shapeOf(spread.x)[std::size_t(channels)];
  return withChannelsLast(spread.x, channels, [&](Value x) {
    return layer(InstanceNormOp::getOperationName(), x, spread.epsilon, count,
                 {});
  });
}

Value NormMaker::ofGroups(const Spread &spread, int64_t channels,
                          int64_t groups) {
  Value image = spread.x.getDefiningOp<ReshapeOp>().getX();
  int64_t count = shapeOf(image)[std::size_t(channels)];
  Value y = withChannelsLast(image, channels, [&](Value x) {
    return layer(
        GroupNormOp::getOperationName(), x, spread.epsilon, count,
        {rewriter.getNamedAttr(keys::axis, rewriter.getI64IntegerAttr(-1)),
         rewriter.getNamedAttr(keys::group,
                               rewriter.getI64IntegerAttr(groups))});
  });
  auto type = cast<RankedTensorType>(spread.x.getType());
  return named(
      ReshapeOp::create(
          rewriter, op->getLoc(), TypeRange(type), ValueRange(y),
          rewriter.getNamedAttr(
              keys::shape, rewriter.getDenseI64ArrayAttr(type.getShape()))),
      "cut");
}

Value NormMaker::withChannelsLast(Value x, int64_t channels,
                                  llvm::function_ref<Value(Value)> makeLayer) {
  auto rank = int64_t(shapeOf(x).size());
  if (channels == rank - 1)
    return makeLayer(x);
  SmallVector<int64_t> perm, back;
  for (int64_t axis = 0; axis < rank; ++axis)
    if (axis != channels)
      perm.push_back(axis);
  perm.push_back(channels);
  for (int64_t axis = 0; axis < rank; ++axis)
    back.push_back(llvm::find(perm, axis) - perm.begin());
  return transposed(makeLayer(transposed(x, perm, "channels_last")), back,
                    "channels_back");
}

Value NormMaker::transposed(Value x, ArrayRef<int64_t> perm, StringRef what) {
  auto type = cast<RankedTensorType>(x.getType());
  SmallVector<int64_t> shape;
  for (int64_t from : perm)
    shape.push_back(type.getShape()[std::size_t(from)]);
  return named(
      TransposeOp::create(rewriter, op->getLoc(), TypeRange(type.clone(shape)),
                          ValueRange(x),
                          rewriter.getNamedAttr(
                              keys::perm, rewriter.getDenseI64ArrayAttr(perm))),
      what);
}

Value NormMaker::layer(StringRef kind, Value x, double epsilon,
                       ArrayRef<int64_t> affine,
                       ArrayRef<NamedAttribute> keys) {
  OperationState state(op->getLoc(), kind);
  state.addOperands(x);
  state.addTypes(x.getType());
  state.addAttributes(keys);
  state.addAttribute("epsilon", rewriter.getF64FloatAttr(epsilon));
  std::size_t count = 1;
  for (int64_t length : affine)
    count *= std::size_t(length);
  auto fill = [&](StringRef key, float value) {
    state.addAttribute(key, makeConstantOf<float>(
                                rewriter.getContext(),
                                (layerNameOf(op) + "." + key).str(), affine,
                                DType::F32, std::vector<float>(count, value)));
  };
  fill("weights", 1);
  if (kind != RMSNormOp::getOperationName())
    fill("biases", 0);
  return named(rewriter.create(state), "norm");
}

Value NormMaker::named(Operation *made, StringRef what) {
  setTensorName(made, name + "_" + what.str());
  return made->getResult(0);
}

} // namespace yarrow::cleanup
