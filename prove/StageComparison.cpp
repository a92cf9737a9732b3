//===- StageComparison.cpp - Two functions on all sums --------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "prove/StageComparison.h"

#include "prove/StagePieces.h"

#include <algorithm>
#include <cstring>
#include <set>

using namespace yarrow;
using namespace yarrow::prove;
using namespace yarrow::isa;

/// Up to so many results of a stage every sum is tried.
static constexpr uint64_t kFewSums = uint64_t(1) << 21;
/// Results of one run of the engine.
static constexpr size_t kRunElements = size_t(1) << 15;
static constexpr __int128 kMostProduct = __int128(1) << 62;

template <typename T>
static T at(const std::vector<uint8_t> &bytes, size_t index) {
  T value = 0;
  std::memcpy(&value, &bytes[index * sizeof(T)], sizeof(T));
  return value;
}

std::vector<StageChannel> prove::channelsOf(const Conv &conv,
                                            const StageConstants &constants) {
  std::vector<StageChannel> channels(conv.outChannels);
  for (size_t c = 0; c < channels.size(); ++c) {
    StageChannel &channel = channels[c];
    // Of wide biases the low 48 bits count.
    channel.bias = conv.wideBias
                       ? int64_t(at<uint64_t>(constants.bias, c) << 16) >> 16
                       : at<int32_t>(constants.bias, c);
    if (!conv.perChannel) {
      channel.scale = scaleOf(conv);
      channel.shift = conv.shift;
    } else {
      // Bit 31 of a wide one is ignored.
      channel.scale = conv.wideScale
                          ? at<uint32_t>(constants.scales, c) & 0x7fffffff
                          : at<uint16_t>(constants.scales, c);
      channel.shift = at<int8_t>(constants.shifts, c);
    }
    if (!constants.slopes.empty())
      channel.slope = at<int16_t>(constants.slopes, c);
  }
  return channels;
}

namespace {

/// Sums of a channel, one after the other.
class SumList {
public:
  /// All of a range.
  explicit SumList(const SumRange &range)
      : first(range.least), count(uint64_t(range.greatest - range.least) + 1) {}
  explicit SumList(std::vector<int64_t> some)
      : listed(std::move(some)), count(listed.size()) {}

  uint64_t size() const { return count; }
  /// Beyond the end, the last one again.
  int64_t operator[](uint64_t i) const {
    i = std::min(i, count - 1);
    return listed.empty() ? first + int64_t(i) : listed[i];
  }

private:
  int64_t first = 0;
  std::vector<int64_t> listed;
  uint64_t count;
};

class Comparison {
public:
  Comparison(const StageJob &engineJob, const StageJob &job, bool everySum)
      : engineJob(engineJob), job(job), everySum(everySum),
        channels(channelsOf(job.conv, job.constants)),
        table(tableOf(job.conv, job.constants)) {}

  StageFinding run();

private:
  void chooseResiduals();
  void chooseSums();
  std::vector<int64_t> endsOfPieces(size_t channel) const;
  void checkProducts();
  bool isMonotone() const;
  void compare(const StageJob &engine, const Conv &conv,
               std::span<const int32_t> entries);
  bool compareRun(const Conv &conv, std::span<const int32_t> entries,
                  size_t residual);
  void fillLasts(const Conv &conv, std::span<const int32_t> entries);
  void compareBeforeTable();

  const StageJob &engineJob; ///< What the engine is given.
  const StageJob &job;       ///< What is meant.
  bool everySum;
  std::vector<StageChannel> channels;
  std::vector<int32_t> table;
  std::vector<int64_t> residuals;
  std::vector<SumList> sums;
  bool hasEverySum = false;
  // Of a run: sums, what the first part of the stage makes of them, from
  // outMin on, and what the engine gives, by pixel and channel.
  std::vector<int64_t> given;
  std::vector<uint32_t> firsts;
  std::vector<int32_t> found;
  /// The last part by residual for each value of the first, if that is the same
  /// for all channels: many sums become few values.
  std::vector<std::vector<int32_t>> lasts;
  StageFinding finding;
};

} // namespace

std::vector<int32_t> prove::tableOf(const Conv &conv,
                                    const StageConstants &constants) {
  std::vector<int32_t> table;
  for (size_t i = 0; conv.hasLut && i < size_t(1) << conv.lutLog2Items; ++i)
    switch (conv.lutType) {
    case ElementType::I8:
      table.push_back(at<int8_t>(constants.lut, i));
      break;
    case ElementType::U8:
      table.push_back(at<uint8_t>(constants.lut, i));
      break;
    case ElementType::I16:
      table.push_back(at<int16_t>(constants.lut, i));
      break;
    case ElementType::U16:
      table.push_back(at<uint16_t>(constants.lut, i));
      break;
    default:
      table.push_back(at<int32_t>(constants.lut, i));
    }
  return table;
}

