//===- WinogradSearch.h - Which layers Winograd makes faster --------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Whether Winograd's algorithm pays cannot be told from a layer alone: its
// weights are 16/9 as large, and a network that waits for weights gains nothing
// by multiplying less. So whole networks are compiled and simulated, with some
// layers in one form and some in the other, and the fastest is kept. It is
// never slower than the network without Winograd, which is one of those tried.
//
//   WinogradSearch search(build, machine, options, progress, diags);
//   const WinogradCycles *direct = search.cyclesOf({});
//   std::optional<LayerSet> best = search.fastest(candidates, names);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_DRIVER_WINOGRADSEARCH_H
#define YARROW_COMPILER_DRIVER_WINOGRADSEARCH_H

#include "compiler/driver/CycleCount.h"
#include "support/Progress.h"

#include <functional>
#include <map>
#include <set>
#include <string>

namespace yarrow {

/// Candidates by their numbers.
using LayerSet = std::set<unsigned>;

/// What one choice of layers takes.
struct WinogradCycles {
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
  /// Makes the integer network with these candidates in Winograd's form.
  using Build =
      std::function<mlir::OwningOpRef<mlir::ModuleOp>(const LayerSet &)>;

  WinogradSearch(Build build, const isa::Machine &machine,
                 const CompileOptions &options, Progress *progress,
                 DiagnosticEngine &diags)
      : build(std::move(build)), machine(machine), options(options),
        progress(progress), diags(diags) {}

  /// Compiles and simulates, once for each choice; null after errors.
  const WinogradCycles *cyclesOf(const LayerSet &layers);

  /// The choice with the fewest cycles that is reached from none, from all and
  /// from those that gain by themselves, by changing one layer at a time, and
  /// by exchanging one for another. Among equals the one with fewer layers. \p
  /// names are those of all candidates, by number. Nullopt after errors.
  std::optional<LayerSet> fastest(const LayerSet &candidates,
                                  const std::vector<std::string> &names);

private:
  /// Layers that take fewer cycles in \p with than in \p without.
  static LayerSet gaining(const LayerSet &candidates,
                          const std::vector<std::string> &names,
                          const WinogradCycles &without,
                          const WinogradCycles &with);
  /// Takes \p layers as the best choice if it is. False after errors.
  bool tryChoice(const LayerSet &layers, LayerSet &best);
  /// Changes a layer at a time until no change makes \p best faster.
  bool climb(const LayerSet &candidates, LayerSet &best);
  /// Tries every layer of \p best against every other one.
  bool exchange(const LayerSet &candidates, LayerSet &best);

  Build build;
  const isa::Machine &machine;
  const CompileOptions &options;
  Progress *progress; ///< May be null.
  DiagnosticEngine &diags;
  std::map<LayerSet, WinogradCycles> known;
};

} // namespace yarrow

#endif // YARROW_COMPILER_DRIVER_WINOGRADSEARCH_H
