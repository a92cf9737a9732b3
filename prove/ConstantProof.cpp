//===- ConstantProof.cpp - Whether constants are those of the IR ----------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "prove/ConstantProof.h"

#include "isa/CommandRules.h"
#include "prove/Sums.h"
#include "support/Digest.h"
#include "support/diagnostics/Proofs.h"
#include <algorithm>

using namespace yarrow;
using namespace yarrow::prove;
using namespace yarrow::isa;
using namespace yarrow::runtime;

/// Where the channels of a command are among those of its layer.
struct ConstantProof::Match {
  size_t first = 0;
  size_t count = 0;              ///< Channels that agree there.
  std::vector<uint32_t> filters; ///< Digests; none in another form.
};

static uint32_t digestOfWords(std::span<const int32_t> words) {
  return uint32_t(digestOf({reinterpret_cast<const char *>(words.data()),
                            words.size() * sizeof(int32_t)}));
}

/// Of each filter, as the provenance has them.
static std::vector<uint32_t> filterDigests(const Conv &conv,
                                           std::span<const uint8_t> weights) {
  std::vector<uint32_t> digests;
  std::vector<int32_t> filter(filterSize(conv));
  for (size_t c = 0; c < conv.outChannels; ++c) {
    for (size_t i = 0; i < filter.size(); ++i)
      filter[i] = int32_t(weightAt(conv, weights, c * filter.size() + i));
    digests.push_back(digestOfWords(filter));
  }
  return digests;
}

/// A number of all channels, or of each.
static int64_t ofChannel(const std::vector<int64_t> &numbers, size_t channel) {
  return numbers.size() == 1 ? numbers[0] : numbers[channel];
}
static bool hasChannels(const std::vector<int64_t> &numbers, size_t count) {
  return numbers.size() == 1 || numbers.size() == count;
}

ConstantProof::Match
ConstantProof::findChannels(const Conv &conv, std::span<const uint8_t> weights,
                            const std::vector<StageChannel> &channels,
                            const ProvenanceIntegers &stated) {
  Match best;
  if (conv.winograd == WinogradMode::None)
    best.filters = filterDigests(conv, weights);
  size_t all = stated.weights.size();
  size_t mostTied = 0;
  for (size_t first = 0; first + channels.size() <= all; ++first) {
    // Filters decide; where several ranges of them are alike, the other
    // integers do.
    size_t count = 0, tied = 0;
    for (size_t c = 0; c < channels.size(); ++c) {
      bool isScaled =
          channels[c].scale == ofChannel(stated.scales, first + c) &&
          channels[c].shift == ofChannel(stated.shifts, first + c);
      count += best.filters.empty()
                   ? isScaled
                   : best.filters[c] == stated.weights[first + c];
      tied += isScaled && channels[c].bias == stated.biases[first + c];
    }
    if (count > best.count || (count == best.count && tied > mostTied)) {
      best.first = first;
      best.count = count;
      mostTied = tied;
    }
  }
  return best;
}

void ConstantProof::compare(const StreamCommand &command, size_t channel,
                            std::string_view what, int64_t found,
                            int64_t expected) {
  if (found != expected)
    problems.report(diag::ProofConstant, command.layer,
                    nameOf(command) + " has another " + std::string(what) +
                        " of channel " + std::to_string(channel) +
                        " than the IR",
                    std::to_string(found), std::to_string(expected));
}

/// A second operand that an elementwise layer adds: its multipliers are those
/// of the result and of each operand.
void ConstantProof::checkSum(const StreamCommand &command, const Conv &conv,
                             const ProvenanceLayer &layer) {
  if (layer.integers.size() < 2)
    return;
  const ProvenanceIntegers &stated = layer.integers.back();
  if (stated.scales.size() != 3 || stated.shifts.size() != 1)
    return;
  SumScales scales = sumScalesOf(conv);
  bool hasOperands =
      (scales.main == stated.scales[1] &&
       scales.residual == stated.scales[2]) ||
      (scales.main == stated.scales[2] && scales.residual == stated.scales[1]);
  if (hasOperands && scales.sum == stated.scales[0] &&
      conv.sumShift == stated.shifts[0])
    return;
  auto text = [](int64_t sum, int64_t a, int64_t b, int64_t shift) {
    return std::to_string(sum) + ", " + std::to_string(a) + ", " +
           std::to_string(b) + " with shift " + std::to_string(shift);
  };
  problems.report(diag::ProofConstant, command.layer,
                  nameOf(command) + " adds with other multipliers than the IR",
                  text(scales.sum, scales.main, scales.residual, conv.sumShift),
                  text(stated.scales[0], stated.scales[1], stated.scales[2],
                       stated.shifts[0]));
}