/// All of 8 bits; of more, the ends and a few between.
void Comparison::chooseResiduals() {
  residuals = {0};
  if (!job.conv.hasResidual)
    return;
  ElementType type = job.conv.residualType;
  residuals.clear();
  if (elementBytes(type) == 1) {
    int64_t least = type == ElementType::I8 ? -128 : 0;
    for (int64_t r = least; r < least + 256; ++r)
      residuals.push_back(r);
    return;
  }
  bool isWide = elementBytes(type) == 4;
  int64_t least = isWide ? INT32_MIN : type == ElementType::I16 ? -32768 : 0;
  int64_t greatest = isWide                     ? INT32_MAX
                     : type == ElementType::I16 ? 32767
                                                : 65535;
  residuals = {least, greatest};
  for (int64_t r : {0, 1, 255, 12345})
    residuals.push_back(std::min(r, greatest));
  if (least < 0)
    residuals.push_back(-12345);
  finding.notTried = "for second operands of " +
                     std::to_string(8 * elementBytes(type)) + " bits, " +
                     std::to_string(residuals.size()) + " values were tried";
}

std::vector<int64_t> Comparison::endsOfPieces(size_t channel) const {
  StageDefinition stage(job.conv, channels[channel], table);
  auto first = [&](int64_t sum) { return stage.first(sum); };
  const SumRange &range = job.sums[channel];
  // Below and above zero a slope may lead different ways.
  int64_t zero =
      std::clamp(-channels[channel].bias, range.least, range.greatest);
  std::vector<int64_t> ends;
  addEndsOfPieces(range.least, zero - 1, first, ends);
  addEndsOfPieces(zero, range.greatest, first, ends);
  return ends;
}

void Comparison::chooseSums() {
  uint64_t all = 0;
  for (const SumRange &range : job.sums)
    all += (uint64_t(range.greatest - range.least) + 1) * residuals.size();
  hasEverySum = everySum || all <= kFewSums;
  for (size_t c = 0; c < channels.size(); ++c)
    sums.push_back(hasEverySum ? SumList(job.sums[c])
                               : SumList(endsOfPieces(c)));
}

/// The second activation may turn a sum around, and then nothing is known
/// between the ends.
bool Comparison::isMonotone() const {
  const Conv &conv = job.conv;
  if (!conv.hasResidual)
    return true;
  if (conv.sumActivation == Activation::LeakyRelu)
    return conv.slope >= 0;
  return conv.sumActivation != Activation::PRelu ||
         std::none_of(channels.begin(), channels.end(),
                      [](const StageChannel &c) { return c.slope < 0; });
}

static __int128 magnitude(__int128 value) { return value < 0 ? -value : value; }

/// That no product on the way leaves 2^62, where both functions are exact.
void Comparison::checkProducts() {
  const Conv &conv = job.conv;
  __int128 most = 0;
  for (size_t c = 0; c < channels.size(); ++c) {
    SumRange range = job.sums[c] + channels[c].bias;
    __int128 value = range.magnitude();
    if (conv.activation == Activation::LeakyRelu ||
        conv.activation == Activation::PRelu) {
      __int128 slope =
          conv.activation == Activation::PRelu ? channels[c].slope : conv.slope;
      __int128 below = magnitude(slope) * std::max<int64_t>(0, -range.least);
      most = std::max(most, below);
      value = std::max<__int128>(std::max<int64_t>(0, range.greatest),
                                 (below >> conv.slopeShift) + 1);
    }
    most = std::max(most, value * channels[c].scale);
  }
  if (conv.hasResidual) {
    SumScales scales = sumScalesOf(conv);
    __int128 m =
        std::max(magnitude(__int128(conv.outMin) + conv.mainZeroPoint),
                 magnitude(__int128(conv.outMax) + conv.mainZeroPoint));
    __int128 r = 0;
    for (int64_t residual : residuals)
      r = std::max(r, magnitude(__int128(residual) + conv.residualZeroPoint));
    __int128 sum = conv.sumOp == SumOp::Mul
                       ? m * r
                       : m * scales.main + r * scales.residual;
    most = std::max({most, sum, sum * scales.sum});
  }
  if (most > kMostProduct)
    finding.overflow =
        "2^" +
        std::to_string(127 -
                       __builtin_clzll(uint64_t(most >> 64 ? most >> 64 : 1)) -
                       (most >> 64 ? 0 : 63));
}

