//===- Provenance.cpp - What an executable tells about its origin ---------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "runtime/Provenance.h"

#include "support/JsonFile.h"

using namespace yarrow;
using namespace yarrow::runtime;
using nlohmann::json;

static constexpr int64_t kVersion = 1;

// Values of the wrong kind count as missing: they only make a report poorer.
static std::string text(const json &object, const char *key) {
  auto it = object.is_object() ? object.find(key) : object.end();
  return it != object.end() && it->is_string() ? it->get<std::string>() : "";
}
static int64_t number(const json &object, const char *key, int64_t missing) {
  auto it = object.is_object() ? object.find(key) : object.end();
  return it != object.end() && it->is_number_integer() ? it->get<int64_t>()
                                                       : missing;
}
static uint64_t count(const json &object, const char *key) {
  return uint64_t(std::max<int64_t>(0, number(object, key, 0)));
}
static double real(const json &object, const char *key, double missing) {
  auto it = object.is_object() ? object.find(key) : object.end();
  return it != object.end() && it->is_number() ? it->get<double>() : missing;
}
static const json &list(const json &object, const char *key) {
  static const json none = json::array();
  auto it = object.is_object() ? object.find(key) : object.end();
  return it != object.end() && it->is_array() ? *it : none;
}

static std::vector<ProvenanceTensor> tensors(const json &array) {
  std::vector<ProvenanceTensor> result;
  for (const json &item : array) {
    ProvenanceTensor t;
    t.name = text(item, "name");
    t.type = text(item, "type");
    for (const json &extent : list(item, "shape"))
      t.shape.push_back(extent.is_number_integer() ? extent.get<int64_t>() : 0);
    t.scale = real(item, "scale", 1);
    t.zeroPoint = number(item, "zero_point", 0);
    result.push_back(std::move(t));
  }
  return result;
}

static void readOrigins(const json &root, Provenance &p) {
  for (const json &item : list(root, "layers"))
    p.layers.push_back({text(item, "name"), text(item, "type"),
                        text(item, "file"), count(item, "line"),
                        count(item, "macs"), count(item, "weight_bytes"),
                        count(item, "in_bytes"), count(item, "out_bytes")});
  auto layer = [&](const json &item) {
    int64_t index = number(item, "layer", -1);
    return index >= 0 && index < int64_t(p.layers.size()) ? index : -1;
  };
  const json &queues = list(root, "queues");
  for (size_t q = 0; q < isa::kNumQueues && q < queues.size(); ++q)
    for (const json &item : queues[q])
      p.queueLayers[q].push_back(layer(item));
  for (const json &item : list(root, "tec_steps"))
    p.steps.push_back({layer(item), text(item, "kernel"),
                       count(item, "pc_begin"), count(item, "pc_end")});
  for (const json &item : list(root, "sram"))
    p.sram.push_back({text(item, "name"), count(item, "offset"),
                      count(item, "size"), number(item, "first_step", 0),
                      number(item, "last_step", 0)});
}

std::optional<Provenance> runtime::parseProvenance(std::string_view bytes,
                                                   const std::string &fileName,
                                                   DiagnosticEngine &diags) {
  DiagnosticEngine jsonProblems;
  std::optional<json> root = parseJson(bytes, fileName, jsonProblems);
  if (!root || number(*root, "version", 0) != kVersion) {
    diags
        .report(DiagId::ExecutableMalformed, {fileName},
                "the provenance section is not what this version writes")
        .hint("build the executable again with this version of Yarrow");
    return std::nullopt;
  }
  Provenance p;
  p.target = text(*root, "target");
  p.model = text(*root, "model");
  p.inputs = tensors(list(*root, "inputs"));
  p.outputs = tensors(list(*root, "outputs"));
  readOrigins(*root, p);
  if (auto it = root->find("machine"); it != root->end() && it->is_object()) {
    p.machine = isa::parseMachine(it->dump(), fileName, diags);
    if (!p.machine)
      return std::nullopt;
  }
  return p;
}

int64_t Provenance::layerOf(isa::Queue queue, uint32_t ordinal) const {
  const std::vector<int64_t> &list = queueLayers[unsigned(queue)];
  return ordinal < list.size() ? list[ordinal] : -1;
}

int64_t Provenance::layerOfStep(uint32_t step) const {
  return step < steps.size() ? steps[step].layer : -1;
}
