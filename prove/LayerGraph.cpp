//===- LayerGraph.cpp - Whose results a layer may read --------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "prove/LayerGraph.h"

#include <map>

using namespace yarrow;
using namespace yarrow::prove;
using namespace yarrow::runtime;

/// What may have values of its operands as they are in its results.
static bool movesData(const std::string &type) {
  static const std::set<std::string> kTypes = {
      "BatchToSpace", "ChannelShuffle", "Concat",       "Crop",
      "DepthToSpace", "Gather",         "GatherND",     "Input",
      "Pad",          "Repeat",         "Reshape",      "ReverseSequence",
      "Slice",        "SpaceToBatch",   "SpaceToDepth", "Split",
      "Tile",         "Transpose",      "Where"};
  return kTypes.contains(type);
}

LayerGraph::LayerGraph(const Executable &e) {
  const Provenance &p = e.provenance();
  size_t count = p.layers.size();
  computes.resize(count);
  for (const ProvenanceLayer &layer : p.layers)
    moves.push_back(movesData(layer.type));
  auto note = [&](int64_t layer) {
    if (layer >= 0)
      computes[size_t(layer)] = true;
  };
  for (int64_t layer : p.queueLayers[unsigned(isa::Unit::TensorEngine)])
    note(layer);
  for (const ProvenanceStep &step : p.steps)
    note(step.layer);
  std::map<std::string, int64_t> makers;
  for (size_t i = 0; i < count; ++i)
    if (e.hasLayer(i))
      for (const ProvenanceValue &result : p.layers[i].results) {
        makers[result.name] = int64_t(i);
        known = true;
      }
  sources.resize(count);
  // Layers are in an order in which they may be computed, so what a layer
  // that computes nothing hands on is known when it is asked for.
  for (size_t i = 0; i < count; ++i) {
    if (!e.hasLayer(i))
      continue;
    for (const std::string &tensor : p.layers[i].reads) {
      auto maker = makers.find(tensor);
      if (maker == makers.end() || maker->second == int64_t(i))
        continue;
      sources[i].insert(maker->second);
      if (handsOn(maker->second))
        sources[i].insert(sources[size_t(maker->second)].begin(),
                          sources[size_t(maker->second)].end());
    }
  }
}

bool LayerGraph::mayRead(int64_t reader, int64_t writer) const {
  if (reader == writer || reader < 0 || writer < 0 ||
      size_t(reader) >= sources.size())
    return true;
  return sources[size_t(reader)].contains(writer);
}