void Comparison::fillLasts(const Conv &conv, std::span<const int32_t> entries) {
  constexpr int64_t kMost = 1 << 16;
  lasts.clear();
  bool isByChannel =
      conv.hasResidual && conv.sumActivation == Activation::PRelu;
  if (isByChannel || int64_t(conv.outMax) - conv.outMin >= kMost)
    return;
  StageDefinition stage(conv, channels[0], entries);
  for (int64_t residual : residuals) {
    std::vector<int32_t> &last = lasts.emplace_back();
    for (int64_t value = conv.outMin; value <= conv.outMax; ++value)
      last.push_back(int32_t(stage.last(value, residual)));
  }
}

bool Comparison::compareRun(const Conv &conv, std::span<const int32_t> entries,
                            size_t residual) {
  size_t count = channels.size(), at = 0;
  if (lasts.empty()) {
    auto expected = [&](size_t i) {
      return StageDefinition(conv, channels[i % count], entries)
          .last(int64_t(firsts[i]) + conv.outMin, residuals[residual]);
    };
    while (at < given.size() && found[at] == expected(at))
      ++at;
    if (at < given.size())
      finding.expected = expected(at);
  } else {
    const int32_t *last = lasts[residual].data();
    while (at < given.size() && found[at] == last[firsts[at]])
      ++at;
    if (at < given.size())
      finding.expected = last[firsts[at]];
  }
  if (at == given.size())
    return true;
  finding.found = found[at];
  finding.difference = "sum " + std::to_string(given[at]) + " of channel " +
                       std::to_string(at % count);
  if (conv.hasResidual)
    finding.difference += " with " + std::to_string(residuals[residual]);
  return false;
}

void Comparison::compare(const StageJob &engineOf, const Conv &conv,
                         std::span<const int32_t> entries) {
  size_t count = channels.size();
  uint64_t longest = 1;
  for (const SumList &list : sums)
    longest = std::max(longest, list.size());
  auto pixels = uint32_t(std::min<uint64_t>(longest, kRunElements / count + 1));
  StageEngine engine(engineOf.conv, engineOf.constants, pixels);
  fillLasts(conv, entries);
  given.resize(size_t(pixels) * count);
  firsts.resize(given.size());
  for (uint64_t first = 0; first < longest; first += pixels) {
    for (size_t c = 0; c < count; ++c) {
      StageDefinition stage(conv, channels[c], entries);
      for (size_t i = c, p = first; i < given.size(); i += count, ++p) {
        given[i] = sums[c][p];
        firsts[i] = uint32_t(stage.first(given[i]) - conv.outMin);
      }
    }
    engine.setSums(given);
    for (size_t r = 0; r < residuals.size(); ++r) {
      engine.run(residuals[r], found);
      if (!compareRun(conv, entries, r))
        return;
    }
  }
}

/// With a table that changes nothing: else two values that a table takes for
/// one another could hide where the engine goes from one to the other.
void Comparison::compareBeforeTable() {
  std::vector<int32_t> same(size_t(1) << job.conv.lutInputBits);
  for (size_t i = 0; i < same.size(); ++i)
    same[i] = int32_t(int64_t(i) + job.conv.lutInputMin);
  StageJob engine{engineJob.conv, engineJob.constants};
  Conv conv = job.conv;
  for (Conv *c : {&engine.conv, &conv}) {
    c->lutType = ElementType::I32;
    c->lutLog2Items = c->lutInputBits;
  }
  engine.constants.lut.resize(same.size() * sizeof(int32_t));
  std::memcpy(engine.constants.lut.data(), same.data(),
              engine.constants.lut.size());
  compare(engine, conv, same);
}

StageFinding Comparison::run() {
  chooseResiduals();
  checkProducts();
  if (!finding.overflow.empty())
    return finding;
  chooseSums();
  if (!hasEverySum && !isMonotone())
    finding.notTried =
        "their second activation is not monotone, and not every sum was tried";
  if (job.conv.hasLut && !hasEverySum)
    compareBeforeTable();
  if (finding.difference.empty())
    compare(engineJob, job.conv, table);
  for (const SumList &list : sums)
    finding.tried += list.size() * residuals.size();
  return finding;
}

StageFinding prove::compareStage(const StageJob &engine, const StageJob &meant,
                                 bool everySum) {
  return Comparison(engine, meant, everySum).run();
}
