//===- WinogradSearch.h - Which layers Winograd makes faster --------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Whether Winograd's algorithm pays cannot be told from a layer alone: its
// weights are 4/3 or 16/9 as large, and a network that waits for weights gains
// nothing by multiplying less. So whole networks are compiled and simulated,
// with layers in one form or another, and the fastest is kept. It is never
// slower than the network without Winograd, which is one of those tried.
//
//   WinogradSearch search(build, machine, options, progress, diags);
//   const NetworkCycles *direct = search.cyclesOf(FormChoice(numLayers));
//   std::optional<FormChoice> best = search.fastest(allowed, names);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_DRIVER_WINOGRADSEARCH_H
#define YARROW_COMPILER_DRIVER_WINOGRADSEARCH_H

#include "compiler/driver/CycleCount.h"
#include "support/Progress.h"

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace yarrow {

/// The form of every convolution of a network: 0 is direct.
using FormChoice = std::vector<uint8_t>;

/// What one choice takes.
struct NetworkCycles {
  uint64_t total = 0;
  /// By layer_name. A fused layer counts for its convolution.
  std::map<std::string, uint64_t> layers;

  uint64_t of(const std::string &layer) const {
    auto found = layers.find(layer);
    return found == layers.end() ? 0 : found->second;
  }
};

class WinogradSearch {
public:
  /// Makes the integer network of a choice.
  using Build =
      std::function<mlir::OwningOpRef<mlir::ModuleOp>(const FormChoice &)>;
  /// By convolution: the forms other than the direct one that it may have.
  using Allowed = std::vector<std::vector<uint8_t>>;

  WinogradSearch(Build build, const isa::Machine &machine,
                 const CompileOptions &options, Progress *progress,
                 DiagnosticEngine &diags)
      : build(std::move(build)), machine(machine), options(options),
        progress(progress), diags(diags) {}

  /// Compiles and simulates, once for each choice; null after errors.
  const NetworkCycles *cyclesOf(const FormChoice &choice);

  /// The choice with the fewest cycles that is reached from no Winograd, from
  /// one form wherever it is allowed, and from what is best for each layer by
  /// itself, by changing one layer at a time, and by giving one layer's gain
  /// up for another's. Among equals the one with fewer changed layers. \p names
  /// are those of the layers. Nullopt after errors.
  std::optional<FormChoice> fastest(const Allowed &allowed,
                                    const std::vector<std::string> &names);

private:
  /// Where climbing starts; empty after errors.
  std::vector<FormChoice> starts(const Allowed &allowed,
                                 const std::vector<std::string> &names);
  /// Takes \p choice as the best one if it is. False after errors.
  bool tryChoice(const FormChoice &choice, FormChoice &best);
  /// Changes a layer at a time until no change makes \p best faster.
  bool climb(const Allowed &allowed, FormChoice &best);
  /// Makes one layer direct and gives another one a form, each against each.
  bool exchange(const Allowed &allowed, FormChoice &best);

  Build build;
  const isa::Machine &machine;
  const CompileOptions &options;
  Progress *progress; ///< May be null.
  DiagnosticEngine &diags;
  std::map<FormChoice, NetworkCycles> known;
};

} // namespace yarrow

#endif // YARROW_COMPILER_DRIVER_WINOGRADSEARCH_H
