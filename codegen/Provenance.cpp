//===- Provenance.cpp - What the executable says about its origin ---------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "codegen/Provenance.h"
#include "codegen/KeyTexts.h"
#include "codegen/LayerIntegers.h"
#include "dialects/compass/Compass.h"
#include "dialects/compass/Header.h"
#include "dialects/compass/Records.h"
#include "dialects/compass/Tensors.h"
#include "dialects/compass/graph/GraphOps.h"
#include "dialects/compass/graph/Graphs.h"
#include "dialects/compass/graph/ModelNames.h"
#include "dialects/compass/graph/States.h"
#include "dialects/npu/Commands.h"
#include "dialects/npu/ControlFlow.h"
#include "dialects/npu/Target.h"
#include "isa/ElfLayout.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "support/Digest.h"
#include "llvm/ADT/StringMap.h"
#include <nlohmann/json.hpp>

using namespace yarrow;
using namespace mlir;
using Json = nlohmann::ordered_json;

/// \p modelName: what the model calls it. \p countedBy: index of the output
/// that counts it, or -1.
static Json tensorJson(Value v, const std::string &modelName, uint32_t samples,
                       unsigned region, int64_t countedBy = -1) {
  compass::TensorInfo info = compass::describe(v);
  Json shape = Json::array();
  for (int64_t d : info.shape)
    shape.push_back(shape.empty() ? d * samples : d);
  return {{"name", compass::tensorNameOf(v)},
          {"model_name", modelName},
          {"shape", shape},
          {"type", compass::dtypeName(info.dtype).str()},
          {"quantized", info.quantized},
          {"scale", info.scale},
          {"zero_point", info.zp},
          {"range", {info.lo, info.hi}},
          {"region", region},
          {"counted_by", countedBy}};
}

/// Of texts, numbers, and lists and dictionaries of them.
static Json attributeJson(Attribute attr) {
  if (auto text = dyn_cast<StringAttr>(attr))
    return text.str();
  if (auto number = dyn_cast<IntegerAttr>(attr))
    return number.getInt();
  if (auto number = dyn_cast<FloatAttr>(attr))
    return number.getValueAsDouble();
  if (auto list = dyn_cast<ArrayAttr>(attr)) {
    Json json = Json::array();
    for (Attribute entry : list)
      json.push_back(attributeJson(entry));
    return json;
  }
  Json json = Json::object();
  for (NamedAttribute named : cast<DictionaryAttr>(attr))
    json[named.getName().str()] = attributeJson(named.getValue());
  return json;
}

/// A list of [key, text] for each member of a row of the layer table. The
/// layers of a module are beside its commands.
static Json keysOf(const Json &members,
                   const llvm::StringMap<Operation *> &layers) {
  Json all = Json::array();
  for (const Json &member : members) {
    Json &keys = all.emplace_back(Json::array());
    if (auto it = layers.find(member.get<std::string>()); it != layers.end())
      for (const auto &[key, text] :
           keyTexts(it->second, /*withDefaults=*/false))
        keys.push_back({key, text});
  }
  return all;
}

/// What the IR states of the members' constants, and the values that a result
/// may have.
static void addDefinition(const llvm::StringMap<Operation *> &layers,
                          Json &row) {
  Json &integers = row["integers"] = Json::array();
  for (const Json &member : row["members"]) {
    auto it = layers.find(member.get<std::string>());
    integers.push_back(it == layers.end() ? Json::object()
                                          : integersOf(it->second));
    if (it == layers.end())
      continue;
    for (Value value : it->second->getResults())
      for (Json &result : row["results"])
        if (result["name"] == compass::tensorNameOf(value)) {
          compass::TensorInfo info = compass::describe(value);
          if (info.isInteger())
            result["range"] = {info.lo, info.hi};
        }
  }
}

