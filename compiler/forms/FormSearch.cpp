//===- FormSearch.cpp - Which forms make a network fastest ----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/forms/FormSearch.h"

#include <algorithm>

using namespace yarrow;

/// Exchanges end when so many networks were tried: each costs a compilation,
/// and the first ones gain most.
static constexpr std::size_t kMostTrials = 400;

const NetworkCycles *FormSearch::cyclesOf(const FormChoice &choice) {
  auto found = known.find(choice);
  if (found != known.end())
    return &found->second;
  std::optional<NetworkCycles> cycles = measure(choice);
  return cycles ? &known.emplace(choice, std::move(*cycles)).first->second
                : nullptr;
}

static std::size_t numChanged(const FormChoice &choice) {
  return choice.size() -
         std::size_t(std::count(choice.begin(), choice.end(), 0));
}

bool FormSearch::tryChoice(const FormChoice &choice, FormChoice &best) {
  const NetworkCycles *tried = cyclesOf(choice), *least = cyclesOf(best);
  if (!tried || !least)
    return false;
  if (tried->total < least->total ||
      (tried->total == least->total && numChanged(choice) < numChanged(best)))
    best = choice;
  return true;
}

std::vector<FormChoice> FormSearch::starts(const Allowed &allowed) {
  FormChoice direct(allowed.size()), alone = direct;
  const NetworkCycles *none = cyclesOf(direct);
  if (!none)
    return {};
  std::map<uint8_t, FormChoice> everywhere;
  for (std::size_t layer = 0; layer < allowed.size(); ++layer)
    for (uint8_t form : allowed[layer])
      everywhere.try_emplace(form, direct).first->second[layer] = form;
  std::vector<FormChoice> result = {direct};
  std::vector<uint64_t> least = none->layers;
  for (const auto &[form, choice] : everywhere) {
    const NetworkCycles *cycles = cyclesOf(choice);
    if (!cycles)
      return {};
    for (std::size_t layer = 0; layer < allowed.size(); ++layer)
      if (choice[layer] && cycles->layers[layer] < least[layer]) {
        least[layer] = cycles->layers[layer];
        alone[layer] = form;
      }
    result.push_back(choice);
  }
  result.push_back(alone);
  return result;
}

/// Every round but the last ends with fewer cycles than it began with.
bool FormSearch::climb(const Allowed &allowed, FormChoice &best) {
  while (true) {
    const FormChoice before = best;
    for (std::size_t layer = 0; layer < allowed.size(); ++layer) {
      if (allowed[layer].empty())
        continue;
      FormChoice changed = best;
      changed[layer] = 0;
      if (!tryChoice(changed, best))
        return false;
      for (uint8_t form : allowed[layer]) {
        changed[layer] = form;
        if (!tryChoice(changed, best))
          return false;
      }
    }
    if (best == before)
      return true;
  }
}

bool FormSearch::exchange(const Allowed &allowed, FormChoice &best) {
  const FormChoice from = best;
  for (std::size_t out = 0; out < from.size(); ++out)
    for (std::size_t in = 0; in < from.size() && from[out]; ++in)
      for (uint8_t form : allowed[in]) {
        FormChoice changed = from;
        changed[out] = 0;
        if (in == out || from[in] == form || known.size() >= kMostTrials)
          continue;
        changed[in] = form;
        if (!tryChoice(changed, best))
          return false;
      }
  return true;
}

std::optional<FormChoice> FormSearch::fastest(const Allowed &allowed) {
  // Layers share the bus: one that loses may be what makes another one gain.
  FormChoice best(allowed.size());
  std::vector<FormChoice> from = starts(allowed);
  if (from.empty())
    return std::nullopt;
  for (FormChoice &start : from)
    if (!climb(allowed, start) || !tryChoice(start, best))
      return std::nullopt;
  // The bytes that a layer's weights cost may be worth more elsewhere.
  while (true) {
    const FormChoice before = best;
    if (!exchange(allowed, best) || !climb(allowed, best))
      return std::nullopt;
    if (best == before)
      return best;
  }
}
