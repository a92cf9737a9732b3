//===- StoredIntegers.cpp - Integers that may become stored numbers -------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/graph/StoredIntegers.h"
#include "parser/graph/PicksElements.h"
#include "parser/graph/QuantizeNodes.h"
#include <algorithm>
#include <cmath>

using namespace yarrow;
using namespace yarrow::graph;

/// Whether \p node moves integers as it would the numbers that they mean.
static bool moves(const Node &node) {
  return picksElements(node) || (node.op == "Concat" && node.domain.empty());
}

/// The tensors whose elements a node moves.
static std::vector<Tensor *> moved(const Node &node) {
  return node.op == "Concat" ? node.inputs
                             : std::vector<Tensor *>{node.input(0)};
}

StoredIntegers::StoredIntegers(const Graph &graph, const Uses &uses,
                               bool isMain)
    : graph(graph), uses(uses), isMain(isMain) {
  findInputs();
  follow();
  // What does not stay takes with it what is moved from and to it.
  while (std::erase_if(forms, [&](const auto &entry) {
           return !stays(entry.first);
         }) != 0) {
  }
}

/// Inputs and constants are stored as the nodes say that read them.
void StoredIntegers::findInputs() {
  for (const auto &node : graph.nodes) {
    if (!isDequantize(*node))
      continue;
    const Tensor *root = node->input(0);
    for (auto it = uses.writer.find(root);
         it != uses.writer.end() && picksElements(*it->second);
         it = uses.writer.find(root))
      root = it->second->input(0);
    bool isInput =
        isMain && std::ranges::find(graph.inputs, root) != graph.inputs.end();
    if (!root || !root->type || !(isInput || root->constant))
      continue;
    StoredForm form = storedForm(*node, uses);
    if (form.quantization && form.quantization->isPerTensor() &&
        form.quantization->stored == *root->type)
      forms.try_emplace(root, *form.quantization);
  }
}

void StoredIntegers::follow() {
  for (const auto &node : graph.nodes) {
    const Quantization *first = of(node->input(0));
    if (isQuantize(*node)) {
      StoredForm form = storedForm(*node, uses);
      if (form.quantization && form.quantization->isPerTensor() &&
          node->output(0))
        forms.try_emplace(node->output(0), *form.quantization);
    } else if (first && moves(*node)) {
      Quantization form = *first;
      if (std::ranges::all_of(moved(*node), [&](const Tensor *tensor) {
            const Quantization *other = of(tensor);
            return other && *other == form;
          }))
        for (const Tensor *output : node->outputs)
          if (output)
            forms.try_emplace(output, form);
    }
  }
}

/// Whether all that \p mover moves, and gives, may still be stored.
bool StoredIntegers::isMovedTo(const Node &mover) const {
  auto isStored = [&](const Tensor *tensor) { return !tensor || of(tensor); };
  return std::ranges::all_of(moved(mover), isStored) &&
         std::ranges::all_of(mover.outputs, isStored);
}

bool StoredIntegers::isReadAsNumbers(const Tensor *tensor,
                                     const Node &reader) const {
  if (moves(reader)) {
    // Not as indices or lengths.
    std::vector<Tensor *> data = moved(reader);
    return std::ranges::count(data, tensor) ==
               std::ranges::count(reader.inputs, tensor) &&
           isMovedTo(reader);
  }
  if (!isDequantize(reader) || reader.input(0) != tensor ||
      std::ranges::count(reader.inputs, tensor) != 1)
    return false;
  // Another scale is a factor; another zero point would be a sum.
  const Quantization &own = *of(tensor);
  StoredForm form = storedForm(reader, uses, own.stored);
  if (!form.quantization || !form.quantization->isPerTensor())
    return false;
  float factor = form.quantization->scales[0] / own.scales[0];
  return form.quantization->stored == own.stored &&
         form.quantization->zeroPoints == own.zeroPoints && factor > 0 &&
         std::isfinite(factor);
}

bool StoredIntegers::stays(const Tensor *tensor) const {
  if (graph.isOutput(tensor) && !isMain)
    return false;
  auto writer = uses.writer.find(tensor);
  if (writer != uses.writer.end() && !isQuantize(*writer->second) &&
      !isMovedTo(*writer->second))
    return false;
  auto readers = uses.readers.find(tensor);
  return readers == uses.readers.end() ||
         std::ranges::all_of(readers->second, [&](const Node *reader) {
           return isReadAsNumbers(tensor, *reader);
         });
}