static void addLayers(ModuleOp module, Json &rows) {
  auto table = module->getAttrOfType<ArrayAttr>(npu::kLayersAttr);
  if (!table)
    return;
  llvm::StringMap<Operation *> layers;
  module.walk([&](compass::CompassOp layer) {
    layers.try_emplace(compass::layerNameOf(layer), layer);
  });
  for (Attribute entry : table) {
    Json &row = rows.emplace_back(attributeJson(entry));
    row["attributes"] = keysOf(row["members"], layers);
    addDefinition(layers, row);
  }
}

/// Adds for each command the digit of its queue, 't' for a step of the TECs and
/// '-' for what is none of both.
static void addOrder(func::FuncOp func, std::string &order) {
  npu::forEachCommand(func, [&](Operation *op) {
    if (npu::isControl(op)) {
      order += npu::isDivided(op) ? '-' : 't';
      return;
    }
    isa::Unit unit = *npu::unitOf(op);
    order += isa::isQueue(unit) ? char('0' + unsigned(unit)) : 't';
  });
}

/// Buffers of the SRAM with the commands between which they live. \p position
/// of the first command, and then behind the last.
static void addSram(func::FuncOp func, int64_t &position, Json &map) {
  llvm::DenseMap<Operation *, std::pair<int64_t, int64_t>> use;
  npu::forEachCommand(func, [&](Operation *op) {
    for (Value v : op->getOperands()) {
      auto [it, isNew] = use.insert({v.getDefiningOp(), {position, position}});
      it->second.second = position;
    }
    ++position;
  });
  for (auto buffer : func.getOps<npu::BufferOp>())
    if (auto it = use.find(buffer);
        buffer.getRegion() == isa::kSramRegion && it != use.end())
      map.push_back({{"name", buffer.getBufferName().value_or("").str()},
                     {"offset", buffer.getAddress().value_or(0)},
                     {"size", buffer.getSizeBytes()},
                     {"first_step", it->second.first},
                     {"last_step", it->second.second}});
}

template <typename Values> static Json shapesJson(const Values &values) {
  Json shapes = Json::array();
  for (Value v : values)
    shapes.push_back(llvm::to_vector(compass::describe(v).shape));
  return shapes;
}

/// Shapes of each of several programs, and where its layers begin.
static Json variantsJson(ArrayRef<ModuleOp> modules) {
  Json variants = Json::array();
  int64_t firstLayer = 0;
  for (ModuleOp module : modules) {
    auto source = compass::mainGraph(module);
    variants.push_back({{"inputs", shapesJson(compass::graphInputs(source))},
                        {"outputs", shapesJson(compass::graphOutputs(source))},
                        {"first_layer", firstLayer}});
    if (auto layers = module->getAttrOfType<ArrayAttr>(npu::kLayersAttr))
      firstLayer += int64_t(layers.size());
  }
  return variants;
}

static std::string
digestTextOf(ArrayRef<std::span<const std::byte>> constants) {
  Digest digest;
  for (std::span<const std::byte> part : constants)
    digest.add({reinterpret_cast<const char *>(part.data()), part.size()});
  return digest.text();
}

/// What each step touches, as [region, offset, bytes]. By step.
static std::pair<std::vector<Json>, std::vector<Json>>
stepAccesses(const ProvenanceInput &in) {
  std::vector<Json> reads(in.stepLayers.size(), Json::array()), writes = reads;
  for (const auto &[op, place] : in.places) {
    if (place.unit != isa::Unit::Tec)
      continue;
    for (const npu::Access &access : npu::touchedBy(op)) {
      auto buffer = access.buffer.getDefiningOp<npu::BufferOp>();
      (access.isWrite ? writes : reads)[place.index].push_back(
          {buffer.getRegion(),
           buffer.getAddress().value_or(0) + access.offsetBytes,
           access.sizeBytes});
    }
  }
  return {std::move(reads), std::move(writes)};
}

