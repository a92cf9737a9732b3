//===- PageJson.cpp - The data of a page, small ---------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/page/PageJson.h"

#include <algorithm>
#include <map>

using namespace yarrow;
using Json = nlohmann::ordered_json;

static bool haveEqualKeys(const Json &list) {
  if (list.size() < 2 || !list[0].is_object() || list[0].empty())
    return false;
  return std::all_of(list.begin(), list.end(), [&](const Json &item) {
    if (!item.is_object() || item.size() != list[0].size())
      return false;
    return std::equal(
        item.items().begin(), item.items().end(), list[0].items().begin(),
        [](const auto &a, const auto &b) { return a.key() == b.key(); });
  });
}

Json yarrow::packed(const Json &json) {
  if (json.is_object()) {
    Json object = Json::object();
    for (const auto &[key, value] : json.items())
      object[key] = packed(value);
    return object;
  }
  if (!json.is_array())
    return json;
  if (!haveEqualKeys(json)) {
    Json list = Json::array();
    for (const Json &item : json)
      list.push_back(packed(item));
    return list;
  }
  Json columns = Json::array(), rows = Json::array();
  for (const auto &[key, value] : json[0].items())
    columns.push_back(key);
  for (const Json &item : json) {
    Json &row = rows.emplace_back(Json::array());
    for (const auto &[key, value] : item.items())
      row.push_back(packed(value));
  }
  return {{"columns", std::move(columns)}, {"rows", std::move(rows)}};
}

static Json resultJson(const runtime::ProvenanceValue &result) {
  return {{"name", result.name},
          {"type", result.type},
          {"shape", result.shape},
          {"scale", result.scale},
          {"zero_point", result.zeroPoint}};
}

static Json resultsJson(const std::vector<runtime::ProvenanceValue> &results) {
  Json list = Json::array();
  for (const runtime::ProvenanceValue &result : results)
    list.push_back(resultJson(result));
  return list;
}

/// Inputs or outputs, also by the names that the model gives them.
static Json endsJson(const std::vector<runtime::ProvenanceTensor> &tensors) {
  Json list = Json::array();
  for (const runtime::ProvenanceTensor &tensor : tensors)
    list.emplace_back(resultJson(tensor))["model_name"] = tensor.modelName;
  return list;
}

/// [unit, layers that are computed together] of each layer.
static Json placesJson(const PagePicture &picture) {
  static constexpr const char *kUnits[] = {"tensor", "tec", "dma", "none"};
  Json list = Json::array();
  if (picture.machine.name.empty())
    return list;
  for (const PagePlace &place : picture.places)
    list.push_back({kUnits[unsigned(place.unit)], place.together});
  return list;
}

static Json layersJson(const PagePicture &picture) {
  Json layers = Json::array();
  for (const runtime::ProvenanceLayer &layer : picture.layers)
    layers.push_back({{"name", layer.name},
                      {"type", layer.type},
                      {"file", layer.file},
                      {"line", layer.line},
                      {"weight_bytes", layer.weightBytes},
                      {"in_bytes", layer.inBytes},
                      {"out_bytes", layer.outBytes},
                      {"members", layer.members},
                      {"results", resultsJson(layer.results)}});
  // Of a run the report has these.
  if (!picture.cycles)
    for (std::size_t i = 0; i < layers.size(); ++i) {
      layers[i]["macs"] = picture.layers[i].macs;
      layers[i]["on_tecs"] = picture.layers[i].onTecs;
    }
  return layers;
}

static Json layoutJson(const GraphLayout &layout) {
  Json nodes = Json::array(), edges = Json::array();
  for (const LayoutNode &node : layout.nodes) {
    nodes.push_back(node.corner.x);
    nodes.push_back(node.corner.y);
  }
  for (const LayoutEdge &edge : layout.edges) {
    Json &line = edges.emplace_back(Json{edge.from, edge.to});
    for (const LayoutPoint &point : edge.points) {
      line.push_back(point.x);
      line.push_back(point.y);
    }
  }
  return {{"width", layout.width},
          {"height", layout.height},
          {"node_width", layout.sizes.nodeWidth},
          {"node_height", layout.sizes.nodeHeight},
          {"nodes", std::move(nodes)},
          {"edges", std::move(edges)}};
}

static Json tracksJson(const std::vector<PageTrack> &tracks) {
  Json list = Json::array();
  for (const PageTrack &track : tracks) {
    Json events = Json::array();
    uint64_t last = 0;
    for (const PageEvent &event : track.events) {
      for (uint64_t number :
           {event.startCycle - last, event.endCycle - event.startCycle})
        events.push_back(number);
      events.push_back(event.layer);
      events.push_back(event.kind);
      events.push_back(event.count);
      last = event.startCycle;
    }
    list.push_back({{"name", track.name},
                    {"unit", isa::infoOf(track.unit).mnemonic},
                    {"events", std::move(events)}});
  }
  return list;
}

Json yarrow::pictureJson(const PagePicture &picture) {
  Json names = Json::array(), buffers = Json::array();
  std::map<std::string, std::size_t> numbers;
  for (const PageBuffer &buffer : picture.buffers) {
    auto [it, isNew] = numbers.try_emplace(buffer.name, names.size());
    if (isNew)
      names.push_back(buffer.name);
    for (uint64_t number :
         {uint64_t(it->second), buffer.offset, buffer.sizeBytes,
          buffer.startCycle, buffer.endCycle - buffer.startCycle})
      buffers.push_back(number);
    buffers.push_back(buffer.layer);
  }
  return {{"machine", Json::parse(picture.machine.toJson())},
          {"cycles", picture.cycles},
          {"cores_used", picture.coresUsed},
          {"layers", layersJson(picture)},
          {"places", placesJson(picture)},
          {"inputs", endsJson(picture.inputs)},
          {"outputs", endsJson(picture.outputs)},
          {"layout", layoutJson(picture.layout)},
          {"kinds", picture.kinds},
          {"merged_below_cycles", picture.mergedBelowCycles},
          {"tracks", tracksJson(picture.tracks)},
          {"buffer_names", std::move(names)},
          {"buffers", std::move(buffers)}};
}
