//===- PageFindings.h - What is wrong with a build, and where ---*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// What a page says first: which layers the cycles go to and why, what would be
// saved there, and which outputs lose how much by which layers. It is read off
// the report and what is known of the layers, with the thresholds by which
// tables mark their figures.
//
//   for (const PageFinding &finding : findingsOf(build))
//     for (const FoundLayer &layer : finding.layers)
//       link(layer.name, layer.why);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_PAGE_PAGEFINDINGS_H
#define YARROW_COMPILER_PAGE_PAGEFINDINGS_H

#include "compiler/page/PageData.h"

#include <optional>
#include <string>
#include <vector>

namespace yarrow {

/// From which figures on a page marks them. Beyond the second of a pair they
/// are bad, beyond the first one worth a look.
struct PageThresholds {
  double sqnrDb[2] = {20, 10};
  double cosine[2] = {0.99, 0.9};
  double clippedShare[2] = {0.01, 0.05};
  double sameSideShare[2] = {0.99, 0.95};
  /// Of the run's cycles, of layers that take more than the machine needs.
  double cycleShare[2] = {0.05, 0.2};

  nlohmann::ordered_json json() const;
};

/// A layer that a finding is about.
struct FoundLayer {
  std::string name, why;
  std::optional<uint64_t> cycles;      ///< That it takes.
  std::optional<uint64_t> savedCycles; ///< At most, if it is mended.
  std::optional<double> sqnrDb;        ///< Of the layer alone, or as an output.
};

struct PageFinding {
  enum class Subject { Speed, Accuracy } subject;
  bool isBad; ///< Or only worth a look.
  std::string title, help;
  std::vector<FoundLayer> layers; ///< The worst first.
  std::size_t others = 0;         ///< Layers that it is true of as well.
};

/// What the cycles go to, the largest share first.
std::vector<PageFinding> speedFindings(const PageBuild &build);
/// Outputs that lost, and layers that lose.
std::vector<PageFinding> accuracyFindings(const PageBuild &build);
/// Both.
std::vector<PageFinding> findingsOf(const PageBuild &build);

nlohmann::ordered_json findingsJson(const std::vector<PageFinding> &findings);

} // namespace yarrow

#endif // YARROW_COMPILER_PAGE_PAGEFINDINGS_H
