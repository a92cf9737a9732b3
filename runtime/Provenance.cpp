//===- Provenance.cpp - What an executable tells about its origin ---------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "runtime/Provenance.h"

#include "isa/ElfLayout.h"
#include "support/JsonFile.h"
#include "support/diagnostics/Executables.h"
#include <algorithm>

using namespace yarrow;
using namespace yarrow::runtime;
using nlohmann::json;

namespace {
/// Takes values out of JSON. One that is missing or of another kind is a
/// problem, of which the first is kept: a report that leaves something out, or
/// a size taken for zero, would be believed.
class Reader {
public:
  explicit Reader(std::string &problem) : problem(problem) {}

  std::string text(const json &object, const char *key) {
    const json *value = find(object, key, "a text", &json::is_string);
    return value ? value->get<std::string>() : "";
  }
  int64_t number(const json &object, const char *key, int64_t lowest,
                 int64_t highest) {
    const json *value =
        find(object, key, "a whole number", &json::is_number_integer);
    if (!value)
      return lowest;
    // A number above INT64_MAX is kept unsigned and would wrap.
    bool isLarge = value->is_number_unsigned() &&
                   value->get<uint64_t>() > uint64_t(INT64_MAX);
    int64_t n = isLarge ? INT64_MAX : value->get<int64_t>();
    if (isLarge || n < lowest || n > highest) {
      fail(key, value->dump() + " is out of range");
      return lowest;
    }
    return n;
  }
  /// Of bytes, lines and the like: far from where sums overflow.
  uint64_t count(const json &object, const char *key) {
    return uint64_t(number(object, key, 0, int64_t(1) << 53));
  }
  double real(const json &object, const char *key) {
    const json *value = find(object, key, "a number", &json::is_number);
    return value ? value->get<double>() : 0;
  }
  /// Of what executables did not have from the beginning.
  const json &listIfThere(const json &object, const char *key) {
    static const json none = json::array();
    return object.is_object() && object.contains(key) ? list(object, key)
                                                      : none;
  }
  const json &list(const json &object, const char *key) {
    static const json none = json::array();
    const json *value = find(object, key, "a list", &json::is_array);
    return value ? *value : none;
  }
  void flag(const json &object, const char *key, bool &value) {
    if (const json *found =
            find(object, key, "true or false", &json::is_boolean))
      value = found->get<bool>();
  }
  bool has(const json &object, const char *key) {
    return object.is_object() && object.contains(key);
  }
  std::vector<std::string> texts(const json &object, const char *key) {
    std::vector<std::string> result;
    for (const json &item : list(object, key)) {
      if (!item.is_string())
        fail(key, "is not a list of texts");
      else
        result.push_back(item.get<std::string>());
    }
    return result;
  }
  void fail(const std::string &key, const std::string &what) {
    if (problem.empty())
      problem = "\"" + key + "\" " + what;
  }

private:
  template <typename Is>
  const json *find(const json &object, const char *key, const char *kind,
                   Is is) {
    auto it = object.is_object() ? object.find(key) : object.end();
    if (it != object.end() && ((*it).*is)())
      return &*it;
    fail(key, std::string("is not ") + kind);
    return nullptr;
  }

  std::string &problem;
};

class ProvenanceParser {
public:
  ProvenanceParser(const json &root, Provenance &p)
      : root(root), p(p), read(problem) {}

