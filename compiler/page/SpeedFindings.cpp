//===- SpeedFindings.cpp - What the cycles go to --------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/page/FindingParts.h"
#include "compiler/page/PageFindings.h"

#include <algorithm>
#include <map>

using namespace yarrow;
using namespace yarrow::finding;

/// A limit is told that costs such a share of the cycles and of which such a
/// share may be saved, with the layers that have such a share.
static constexpr double kLeastShare = 0.05, kLeastSaved = 0.01,
                        kLeastLayerShare = 0.005;
namespace {

/// What a layer's time may go to (docs/howto/speed.md), and what helps.
struct LimitText {
  const char *limit, *what, *help;
};
constexpr LimitText kLimits[] = {
    {"tec", "on the TECs",
     "Use operators and forms that an engine takes: `yarrow ops NAME` lists "
     "them. Floats always run on the TECs."},
    {"shape", "while the array is partly empty",
     "Use channels in multiples of the array's lanes, or a target with a "
     "smaller array."},
    {"ddr", "waiting for the DDR",
     "Move fewer bytes: 4-bit weights, smaller tensors, or more SRAM (`yarrow "
     "sweep` shows how much)."},
    {"dma", "for copies within the chip",
     "Remove transpositions and pads that the model does not need."},
    {"sram", "reading operands from the SRAM",
     "Use a target with more SRAM bytes per cycle."},
    {"start", "on commands that take longer to start than to run",
     "Use fewer and larger layers."}};

class SpeedDoctor {
public:
  explicit SpeedDoctor(const PageBuild &build) : build(build) {}

  std::vector<PageFinding> find() {
    auto performance = build.report.find("performance");
    if (performance == build.report.end() || !performance->is_object())
      return {};
    run = countOf(*performance, "cycles");
    peak = countOf(*performance, "peak_macs_per_cycle");
    if (!run)
      return {};
    std::map<std::string, std::vector<const Json *>> byLimit;
    for (const Json &layer : performance->at("layers"))
      byLimit[textOrNone(layer, "limit")].push_back(&layer);
    std::vector<std::pair<uint64_t, PageFinding>> found;
    for (const LimitText &limit : kLimits)
      if (auto it = byLimit.find(limit.limit); it != byLimit.end())
        if (auto finding = slowFinding(limit, std::move(it->second)))
          found.push_back(std::move(*finding));
    std::ranges::stable_sort(
        found, [](auto &a, auto &b) { return a.first > b.first; });
    std::vector<PageFinding> findings;
    for (auto &[cycles, finding] : found)
      findings.push_back(std::move(finding));
    return findings;
  }

private:
  /// What the machine needs at least if an engine computes the layer: its
  /// multiplications, its DDR bytes and those of the SRAM.
  uint64_t leastCycles(const Json &layer) const {
    uint64_t least = countOf(layer, "bound_cycles");
    if (build.picture && build.picture->machine.sramBytesPerCycle)
      least = std::max(least, countOf(layer, "sram_bytes") /
                                  build.picture->machine.sramBytesPerCycle);
    return std::min(least, countOf(layer, "cycles"));
  }

  std::string whyOf(const Json &layer, const std::string &limit) const {
    std::string type = textOrNone(layer, "type"),
                onTecs = textOrNone(layer, "on_tecs");
    if (limit == "tec")
      return onTecs.empty() ? "part of " + type +
                                  " runs on the TECs after the engine's part"
                            : onTecs;
    uint64_t cycles = std::max<uint64_t>(1, countOf(layer, "cycles"));
    if (limit == "shape")
      return type + ": " + formatCount(countOf(layer, "macs") / cycles) +
             " MACs per cycle of " + formatCount(peak);
    if (limit == "ddr")
      return type + ": " + formatBytes(countOf(layer, "ddr_bytes")) +
             " over the bus";
    if (limit == "dma" || limit == "sram")
      return type + ": " + formatBytes(countOf(layer, "sram_bytes")) +
             " in the SRAM";
    return type + ": " + formatCount(countOf(layer, "macs")) + " MACs";
  }

  /// With the cycles that it is about.
  std::optional<std::pair<uint64_t, PageFinding>>
  slowFinding(const LimitText &limit, std::vector<const Json *> layers) const {
    auto cyclesOf = [](const Json *l) { return countOf(*l, "cycles"); };
    std::erase_if(layers, [&](const Json *l) {
      return double(cyclesOf(l)) < kLeastLayerShare * double(run);
    });
    std::ranges::stable_sort(layers, [&](const Json *a, const Json *b) {
      return cyclesOf(a) > cyclesOf(b);
    });
    uint64_t cycles = 0, saved = 0, shown = 0;
    PageFinding finding{PageFinding::Subject::Speed, false, "", "", {}, 0};
    for (const Json *layer : layers) {
      uint64_t own = cyclesOf(layer), spared = own - leastCycles(*layer);
      cycles += own;
      saved += spared;
      if (finding.layers.size() == kMostLayers)
        continue;
      shown += own;
      finding.layers.push_back({layer->at("name").get<std::string>(),
                                whyOf(*layer, limit.limit),
                                own,
                                spared,
                                {}});
    }
    if (double(cycles) < kLeastShare * double(run) ||
        double(saved) < kLeastSaved * double(run))
      return std::nullopt;
    finding.isBad =
        double(saved) >= PageThresholds().cycleShare[1] * double(run);
    finding.others = layers.size() - finding.layers.size();
    finding.title = shareText(double(cycles), double(run)) +
                    " of the cycles go by " + limit.what + ", in " +
                    layersText(layers.size());
    if (finding.others)
      finding.title += "; " + shareText(double(shown), double(run)) +
                       " in these " + std::to_string(kMostLayers);
    finding.help = "At best this saves " + formatCount(saved) + " cycles, " +
                   shareText(double(saved), double(run)) + " of the run. " +
                   limit.help;
    return std::pair(cycles, std::move(finding));
  }

  const PageBuild &build;
  uint64_t run = 0, peak = 0;
};

} // namespace

std::vector<PageFinding> yarrow::speedFindings(const PageBuild &build) {
  return SpeedDoctor(build).find();
}
