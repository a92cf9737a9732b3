//===- IrRanges.cpp - The ranges that a float IR gives --------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "quantizer/calibrate/IrRanges.h"

#include "dialects/compass/Compass.h"
#include "dialects/compass/ExtraKeys.h"
#include "dialects/compass/Layers.h"
#include "dialects/compass/Records.h"
#include "dialects/compass/Tensors.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string_view>

using namespace yarrow::compass;

namespace yarrow {

/// The numbers of "[[-1.0,1.0],[0,6]]"; none if there is anything else.
static std::vector<double> numbersOf(std::string_view text) {
  std::vector<double> numbers;
  while (true) {
    std::size_t begin = text.find_first_not_of("[], \t");
    if (begin == text.npos)
      return numbers;
    text.remove_prefix(begin);
    const char *end = text.data() + text.size();
    auto [stop, error] =
        std::from_chars(text.data(), end, numbers.emplace_back());
    if (error != std::errc())
      return {};
    text.remove_prefix(std::size_t(stop - text.data()));
  }
}

std::vector<double> numbersOfExtraKey(mlir::Operation *op,
                                      llvm::StringRef name) {
  auto constants = op->getAttrOfType<mlir::DictionaryAttr>(kExtraConstantsAttr);
  auto constant = constants ? constants.getAs<mlir::ElementsAttr>(name)
                            : mlir::ElementsAttr();
  auto view = constant ? viewConstant(constant) : std::nullopt;
  if (!view)
    return numbersOf(extraText(op, name));
  std::vector<double> numbers;
  numbers.reserve(size_t(view->numElements()));
  for (int64_t i = 0; i < view->numElements(); ++i)
    numbers.push_back(view->floatAt(i));
  return numbers;
}

/// Only a finite range that is not upside down is one.
static std::optional<FloatRange> rangeOf(double min, double max) {
  FloatRange range{float(min), float(max)};
  if (!std::isfinite(range.min) || !std::isfinite(range.max) ||
      range.min > range.max)
    return std::nullopt;
  return range;
}

IrRanges IrRanges::of(mlir::ModuleOp module) {
  IrRanges ranges;
  module.walk([&](mlir::Operation *op) {
    if (!recordOf(op))
      return;
    std::vector<double> tops = numbersOfExtraKey(op, "layer_top_range");
    if (tops.size() == 2 * std::size_t(op->getNumResults()))
      for (mlir::OpResult v : op->getResults()) {
        std::size_t at = 2 * v.getResultNumber();
        if (auto range = rangeOf(tops[at], tops[at + 1]))
          ranges.tensors[tensorNameOf(v)] = *range;
      }
    mlir::ElementsAttr weights = tensorKey(op, keys::weights);
    std::vector<double> numbers = numbersOfExtraKey(op, "weights_range");
    // [2], or [2, channels]: all minima come first.
    std::size_t channels = numbers.size() / 2;
    if (!weights || numbers.size() % 2 != 0)
      return;
    std::vector<FloatRange> all;
    for (std::size_t c = 0; c < channels; ++c)
      if (auto range = rangeOf(numbers[c], numbers[channels + c]))
        all.push_back(*range);
    if (channels && all.size() == channels)
      ranges.weightRanges[weights] = std::move(all);
  });
  return ranges;
}

std::optional<FloatRange> IrRanges::ofTensor(llvm::StringRef name) const {
  auto found = tensors.find(name);
  if (found == tensors.end())
    return std::nullopt;
  return found->second;
}

std::optional<FloatRange>
IrRanges::ofWeights(mlir::Attribute weights,
                    std::optional<std::size_t> channel) const {
  auto found = weightRanges.find(weights);
  if (found == weightRanges.end())
    return std::nullopt;
  const std::vector<FloatRange> &all = found->second;
  if (channel && all.size() > 1)
    return *channel < all.size() ? std::optional(all[*channel]) : std::nullopt;
  FloatRange whole = all.front();
  for (const FloatRange &range : all) {
    whole.min = std::min(whole.min, range.min);
    whole.max = std::max(whole.max, range.max);
  }
  return whole;
}

} // namespace yarrow
