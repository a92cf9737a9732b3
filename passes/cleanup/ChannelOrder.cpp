//===- ChannelOrder.cpp - Channels of a result in another order -----------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "passes/cleanup/ChannelOrder.h"

#include "dialects/compass/LayerKeys.h"
#include "dialects/compass/Layers.h"
#include "dialects/compass/ZeroPoints.h"
#include "dialects/compass/movement/MovementOps.h"
#include "dialects/compass/rearrange/RearrangeOps.h"
#include "mlir/IR/TypeUtilities.h"
#include "passes/cleanup/CleanupPatterns.h"

#include <cstring>

using namespace yarrow::compass;
using namespace mlir;

namespace yarrow::cleanup {

SmallVector<int64_t> shuffledOrder(Operation *shuffle) {
  int64_t channels = shapeOf(shuffle->getOperand(0)).back();
  int64_t group = intKey(shuffle, keys::group), size = channels / group;
  SmallVector<int64_t> order;
  for (int64_t c = 0; c < channels; ++c)
    order.push_back(c % group * size + c / group);
  return order;
}

/// Of a slice that takes all of the other axes.
static std::optional<SmallVector<int64_t>> slicedChannels(SliceOp op) {
  ArrayRef<int64_t> in = shapeOf(op->getOperand(0)),
                    out = shapeOf(op->getResult(0));
  SmallVector<int64_t> begin = intsKey(op, keys::begin),
                       strides = intsKey(op, keys::strides);
  strides.resize(strides.empty() ? in.size() : strides.size(), 1);
  if (in.drop_back() != out.drop_back() || begin.size() != in.size() ||
      strides.size() != in.size() ||
      llvm::any_of(strides, [](int64_t step) { return step <= 0; }))
    return std::nullopt;
  int64_t first = begin.back() < 0 ? begin.back() + in.back() : begin.back();
  if (first < 0 || first >= in.back())
    return std::nullopt;
  SmallVector<int64_t> channels;
  for (int64_t c = 0; c < out.back(); ++c)
    channels.push_back(first + c * strides.back());
  return channels;
}

std::optional<PickedChannels> pickedChannels(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op || !llvm::isa<SliceOp, ChannelShuffleOp>(op) ||
      getElementTypeOrSelf(op->getOperand(0)) != getElementTypeOrSelf(value))
    return std::nullopt;
  PickedChannels picked{op->getOperand(0), {}};
  if (auto slice = dyn_cast<SliceOp>(op)) {
    auto channels = slicedChannels(slice);
    if (!channels)
      return std::nullopt;
    picked.channels = std::move(*channels);
    return picked;
  }
  auto count = std::size_t(shapeOf(value).back());
  SmallVector<int64_t> order = shuffledOrder(op);
  picked.channels.assign(ArrayRef(order).slice(
      cast<OpResult>(value).getResultNumber() * count, count));
  return picked;
}

std::optional<ConstantView> filtersWithZero(Operation *conv) {
  ElementsAttr weights = tensorKey(conv, keys::weights);
  auto view = weights ? viewConstant(weights) : std::nullopt;
  if (!view || view->shape.size() != 4 || dtypeIsFloat(view->dtype) ||
      boolKey(conv, keys::with_winograd) || hasWeightZeroPoint(conv))
    return std::nullopt;
  return view;
}

ElementsAttr
withInputs(Operation *conv, const ConstantView &some, int64_t all,
           function_ref<int64_t(int64_t output, int64_t input)> inputOf) {
  SmallVector<int64_t> shape = some.shape;
  shape.back() = all;
  int64_t taps = shape[1] * shape[2];
  auto size = std::size_t(kernels::dtypeBytes(some.dtype));
  std::vector<char> bytes(std::size_t(shape[0] * taps * all) * size, 0);
  const char *from = some.bytes.data();
  for (int64_t row = 0; row < shape[0] * taps; ++row)
    for (int64_t i = 0; i < some.shape.back(); ++i, from += size)
      std::memcpy(bytes.data() +
                      std::size_t(row * all + inputOf(row / taps, i)) * size,
                  from, size);
  return makeConstant(conv->getContext(),
                      (layerNameOf(conv) + ".weights").str(), shape,
                      some.storedType(), std::move(bytes));
}

static int64_t channelsOf(Operation *layer) {
  return shapeOf(layer->getResult(0)).back();
}

/// A constant with a row for each channel. A splat has any order.
static bool isPerChannel(Attribute attr, int64_t channels) {
  auto elements = dyn_cast<ElementsAttr>(attr);
  return elements && !elements.isSplat() &&
         elements.getShapedType().getRank() > 0 &&
         elements.getShapedType().getDimSize(0) == channels;
}

bool canReorderChannels(Operation *layer) {
  int64_t channels = channelsOf(layer);
  // A table's entries could be taken for channels.
  return !layer->hasAttr(keys::lut) && !boolKey(layer, keys::with_winograd) &&
         llvm::all_of(layer->getAttrs(), [&](NamedAttribute attr) {
           return !isPerChannel(attr.getValue(), channels) ||
                  viewConstant(cast<ElementsAttr>(attr.getValue()));
         });
}

static ElementsAttr withRows(Operation *layer, NamedAttribute attr,
                             ArrayRef<int64_t> from) {
  auto elements = cast<ElementsAttr>(attr.getValue());
  ConstantView view = *viewConstant(elements);
  std::size_t row = view.bytes.size() / from.size();
  std::vector<char> bytes(view.bytes.size());
  for (auto [to, channel] : llvm::enumerate(from))
    std::memcpy(bytes.data() + to * row,
                view.bytes.data() + std::size_t(channel) * row, row);
  return makeConstant(
      layer->getContext(),
      (layerNameOf(layer) + "." + attr.getName().strref()).str(), view.shape,
      view.storedType(), std::move(bytes));
}

void reorderChannels(Operation *layer, ArrayRef<int64_t> from) {
  int64_t channels = channelsOf(layer);
  SmallVector<NamedAttribute> attributes(layer->getAttrs());
  for (NamedAttribute attr : attributes)
    if (isPerChannel(attr.getValue(), channels))
      layer->setAttr(attr.getName(), withRows(layer, attr, from));
}

} // namespace yarrow::cleanup
