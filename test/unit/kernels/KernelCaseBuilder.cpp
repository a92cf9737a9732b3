//===- KernelCaseBuilder.cpp - Random calls of every kernel ---------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "test/unit/kernels/KernelCaseBuilder.h"
#include "test/unit/kernels/TypeLimits.h"

#include <algorithm>

using namespace yarrow;
using namespace yarrow::kernels;
using yarrow::testing::KernelCase;
using yarrow::testing::KernelCaseBuilder;
using yarrow::testing::Limits;

/// Per channel if \p channels is not zero and chance has it so.
Requant KernelCaseBuilder::requant(bool hasActivation, bool hasPRelu,
                                   uint32_t channels) {
  Requant r;
  r.outType = random.oneIn(8) ? DType::I32 : smallInt();
  Limits limits = limitsOf(r.outType);
  r.lo = limits.low;
  r.hi = limits.high;
  r.perChannel = channels && flip();
  r.scaleType = random.of({DType::U8, DType::U16});
  r.scale = int32_t(random.below(65536));
  r.shift = int32_t(between(0, 32)) - 4;
  r.zp = r.outType == DType::I32 ? 0 : zeroPoint(r.outType);
  if (!hasActivation)
    return r;
  r.act =
      random.of({Act::None, Act::Relu, Act::Relu6, Act::Clip, Act::LeakyRelu});
  if (hasPRelu && random.oneIn(4))
    r.act = Act::PRelu;
  // Slopes are below 1.
  r.slopeShift = int32_t(between(7, 15));
  r.slope = int32_t(random.below(1u << r.slopeShift));
  r.slopeType = r.slopeShift == 15 ? DType::I16 : DType::I8;
  r.slopeCount = channels && flip() ? channels : 1;
  r.clipMin = around(5000);
  r.clipMax = r.clipMin + int32_t(random.below(30000));
  return r;
}

FloatAct KernelCaseBuilder::floatAct(uint32_t channels) {
  FloatAct act;
  act.act = random.of({Act::None, Act::Relu, Act::Relu6, Act::Clip,
                       Act::LeakyRelu, Act::PRelu});
  act.slope = real(0, 1);
  act.clipMin = real(-2, 0);
  act.clipMax = real(0, 3);
  act.slopeCount = flip() ? channels : 1;
  act.slopeType = floating();
  return act;
}

/// One to four sizes whose product is at most \p elements.
std::vector<uint32_t> KernelCaseBuilder::dims(uint32_t elements) {
  std::vector<uint32_t> sizes(between(1, 4));
  for (uint32_t &size : sizes) {
    size = between(1, std::min(elements, sizes.size() == 1 ? 2000u : 40u));
    elements = std::max(1u, elements / size);
  }
  return sizes;
}

BroadcastShape KernelCaseBuilder::broadcast() {
  std::vector<uint32_t> sizes = dims(1500);
  BroadcastShape shape;
  shape.rank = uint32_t(sizes.size());
  int32_t strideA = 1, strideB = 1;
  for (uint32_t d = shape.rank; d-- > 0;) {
    shape.dims[d] = sizes[d];
    bool repeatsA = random.oneIn(4), repeatsB = random.oneIn(4);
    shape.strideA[d] = repeatsA ? 0 : strideA;
    shape.strideB[d] = repeatsB ? 0 : strideB;
    strideA *= repeatsA ? 1 : int32_t(sizes[d]);
    strideB *= repeatsB ? 1 : int32_t(sizes[d]);
  }
  return shape;
}

std::vector<KernelCase> testing::randomKernelCases(uint64_t seed) {
  KernelCaseBuilder builder(seed);
  builder.addProducts();
  builder.addElementwise();
  builder.addNormalizations();
  builder.addImages();
  builder.addPooling();
  builder.addReductions();
  builder.addCumulations();
  builder.addConversions();
  builder.addMovement();
  builder.addLoops();
  builder.addRearrangements();
  builder.addSequences();
  builder.addSelections();
  builder.addIndexing();
  builder.addScatters();
  builder.addSegments();
  builder.addSuppression();
  builder.addChoices();
  builder.addDecoders();
  builder.addGrids();
  builder.addRegions();
  builder.addPyramids();
  builder.addColours();
  builder.addLists();
  builder.addRoundings();
  builder.addImageBoxes();
  builder.addHashes();
  return builder.cases;
}

std::vector<KernelCase> testing::unaryFloatCases(uint64_t seed) {
  KernelCaseBuilder builder(seed);
#define UNARY(NAME, VALUE) builder.addUnary(UnaryFn::NAME);
#include "kernels/activation/UnaryFn.def"
  return builder.cases;
}

std::vector<uint8_t> testing::caseInputs(uint64_t seed) {
  Random random(seed ^ 0x5eed);
  std::vector<uint8_t> bytes(kCaseSlots * kCaseBytes);
  auto slot = [&](uint32_t index) { return bytes.data() + index * kCaseBytes; };
  auto fill = [&](uint32_t index, auto value) {
    decltype(value()) x;
    for (uint32_t at = 0; at < kCaseBytes; at += sizeof x) {
      x = value();
      std::memcpy(slot(index) + at, &x, sizeof x);
    }
  };
  for (uint32_t k = 0; k < kNoiseSlots; ++k)
    fill(k, [&] {
      // Half-words and words between 1 and 2 of F16 and F32, or anything.
      uint64_t any = random.next();
      return any >> 63 ? any : (any & ~0xff00ff00ff00ff00) | 0x3f003c003f003c00;
    });
  fill(kBiasSlot, [&] { return int32_t(random.below(1 << 21)) - (1 << 20); });
  fill(kShiftSlot, [&] { return int8_t(random.below(24)); });
  fill(kTableSlot, [&] { return int16_t(random.below(1 << 14)); });
  fill(kTapShiftSlot, [&] { return uint8_t(random.below(6)); });
  fill(kBoundsSlot, [&] {
    uint64_t first = random.below(6);
    return first | (first + 1 + random.below(2)) << 32;
  });
  // Groups of 25 entries, keys that fall, any index.
  uint32_t word = 0;
  fill(kRankSlot, [&] {
    uint32_t entry = word / 3, field = word++ % 3;
    return field == 0   ? int32_t(entry / 25)
           : field == 1 ? -int32_t(entry)
                        : int32_t(random.below(200));
  });
  fill(kMultiplierSlot,
       [&] { return int32_t((1u << 30) + random.below(1u << 30)); });
  return bytes;
}