static Json optionsJson(ModuleOp module) {
  Json disabled = Json::array();
  for (const npu::OptimizationRecord &record : npu::kOptimizations)
    if (npu::isOptimized(module) && !npu::isEnabled(module, record.id))
      disabled.push_back(record.name);
  return {{"optimize", npu::isOptimized(module)},
          {"footprint", npu::isFootprintWanted(module)},
          {"disabled", disabled}};
}

std::string yarrow::provenanceJson(const ProvenanceInput &in) {
  // The tensors of the largest program are those that a driver describes.
  ModuleOp module = in.modules.back();
  auto source = compass::mainGraph(module);
  Json root;
  root["version"] = isa::kProvenanceVersion;
  root["target"] = in.machine.name;
  root["model"] = compass::modelName(module);
  root["source_precision"] =
      compass::headerText(module, compass::kSourcePrecisionKey).str();
  root["machine"] = Json::parse(in.machine.toJson());
  unsigned region = isa::kFirstIoRegion;
  root["inputs"] = Json::array();
  SmallVector<Value> inputs = compass::graphInputs(source);
  std::vector<std::string> inputNames = compass::inputNames(module),
                           outputNames = compass::outputNames(module);
  for (unsigned i : compass::callerInputs(source))
    root["inputs"].push_back(
        tensorJson(inputs[i], inputNames[i], in.samples, region++));
  root["outputs"] = Json::array();
  SmallVector<Value> outputs = compass::callerOutputValues(source);
  for (auto [k, i] : llvm::enumerate(compass::callerOutputs(source))) {
    auto *count = llvm::find(outputs, compass::countOf(outputs[k]));
    root["outputs"].push_back(
        tensorJson(outputs[k], outputNames[i], in.samples, region++,
                   count == outputs.end() ? -1 : count - outputs.begin()));
  }
  for (const compass::GraphState &state : compass::graphStates(source)) {
    Json json =
        tensorJson(state.past, inputNames[state.input], in.samples, region++);
    json["becomes"] = outputNames[state.output];
    json["becomes_tensor"] = compass::tensorNameOf(state.present);
    root["states"].push_back(std::move(json));
  }
  root["layers"] = Json::array();
  for (ModuleOp each : in.modules)
    addLayers(each, root["layers"]);
  root["variants"] =
      in.modules.size() > 1 ? variantsJson(in.modules) : Json::array();
  root["queues"] = Json::array();
  for (const std::vector<int64_t> &queue : in.queueLayers) {
    Json list = Json::array();
    for (int64_t layer : queue)
      list.push_back({{"layer", layer}});
    root["queues"].push_back(list);
  }
  root["options"] = optionsJson(module);
  root["tec_steps"] = Json::array();
  auto [reads, writes] = stepAccesses(in);
  for (size_t i = 0; i < in.stepLayers.size(); ++i) {
    TecProgram::Range range = i < in.built.stepRanges.size()
                                  ? in.built.stepRanges[i]
                                  : TecProgram::Range();
    root["tec_steps"].push_back({{"layer", in.stepLayers[i]},
                                 {"kernel", in.program.steps[i].symbol},
                                 {"pc_begin", range.begin},
                                 {"pc_end", range.end},
                                 {"reads", reads[i]},
                                 {"writes", writes[i]}});
  }
  root["regions"] = {
      {{"name", "sram"}, {"size", in.machine.sramBytes}},
      {{"name", "constants"}, {"size", in.program.constantBytes}},
      {{"name", "workspace"}, {"size", in.workspaceBytes}}};
  root["weight_file"] = in.weightFile;
  root["weight_file_digest"] =
      in.weightFile.empty() ? "" : digestTextOf(in.weights);
  root["sram"] = Json::array();
  root["results"] = Json::array();
  int64_t position = 0, firstLayer = 0;
  std::string order;
  for (ModuleOp each : in.modules) {
    auto func = each.lookupSymbol<func::FuncOp>(npu::kMainFunction);
    addSram(func, position, root["sram"]);
    addOrder(func, order);
    addResults(each, in.places, firstLayer, root["results"]);
  }
  root["order"] = order;
  return root.dump();
}