  /// What is wrong, or "".
  std::string parse() {
    p.target = read.text(root, "target");
    p.model = read.text(root, "model");
    if (read.has(root, "source_precision"))
      p.sourcePrecision = read.text(root, "source_precision");
    p.inputs = tensors("inputs");
    p.outputs = tensors("outputs");
    states();
    layers();
    for (const json &item : read.list(root, "tec_steps"))
      p.steps.push_back({layerIndex(item), read.text(item, "kernel"),
                         read.count(item, "pc_begin"),
                         read.count(item, "pc_end"), ranges(item, "reads"),
                         ranges(item, "writes")});
    results();
    options();
    for (const json &item : read.list(root, "sram"))
      p.sram.push_back({read.text(item, "name"), read.count(item, "offset"),
                        read.count(item, "size"),
                        int64_t(read.count(item, "first_step")),
                        int64_t(read.count(item, "last_step"))});
    if (read.has(root, "order"))
      p.order = read.text(root, "order");
    for (const json &item : read.list(root, "regions"))
      p.regions.push_back({read.text(item, "name"), read.count(item, "size")});
    for (const json &item : read.list(root, "variants"))
      p.variants.push_back({shapes(item, "inputs"), shapes(item, "outputs"),
                            read.count(item, "first_layer")});
    p.weightFile = {read.text(root, "weight_file"),
                    read.text(root, "weight_file_digest")};
    return problem;
  }

private:
  std::vector<int64_t> shape(const json &list) {
    std::vector<int64_t> result;
    for (const json &extent : list) {
      if (!extent.is_number_integer())
        read.fail("shape", "is not a list of whole numbers");
      else
        result.push_back(extent.get<int64_t>());
    }
    return result;
  }

  std::vector<std::vector<int64_t>> shapes(const json &item, const char *key) {
    std::vector<std::vector<int64_t>> result;
    for (const json &list : read.list(item, key)) {
      if (!list.is_array())
        read.fail(key, "is not a list of shapes");
      result.push_back(shape(list));
    }
    return result;
  }

  ProvenanceValue tensor(const json &item) {
    return {read.text(item, "name"), read.text(item, "type"),
            shape(read.list(item, "shape")), read.real(item, "scale"),
            read.number(item, "zero_point", INT32_MIN, INT32_MAX)};
  }

  /// Whole numbers from 0 on, \p count of them.
  std::vector<uint64_t> numbers(const json &item, const char *what,
                                size_t count) {
    std::vector<uint64_t> result;
    for (const json &number : item.is_array() ? item : json::array())
      if (number.is_number_unsigned() && number.get<uint64_t>() <= uint64_t(1)
                                                                       << 53)
        result.push_back(number.get<uint64_t>());
    if (result.size() != count || item.size() != count) {
      read.fail(what, "is not " + std::to_string(count) + " whole numbers");
      result.assign(count, 0);
    }
    return result;
  }

  /// A list of numbers that may be left out.
  template <typename T>
  std::vector<T> integers(const json &item, const char *key) {
    std::vector<T> result;
    auto list = item.is_object() ? item.find(key) : item.end();
    if (!item.is_object())
      read.fail("integers", "is not a list of objects");
    else if (list != item.end())
      for (const json &number : list->is_array() ? *list : json::array({""})) {
        if (!number.is_number_integer()) {
          read.fail(key, "is not a list of whole numbers");
          break;
        }
        result.push_back(number.get<T>());
      }
    return result;
  }

  /// Of floats there is none.
  std::optional<std::pair<int64_t, int64_t>> valueRange(const json &item) {
    auto ends = item.find("range");
    if (ends == item.end() || !ends->is_array() || ends->size() != 2 ||
        !(*ends)[0].is_number_integer() || !(*ends)[1].is_number_integer())
      return std::nullopt;
    return std::pair((*ends)[0].get<int64_t>(), (*ends)[1].get<int64_t>());
  }

  ProvenanceRange range(const json &item, const char *what) {
    std::vector<uint64_t> n = numbers(item, what, 3);
    if (n[0] >= isa::kMaxRegions)
      read.fail(what, "has an unknown region");
    return {uint32_t(n[0]), n[1], n[2]};
  }

  std::vector<ProvenanceRange> ranges(const json &item, const char *key) {
    std::vector<ProvenanceRange> result;
    for (const json &entry : read.listIfThere(item, key))
      result.push_back(range(entry, key));
    return result;
  }

