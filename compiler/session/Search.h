//===- Search.h - The bits of each layer within a budget --------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//   SearchTask task{config, machine, precisions, goal};
//   auto found = session::search(network, task, call);
//   if (found)
//     print(precisionText(found->plan, false, width));
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_SESSION_SEARCH_H
#define YARROW_COMPILER_SESSION_SEARCH_H

#include "compiler/config/BuildConfig.h"
#include "compiler/precision/PrecisionSearch.h"
#include "compiler/session/Network.h"
#include "isa/Machine.h"

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace yarrow::session {

struct SearchTask {
  config::BuildConfig config; ///< Names the files of the calibration samples.
  isa::Machine machine;       ///< Whose cycles count.
  std::vector<Precision> precisions;
  PrecisionGoal goal;
  /// Files of samples that losses are measured with; "": those of the
  /// calibration.
  std::string data = {};
  std::size_t maxSamples = 64;
  /// Percentage points of top1 that the network may lose on data, with the
  /// classes of this file.
  std::optional<double> maxDrop = {};
  std::string label = {};
};

struct FoundPrecisions {
  PrecisionPlan plan;
  QuantizerOptions given; ///< Those of the configuration.
};

/// Nullopt after errors.
std::optional<FoundPrecisions> search(std::shared_ptr<const Network> network,
                                      const SearchTask &task, const Call &call);

} // namespace yarrow::session

#endif // YARROW_COMPILER_SESSION_SEARCH_H
