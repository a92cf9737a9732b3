//===- CalibrationRanges.cpp - What a calibration knows of ranges ---------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "dialects/compass/Layers.h"
#include "quantizer/calibrate/Calibrate.h"

#include <algorithm>

using namespace yarrow::compass;

namespace yarrow {

Calibration Calibration::forCopy(const mlir::IRMapping &map) const {
  Calibration copy;
  copy.samples = samples;
  copy.isMadeUp = isMadeUp;
  copy.rangesInIr = rangesInIr;
  copy.batchSize = batchSize;
  for (const auto &[value, observer] : observers)
    if (mlir::Value copied = map.lookupOrNull(value))
      copy.observers.try_emplace(copied, observer);
  for (const auto &[where, observer] : between)
    if (mlir::Operation *copied = map.lookupOrNull(where.first))
      copy.between.try_emplace({copied, where.second}, observer);
  for (const auto &[value, range] : rangesSet)
    if (mlir::Value copied = map.lookupOrNull(value))
      copy.rangesSet.try_emplace(copied, range);
  for (mlir::Value value : masked)
    if (mlir::Value copied = map.lookupOrNull(value))
      copy.masked.insert(copied);
  for (const auto &[op, ranges] : weightsSet)
    if (mlir::Operation *copied = map.lookupOrNull(op))
      copy.weightsSet.try_emplace(copied, ranges);
  for (const auto &[value, encoding] : encodings)
    if (mlir::Value copied = map.lookupOrNull(value))
      copy.encodings.try_emplace(copied, encoding);
  for (const auto &[op, channels] : weightEncodings)
    if (mlir::Operation *copied = map.lookupOrNull(op))
      copy.weightEncodings.try_emplace(copied, channels);
  return copy;
}

void Calibration::setMasked(mlir::Value value, FloatRange range) {
  setRange(value, range);
  masked.insert(value);
}

void Calibration::setRange(mlir::Value value, FloatRange range) {
  if (!isMasked(value))
    rangesSet[value] = {std::min(range.min, 0.0f), std::max(range.max, 0.0f)};
}

void Calibration::setWeightRanges(mlir::Operation *op,
                                  std::vector<FloatRange> ranges) {
  weightsSet[op] = std::move(ranges);
}

std::optional<FloatRange>
Calibration::weightRangeSet(mlir::Operation *op,
                            std::optional<std::size_t> channel) const {
  auto it = weightsSet.find(op);
  if (it == weightsSet.end() || channel.value_or(0) >= it->second.size())
    return std::nullopt;
  return it->second[channel.value_or(0)];
}

const TensorEncoding *Calibration::encodingOf(mlir::Value value) const {
  auto it = encodings.find(value);
  return it == encodings.end() ? nullptr : &it->second;
}

void Calibration::setWeightEncodings(mlir::Operation *op,
                                     std::vector<TensorEncoding> channels) {
  weightEncodings[op] = std::move(channels);
}

const TensorEncoding *
Calibration::weightEncodingOf(mlir::Operation *op,
                              std::optional<std::size_t> channel) const {
  auto it = weightEncodings.find(op);
  if (it == weightEncodings.end())
    return nullptr;
  const std::vector<TensorEncoding> &channels = it->second;
  if (channels.size() == 1)
    return &channels.front();
  return channel && *channel < channels.size() ? &channels[*channel] : nullptr;
}

bool Calibration::hasRange(mlir::Value value) const {
  return isMadeUp || encodings.contains(value) || rangesSet.contains(value) ||
         observers.contains(value);
}

std::optional<Calibration>
Calibration::forOptions(const QuantizerOptions &options) const {
  if (options.calibrationBatchSize != batchSize)
    return std::nullopt;
  Calibration copy = *this;
  auto follows = [&](mlir::Operation *op, Observer &observer) {
    LayerOptions o = optionsOf(op, options);
    return observer.setStrategy(o.activationStrategy, o.observer);
  };
  for (auto &[value, observer] : copy.observers)
    if (!follows(value.getDefiningOp(), observer))
      return std::nullopt;
  for (auto &[where, observer] : copy.between)
    if (!follows(where.first, observer))
      return std::nullopt;
  return copy;
}

FloatRange Calibration::range(mlir::Value value, unsigned bits,
                              bool symmetric) const {
  if (const TensorEncoding *encoding = encodingOf(value))
    return rangeOf(*encoding);
  if (auto given = rangesSet.find(value); given != rangesSet.end())
    return given->second;
  auto it = observers.find(value);
  return it == observers.end() ? FloatRange{}
                               : it->second.range(bits, symmetric);
}

FloatRange Calibration::range(mlir::Operation *op, llvm::StringRef intermediate,
                              unsigned bits, bool symmetric) const {
  auto it = between.find({op, intermediate.str()});
  return it == between.end() ? FloatRange{} : it->second.range(bits, symmetric);
}

std::optional<FloatRange>
Calibration::weightRangeInIr(mlir::Operation *op,
                             std::optional<std::size_t> channel) const {
  mlir::ElementsAttr weights = tensorKey(op, keys::weights);
  if (!weights || !rangesInIr)
    return std::nullopt;
  return rangesInIr->ofWeights(weights, channel);
}

const Observer *Calibration::observerOf(mlir::Value value) const {
  auto it = observers.find(value);
  return it == observers.end() ? nullptr : &it->second;
}

void Calibration::decideRange(mlir::Value value, FloatRange range) {
  auto it = observers.find(value);
  if (it != observers.end())
    it->second.setRange(range);
}

bool Calibration::hasSeen(mlir::Value value) const {
  const Observer *observer = observerOf(value);
  return observer && !observer->isEmpty();
}

FloatRange Calibration::extrema(mlir::Value value) const {
  auto it = observers.find(value);
  return it == observers.end() ? FloatRange{} : it->second.extrema();
}

} // namespace yarrow