  void results() {
    for (const json &item : read.listIfThere(root, "results")) {
      ProvenanceResult r;
      r.name = read.text(item, "name");
      r.type = read.text(item, "type");
      r.shape = shape(read.list(item, "shape"));
      r.layer = layerIndex(item);
      r.place = range(read.list(item, "place"), "place");
      std::vector<uint64_t> command =
          numbers(read.list(item, "command"), "command", 2);
      bool isQueue = command[0] < isa::kNumQueues;
      size_t count =
          isQueue ? p.queueLayers[command[0]].size() : p.steps.size();
      if (command[0] > uint64_t(isa::Unit::Tec) || command[1] >= count)
        read.fail("command", "is not in the program");
      r.unit = isa::Unit(command[0]);
      r.command = command[1];
      p.results.push_back(std::move(r));
    }
  }

  void options() {
    auto it = root.find("options");
    if (it == root.end())
      return;
    read.flag(*it, "optimize", p.options.optimize);
    read.flag(*it, "footprint", p.options.isFootprintWanted);
    p.options.disabled = read.texts(*it, "disabled");
  }

  std::vector<ProvenanceTensor> tensors(const char *key) {
    std::vector<ProvenanceTensor> result;
    for (const json &item : read.list(root, key)) {
      result.push_back(tensorInRegion(item));
      result.back().countedBy = read.number(
          item, "counted_by", -1, int64_t(read.list(root, key).size()) - 1);
    }
    return result;
  }

  ProvenanceTensor tensorInRegion(const json &item) {
    ProvenanceTensor t{tensor(item)};
    t.modelName =
        read.has(item, "model_name") ? read.text(item, "model_name") : t.name;
    if (read.has(item, "quantized"))
      read.flag(item, "quantized", t.isQuantized);
    t.range = valueRange(item);
    t.region = uint32_t(read.number(item, "region", 0, isa::kMaxRegions - 1));
    return t;
  }

  void states() {
    for (const json &item : read.listIfThere(root, "states")) {
      ProvenanceState state{tensorInRegion(item)};
      state.becomes = read.text(item, "becomes");
      state.becomesTensor = read.text(item, "becomes_tensor");
      p.states.push_back(std::move(state));
    }
  }

  void layers() {
    for (const json &item : read.list(root, "layers")) {
      ProvenanceLayer layer{read.text(item, "name"),
                            read.text(item, "type"),
                            read.text(item, "file"),
                            read.count(item, "line"),
                            read.count(item, "macs"),
                            read.count(item, "weight_bytes"),
                            read.count(item, "in_bytes"),
                            read.count(item, "out_bytes"),
                            {},
                            {},
                            {},
                            {},
                            {}};
      if (read.has(item, "on_tecs"))
        layer.onTecs = read.text(item, "on_tecs");
      if (read.has(item, "results")) {
        layer.members = read.texts(item, "members");
        layer.reads = read.texts(item, "reads");
        for (const json &result : read.list(item, "results")) {
          layer.results.push_back(tensor(result));
          layer.ranges.push_back(valueRange(result));
        }
      }
      for (const json &member : read.listIfThere(item, "integers"))
        layer.integers.push_back(
            {integers<int64_t>(member, "biases"),
             integers<int64_t>(member, "scales"),
             integers<int64_t>(member, "shifts"),
             integers<uint32_t>(member, "weights"),
             integers<uint32_t>(member, "table"),
             member.is_object() && read.has(member, "filter")
                 ? read.number(member, "filter", 0, INT32_MAX)
                 : 0});
      if (read.has(item, "attributes"))
        attributes(item, layer);
      p.layers.push_back(std::move(layer));
    }
    const json &queues = read.list(root, "queues");
    if (queues.size() != isa::kNumQueues)
      read.fail("queues", "has " + std::to_string(queues.size()) +
                              " lists, but there are " +
                              std::to_string(isa::kNumQueues) + " queues");
    for (size_t q = 0; q < isa::kNumQueues && q < queues.size(); ++q)
      for (const json &item : queues[q])
        p.queueLayers[q].push_back(layerIndex(item));
  }

