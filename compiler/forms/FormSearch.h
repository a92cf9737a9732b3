//===- FormSearch.h - Which forms make a network fastest ------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A layer alone does not show whether a form pays: Winograd's weights are 4/3
// or 16/9 as large, and a network that waits for weights does not gain from
// fewer multiplications. So the search measures whole networks, with layers in
// one form or another, and keeps the fastest. It is never slower than the
// network of direct layers, which is one of those tried.
//
//   FormSearch search([&](const FormChoice &choice) {
//     ... compile, simulate: std::optional<NetworkCycles> ... });
//   const NetworkCycles *direct = search.cyclesOf(FormChoice(numLayers));
//   std::optional<FormChoice> best = search.fastest(allowed);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_FORMS_FORMSEARCH_H
#define YARROW_COMPILER_FORMS_FORMSEARCH_H

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <vector>

namespace yarrow {

/// The form of every convolution of a network: 0 is direct.
using FormChoice = std::vector<uint8_t>;

/// What one choice takes.
struct NetworkCycles {
  uint64_t total = 0;
  std::vector<uint64_t> layers; ///< Of each convolution.
};

class FormSearch {
public:
  /// Nullopt after errors.
  using Measure =
      std::function<std::optional<NetworkCycles>(const FormChoice &)>;
  /// By convolution: the forms other than the direct one that it may have.
  using Allowed = std::vector<std::vector<uint8_t>>;

  explicit FormSearch(Measure measure) : measure(std::move(measure)) {}

  /// Measures each choice once; null after errors.
  const NetworkCycles *cyclesOf(const FormChoice &choice);

  /// The choice with the fewest cycles that is reached from no other form, from
  /// one form wherever it is allowed, and from what is best for each layer by
  /// itself, by changing one layer at a time, and by giving one layer's gain
  /// up for another's. Among equals the one with fewer changed layers. Nullopt
  /// after errors.
  std::optional<FormChoice> fastest(const Allowed &allowed);

private:
  /// Where climbing starts; empty after errors.
  std::vector<FormChoice> starts(const Allowed &allowed);
  /// Takes \p choice as the best one if it is. False after errors.
  bool tryChoice(const FormChoice &choice, FormChoice &best);
  /// Changes a layer at a time until no change makes \p best faster.
  bool climb(const Allowed &allowed, FormChoice &best);
  /// Makes one layer direct and gives another one a form, each against each.
  bool exchange(const Allowed &allowed, FormChoice &best);

  Measure measure;
  std::map<FormChoice, NetworkCycles> known;
};

} // namespace yarrow

#endif // YARROW_COMPILER_FORMS_FORMSEARCH_H
