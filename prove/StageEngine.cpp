//===- StageEngine.cpp - The engine's output stage on chosen sums ---------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "prove/StageEngine.h"

#include "simulator/engine/ConvOutput.h"
#include <cstring>
#include <optional>

using namespace yarrow;
using namespace yarrow::prove;
using namespace yarrow::isa;

namespace {

/// Elements of a type in memory.
void storeAs(ElementType type, int64_t value, uint8_t *to) {
  std::memcpy(to, &value, elementBytes(type)); // little-endian
}

template <typename T>
void loadAll(const uint8_t *from, std::vector<int32_t> &to) {
  for (int32_t &value : to) {
    T element = 0;
    std::memcpy(&element, from, sizeof element);
    value = element;
    from += sizeof element;
  }
}

void loadAs(ElementType type, const uint8_t *from, std::vector<int32_t> &to) {
  switch (type) {
  case ElementType::I8:
    return loadAll<int8_t>(from, to);
  case ElementType::U8:
    return loadAll<uint8_t>(from, to);
  case ElementType::I16:
    return loadAll<int16_t>(from, to);
  case ElementType::U16:
    return loadAll<uint16_t>(from, to);
  default:
    return loadAll<int32_t>(from, to);
  }
}

/// The engine reads; its operands are not const.
uint8_t *bytesOf(const std::vector<uint8_t> &bytes) {
  return const_cast<uint8_t *>(bytes.data());
}

} // namespace

struct StageEngine::Stage {
  Conv conv;
  sim::ConvOperands at;
  size_t elements;
  std::vector<uint8_t> output, residual, partials;
  std::vector<int32_t> sums;
  std::vector<int64_t> wideSums;
  std::optional<sim::ConvOutput> stage; ///< Of all this.

  Stage(const Conv &command, const StageConstants &constants, uint32_t pixels);
  void place(const StageConstants &constants);
  void splitPartials(const std::vector<int64_t> &all);
  void setResidual(int64_t value);
  ElementType type() const { return writtenType(conv); }
  bool hasWideSums() const {
    return elementBytes(conv.inType) == 2 || elementBytes(conv.weightType) == 2;
  }
};

/// A row of pixels, dense, in memory of our own.
StageEngine::Stage::Stage(const Conv &command, const StageConstants &constants,
                          uint32_t pixels)
    : conv(command), elements(size_t(pixels) * command.outChannels) {
  conv.outHeight = 1;
  conv.outWidth = pixels;
  conv.outPixelStride = conv.outChannels * elementBytes(type());
  conv.outRowStride = conv.outPixelStride * pixels;
  uint32_t perPixel = conv.residualPerPixel ? 1 : conv.outChannels;
  conv.residualPixelStride = perPixel * elementBytes(conv.residualType);
  conv.residualRowStride = conv.residualPixelStride * pixels;
  // Vectors may look a little beyond.
  constexpr size_t kTail = 256;
  output.resize(elements * elementBytes(type()) + kTail);
  residual.resize(elements * elementBytes(conv.residualType) + kTail);
  if (conv.accumulateIn)
    partials.resize(elements * sumBytes(conv.inType) + kTail);
  place(constants);
}

void StageEngine::Stage::place(const StageConstants &constants) {
  at.bias = bytesOf(constants.bias);
  at.scales = bytesOf(constants.scales);
  at.shifts = bytesOf(constants.shifts);
  at.slopes = bytesOf(constants.slopes);
  at.lut = bytesOf(constants.lut);
  at.output = output.data();
  at.residual = residual.data();
  at.partials = partials.data();
  stage.emplace(conv, at);
}

/// Half of each sum comes as a partial sum of a command before.
void StageEngine::Stage::splitPartials(const std::vector<int64_t> &all) {
  bool hasSums = !hasWideSums();
  sums.resize(hasSums ? all.size() : 0);
  wideSums.resize(hasSums ? 0 : all.size());
  uint32_t bytes = sumBytes(conv.inType);
  for (size_t i = 0; i < all.size(); ++i) {
    int64_t before = conv.accumulateIn ? all[i] / 2 : 0;
    int64_t now = all[i] - before;
    if (conv.accumulateIn)
      std::memcpy(&partials[i * bytes], &before, bytes);
    if (hasSums)
      sums[i] = int32_t(now);
    else
      wideSums[i] = now;
  }
}

void StageEngine::Stage::setResidual(int64_t value) {
  uint32_t bytes = elementBytes(conv.residualType);
  for (size_t i = 0; i < elements; ++i)
    storeAs(conv.residualType, value, &residual[i * bytes]);
}

StageEngine::StageEngine(const Conv &conv, const StageConstants &constants,
                         uint32_t pixels)
    : stage(std::make_unique<Stage>(conv, constants, pixels)) {}
StageEngine::~StageEngine() = default;

void StageEngine::setSums(const std::vector<int64_t> &sums) {
  stage->splitPartials(sums);
}

void StageEngine::run(int64_t residual, std::vector<int32_t> &results) {
  Stage &s = *stage;
  if (s.conv.hasResidual)
    s.setResidual(residual);
  uint32_t channels = s.conv.outChannels;
  if (s.hasWideSums())
    s.stage->write(s.wideSums.data(), channels, 0, 0, s.conv.outWidth, 0,
                   channels);
  else
    s.stage->write(s.sums.data(), channels, 0, 0, s.conv.outWidth, 0, channels);
  results.resize(s.elements);
  loadAs(s.type(), s.output.data(), results);
}
