//===- ChannelOrder.cpp - Channels of a result in another order -----------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "passes/cleanup/ChannelOrder.h"

#include "dialects/compass/LayerKeys.h"
#include "dialects/compass/Layers.h"
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