/// Zero point and limits of what is written are those of the layer's result.
void ConstantProof::checkResult(const StreamCommand &command, const Conv &conv,
                                const ProvenanceLayer &layer) {
  if (conv.hasLut || layer.results.empty() || layer.ranges.empty() ||
      !layer.ranges[0] || layer.results[0].type != name(writtenType(conv)))
    return;
  int64_t zero = conv.hasResidual ? conv.sumZeroPoint : conv.outZeroPoint;
  SumRange limits = conv.hasResidual ? SumRange{conv.sumMin, conv.sumMax}
                                     : SumRange{conv.outMin, conv.outMax};
  auto [least, greatest] = *layer.ranges[0];
  auto text = [](int64_t zeroPoint, int64_t low, int64_t high) {
    return "zero point " + std::to_string(zeroPoint) + ", from " +
           std::to_string(low) + " to " + std::to_string(high);
  };
  if (zero != layer.results[0].zeroPoint || limits.least != least ||
      limits.greatest != greatest)
    problems.report(diag::ProofConstant, command.layer,
                    nameOf(command) +
                        " writes other integers than the layer's result has",
                    text(zero, limits.least, limits.greatest),
                    text(layer.results[0].zeroPoint, least, greatest));
}

void ConstantProof::checkTable(const StreamCommand &command,
                               const ProvenanceLayer &layer,
                               std::span<const int32_t> table) {
  std::vector<uint32_t> stated;
  for (const ProvenanceIntegers &member : layer.integers)
    stated.insert(stated.end(), member.table.begin(), member.table.end());
  if (stated.size() != 1)
    return;
  if (digestOfWords(table) != stated[0])
    problems.report(diag::ProofConstant, command.layer,
                    nameOf(command) + " has another table than the IR");
}

void ConstantProof::check(const StreamCommand &command, const Conv &conv,
                          std::span<const uint8_t> weights,
                          const std::vector<StageChannel> &channels,
                          std::span<const int32_t> table) {
  const auto &layers = e.provenance().layers;
  if (command.layer < 0 || size_t(command.layer) >= layers.size())
    return;
  const ProvenanceLayer &layer = layers[size_t(command.layer)];
  auto notShown = [&](std::string_view why) {
    certificate.addNotShown("constants that are those of the IR", why,
                            layer.name);
  };
  if (layer.integers.empty())
    return notShown("the file does not contain those of the IR");
  const ProvenanceIntegers &stated = layer.integers[0];
  size_t all = stated.weights.size();
  if (all == 0 || !hasChannels(stated.scales, all) ||
      !hasChannels(stated.shifts, all) || stated.biases.size() != all)
    return notShown("the layer has no filters of its own");
  bool isWinograd = conv.winograd != WinogradMode::None;
  // Convolutions with filters as long as the IR's have the IR's.
  bool isSameForm =
      !isWinograd && conv.outChannels <= all &&
      int64_t(filterSize(conv)) == stated.filterElements &&
      (layer.type == "Convolution" || layer.type == "DepthwiseConv" ||
       layer.type == "FullyConnected");
  Match match = findChannels(conv, weights, channels, stated);
  if (!isSameForm && 2 * match.count <= channels.size())
    return notShown("their form differs from the form in the IR");
  ++certificate.stages.statedCommands;
  for (size_t c = 0; c < channels.size(); ++c) {
    size_t channel = match.first + c;
    if (!match.filters.empty() && match.filters[c] != stated.weights[channel])
      problems.report(diag::ProofConstant, command.layer,
                      nameOf(command) + " has another filter of channel " +
                          std::to_string(channel) + " than the IR");
    compare(command, channel, "multiplier", channels[c].scale,
            ofChannel(stated.scales, channel));
    compare(command, channel, "shift", channels[c].shift,
            ofChannel(stated.shifts, channel));
    if (!match.filters.empty()) // Winograd's mode takes something off.
      compare(command, channel, "bias", channels[c].bias,
              stated.biases[channel]);
  }
  if (conv.hasResidual)
    checkSum(command, conv, layer);
  if (conv.hasLut)
    checkTable(command, layer, table);
  checkResult(command, conv, layer);
}
