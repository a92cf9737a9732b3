//===- WinogradSearch.cpp - Which layers Winograd makes faster ------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/driver/WinogradSearch.h"
#include "support/Format.h"

using namespace yarrow;

/// Pairs of more layers than this take too long to try.
static constexpr std::size_t kMostExchanged = 40;

const WinogradCycles *WinogradSearch::cyclesOf(const LayerSet &layers) {
  auto found = known.find(layers);
  if (found != known.end())
    return &found->second;
  mlir::OwningOpRef<mlir::ModuleOp> network = build(layers);
  std::optional<runtime::Report> report =
      countCycles(*network, machine, options, diags);
  if (!report)
    return nullptr;
  WinogradCycles cycles;
  cycles.total = report->cycles;
  for (const runtime::LayerReport &layer : report->layers)
    // "conv + add": the residual add is computed with its convolution.
    cycles.layers[layer.name.substr(0, layer.name.find(" + "))] += layer.cycles;
  if (progress)
    progress->advance(1, formatCount(cycles.total) + " cycles");
  return &known.emplace(layers, std::move(cycles)).first->second;
}

LayerSet WinogradSearch::gaining(const LayerSet &candidates,
                                 const std::vector<std::string> &names,
                                 const WinogradCycles &without,
                                 const WinogradCycles &with) {
  LayerSet set;
  for (unsigned layer : candidates)
    if (with.of(names[layer]) < without.of(names[layer]))
      set.insert(layer);
  return set;
}

bool WinogradSearch::tryChoice(const LayerSet &layers, LayerSet &best) {
  const WinogradCycles *tried = cyclesOf(layers), *least = cyclesOf(best);
  if (!tried || !least)
    return false;
  if (tried->total < least->total ||
      (tried->total == least->total && layers.size() < best.size()))
    best = layers;
  return true;
}

/// Every round but the last ends with fewer cycles than it began with.
bool WinogradSearch::climb(const LayerSet &candidates, LayerSet &best) {
  while (true) {
    const LayerSet before = best;
    for (unsigned layer : candidates) {
      LayerSet changed = best;
      if (!changed.erase(layer))
        changed.insert(layer);
      if (!tryChoice(changed, best))
        return false;
    }
    if (best == before)
      return true;
  }
}

bool WinogradSearch::exchange(const LayerSet &candidates, LayerSet &best) {
  const LayerSet from = best;
  for (unsigned out : from)
    for (unsigned in : candidates) {
      LayerSet changed = from;
      changed.erase(out);
      if (changed.insert(in).second && !tryChoice(changed, best))
        return false;
    }
  return true;
}

std::optional<LayerSet>
WinogradSearch::fastest(const LayerSet &candidates,
                        const std::vector<std::string> &names) {
  const WinogradCycles *none = cyclesOf({}), *all = cyclesOf(candidates);
  if (!none || !all)
    return std::nullopt;
  // Layers share the bus: one that loses may be what makes another one gain.
  LayerSet best;
  for (LayerSet start :
       {LayerSet(), candidates, gaining(candidates, names, *none, *all)})
    if (!climb(candidates, start) || !tryChoice(start, best))
      return std::nullopt;
  // The bytes that a layer's weights cost may be worth more elsewhere.
  while (candidates.size() <= kMostExchanged) {
    const LayerSet before = best;
    if (!exchange(candidates, best) || !climb(candidates, best))
      return std::nullopt;
    if (best == before)
      break;
  }
  return best;
}
