//===- States.cpp - Inputs and outputs that are state ---------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/graph/States.h"
#include "dialects/compass/Tensors.h"
#include "support/Format.h"
#include "support/diagnostics/Import.h"

#include <algorithm>

using namespace yarrow;
using namespace yarrow::graph;

namespace {
struct NamePair {
  std::string past, present;
};
} // namespace

static const NamePair usualPairs[] = {
#define STATE_PAIR(PAST, PRESENT) {PAST, PRESENT},
#include "parser/graph/StatePairs.def"
#undef STATE_PAIR
};

/// What the `*` of \p pattern stands for in \p name; "" of a pattern without
/// one. Nullopt if the name is another.
static std::optional<std::string> matchOf(const std::string &pattern,
                                          const std::string &name) {
  std::size_t star = pattern.find('*');
  if (star == pattern.npos)
    return name == pattern ? std::optional(std::string()) : std::nullopt;
  std::string before = pattern.substr(0, star),
              after = pattern.substr(star + 1);
  if (name.size() <= before.size() + after.size() ||
      !name.starts_with(before) || !name.ends_with(after))
    return std::nullopt;
  return name.substr(before.size(), name.size() - before.size() - after.size());
}

static std::string filledIn(const std::string &pattern,
                            const std::string &text) {
  std::size_t star = pattern.find('*');
  return star == pattern.npos
             ? pattern
             : pattern.substr(0, star) + text + pattern.substr(star + 1);
}

static std::optional<std::size_t> findOutput(const Graph &graph,
                                             const std::string &name) {
  for (std::size_t i = 0; i < graph.outputs.size(); ++i)
    if (graph.outputs[i]->name == name)
      return i;
  return std::nullopt;
}

/// Whether neither is an end of a state already.
static bool areFree(const Graph &graph, const Tensor *past,
                    std::size_t output) {
  return std::ranges::none_of(graph.states, [&](const State &state) {
    return state.past == past || state.output == output;
  });
}

static std::vector<std::string> namesOf(const std::vector<Tensor *> &tensors) {
  std::vector<std::string> names;
  names.reserve(tensors.size());
  for (const Tensor *tensor : tensors)
    names.push_back(tensor->name);
  return names;
}

static std::string listOf(const std::vector<std::string> &names) {
  constexpr std::size_t kMostShown = 8;
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), kMostShown); ++i)
    text += (i ? ", " : "") + names[i];
  return text + (names.size() > kMostShown ? ", ..." : "");
}

/// All pairs that \p pair means. False after errors.
static bool joinPairs(Graph &graph, const NamePair &pair,
                      DiagnosticEngine &diags) {
  std::string text = pair.past + "=" + pair.present;
  bool isAny = false;
  for (Tensor *input : graph.inputs) {
    auto match = matchOf(pair.past, input->name);
    if (!match)
      continue;
    std::string wanted = filledIn(pair.present, *match);
    auto output = findOutput(graph, wanted);
    if (!output) {
      diags
          .report(diag::ImportState, {graph.file},
                  "the state " + input->name + " becomes " + wanted +
                      ", which is not an output")
          .found(text)
          .expected("one of " + listOf(namesOf(graph.outputs)))
          .suggest(wanted, namesOf(graph.outputs));
      return false;
    }
    if (!areFree(graph, input, *output)) {
      diags
          .report(diag::ImportState, {graph.file},
                  input->name + " or " + wanted + " already belongs to a state")
          .found(text)
          .expected("at most one state for each input and output");
      return false;
    }
    graph.states.push_back({input, *output});
    isAny = true;
  }
  if (isAny)
    return true;
  diags
      .report(diag::ImportState, {graph.file},
              "no input matches the name of the state")
      .found(text)
      .expected("PAST=PRESENT, where PAST is one of " +
                listOf(namesOf(graph.inputs)))
      .suggest(pair.past, namesOf(graph.inputs));
  return false;
}

static void guessStates(Graph &graph) {
  for (Tensor *input : graph.inputs)
    for (const NamePair &pair : usualPairs) {
      auto match = matchOf(pair.past, input->name);
      auto output = match ? findOutput(graph, filledIn(pair.present, *match))
                          : std::nullopt;
      if (!output || !areFree(graph, input, *output))
        continue;
      graph.states.push_back({input, *output, nullptr, /*isGuessed=*/true});
      break;
    }
}

bool graph::nameStates(Graph &graph, const std::vector<std::string> &pairs,
                       DiagnosticEngine &diags) {
  if (pairs.size() == 1 && pairs[0] == "none") {
    graph.states.clear();
    return true;
  }
  if (pairs.empty())
    guessStates(graph);
  bool ok = true;
  for (const std::string &pair : pairs) {
    std::size_t equals = pair.find('=');
    ok &= joinPairs(graph,
                    {pair.substr(0, equals),
                     equals == pair.npos ? "" : pair.substr(equals + 1)},
                    diags);
  }
  return ok;
}

static std::string typeText(const Tensor &tensor) {
  std::string shape = tensor.shape ? shapeText(*tensor.shape) : "[?]";
  std::string type = tensor.type ? compass::dtypeName(*tensor.type).str() : "?";
  return type + shape;
}

static bool isSameType(const Tensor &past, const Tensor &present) {
  return past.type == present.type && past.shape == present.shape;
}

/// Of a model that stores what it computes in one way and takes it in another:
/// a change of scale.
static void storeAsPast(Graph &graph, const State &state) {
  Tensor *&present = graph.outputs[state.output];
  if (present->quantization == state.past->quantization)
    return;
  Tensor *stored = graph.addTensor(present->name + "_kept");
  stored->setType(*state.past->type, *state.past->shape);
  stored->quantization = state.past->quantization;
  graph.addNode("Identity", {present}, {stored});
  present = stored;
}

bool graph::checkStates(Graph &graph, DiagnosticEngine &diags) {
  std::erase_if(graph.states, [&](const State &state) {
    return state.isGuessed &&
           !isSameType(*state.past, *graph.outputs[state.output]);
  });
  std::string guessed;
  bool ok = true;
  for (const State &state : graph.states) {
    const Tensor &past = *state.past, &present = *graph.outputs[state.output];
    if (state.isGuessed)
      guessed += (guessed.empty() ? "" : ", ") + past.name + "=" + present.name;
    if (isSameType(past, present)) {
      storeAsPast(graph, state);
      continue;
    }
    ok = false;
    diags
        .report(diag::ImportState, {graph.file},
                "the state " + past.name + " does not have the type of " +
                    present.name + ", which it becomes")
        .found(typeText(past))
        .expected(typeText(present));
  }
  if (!guessed.empty())
    diags
        .report(diag::ImportStateFound, {graph.file},
                "by their names, these inputs and outputs are kept on the "
                "device as state")
        .found(guessed)
        .hint("keep them as inputs and outputs with --state none, or name "
              "others with --state PAST=PRESENT");
  return ok;
}