  /// Of each member a list of [key, text].
  void attributes(const json &item, ProvenanceLayer &layer) {
    const json &members = read.list(item, "attributes");
    if (members.size() != layer.members.size())
      read.fail("attributes", "does not have a list for each of the members");
    for (const json &member : members) {
      auto &keys = layer.attributes.emplace_back();
      if (!member.is_array())
        read.fail("attributes", "is not a list of lists");
      for (const json &pair : member)
        if (pair.is_array() && pair.size() == 2 && pair[0].is_string() &&
            pair[1].is_string())
          keys.push_back({pair[0], pair[1]});
        else
          read.fail("attributes", "has an entry that is not a key with a text");
    }
  }

  int64_t layerIndex(const json &item) {
    // -1: of no layer, where a network only hands its inputs on.
    return read.number(item, "layer", -1, int64_t(p.layers.size()) - 1);
  }

  const json &root;
  Provenance &p;
  std::string problem;
  Reader read;
};
} // namespace

std::optional<Provenance> runtime::parseProvenance(std::string_view bytes,
                                                   const std::string &fileName,
                                                   DiagnosticEngine &diags) {
  auto malformed = [&](const std::string &message) {
    diags.report(diag::ExecutableMalformed, {fileName}, message)
        .hint("build the executable again with this version of Yarrow");
    return std::nullopt;
  };
  DiagnosticEngine jsonProblems;
  std::optional<json> root = parseJson(bytes, fileName, jsonProblems);
  if (!root || !root->is_object())
    return malformed("the provenance section is not a JSON object");
  auto version = root->find("version");
  if (version == root->end() || *version != isa::kProvenanceVersion)
    return malformed("the provenance section has another version: " +
                     (version == root->end() ? "none" : version->dump()) +
                     ", not " + std::to_string(isa::kProvenanceVersion));
  Provenance p;
  if (std::string problem = ProvenanceParser(*root, p).parse();
      !problem.empty())
    return malformed("in the provenance section, " + problem);
  auto machine = root->find("machine");
  if (machine == root->end() || !machine->is_object())
    return malformed("in the provenance section, \"machine\" is not an object");
  // dump() of text that is no UTF-8 would throw.
  p.machine = isa::parseMachine(
      machine->dump(-1, ' ', false, json::error_handler_t::replace), fileName,
      diags);
  return p.machine ? std::optional(std::move(p)) : std::nullopt;
}

int64_t Provenance::layerAt(uint32_t descriptorOffset) const {
  auto it = std::lower_bound(commandLayers.begin(), commandLayers.end(),
                             std::pair(descriptorOffset, INT64_MIN));
  return it != commandLayers.end() && it->first == descriptorOffset ? it->second
                                                                    : -1;
}

int64_t Provenance::layerOfStep(uint32_t step) const {
  return step < steps.size() ? steps[step].layer : -1;
}

int64_t Provenance::layerOf(CommandId command) const {
  if (command.unit == isa::Unit::Tec)
    return layerOfStep(uint32_t(command.index));
  const std::vector<int64_t> &queue = queueLayers[unsigned(command.unit)];
  return command.index < queue.size() ? queue[command.index] : -1;
}

/// The queues' descriptors lie one queue after the other.
std::optional<CommandId>
Provenance::commandAt(uint32_t descriptorOffset) const {
  auto it = std::lower_bound(commandLayers.begin(), commandLayers.end(),
                             std::pair(descriptorOffset, INT64_MIN));
  if (it == commandLayers.end() || it->first != descriptorOffset)
    return std::nullopt;
  uint64_t index = uint64_t(it - commandLayers.begin());
  for (unsigned q = 0; q < isa::kNumQueues; ++q) {
    if (index < queueLayers[q].size())
      return CommandId{isa::Unit(q), index};
    index -= queueLayers[q].size();
  }
  return std::nullopt;
}

std::optional<uint32_t>
Provenance::descriptorOffsetOf(CommandId command) const {
  if (!isa::isQueue(command.unit) ||
      command.index >= queueLayers[unsigned(command.unit)].size())
    return std::nullopt;
  uint64_t index = command.index;
  for (unsigned q = 0; q < unsigned(command.unit); ++q)
    index += queueLayers[q].size();
  return index < commandLayers.size()
             ? std::optional(commandLayers[index].first)
             : std::nullopt;
}
