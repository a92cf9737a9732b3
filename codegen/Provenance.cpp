//===- Provenance.cpp - What the executable says about its origin ---------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "codegen/Provenance.h"
#include "dialects/compass/Compass.h"
#include "dialects/compass/Records.h"
#include "dialects/compass/Tensors.h"
#include "dialects/compass/graph/GraphOps.h"
#include "dialects/compass/graph/Graphs.h"
#include "dialects/npu/Commands.h"
#include "dialects/npu/ControlFlow.h"
#include "isa/ElfLayout.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include <nlohmann/json.hpp>

using namespace yarrow;
using namespace mlir;
using Json = nlohmann::ordered_json;

/// \p countedBy: index of the output that counts it, or -1.
static Json tensorJson(Value v, uint32_t samples, unsigned region,
                       int64_t countedBy = -1) {
  compass::TensorInfo info = compass::describe(v);
  Json shape = Json::array();
  for (int64_t d : info.shape)
    shape.push_back(shape.empty() ? d * samples : d);
  return {{"name", compass::tensorNameOf(v)},
          {"shape", shape},
          {"type", compass::dtypeName(info.dtype).str()},
          {"quantized", info.quantized},
          {"scale", info.scale},
          {"zero_point", info.zp},
          {"range", {info.lo, info.hi}},
          {"region", region},
          {"counted_by", countedBy}};
}

static std::string modelNameOf(ModuleOp module) {
  if (auto header = module->getAttrOfType<ArrayAttr>(compass::kHeaderAttr))
    for (Attribute pair : header)
      if (cast<StringAttr>(cast<ArrayAttr>(pair)[0]).getValue() == "model_name")
        return cast<StringAttr>(cast<ArrayAttr>(pair)[1]).str();
  return "model";
}

static Json layersJson(ModuleOp module) {
  Json layers = Json::array();
  if (auto table = module->getAttrOfType<ArrayAttr>(npu::kLayersAttr))
    for (Attribute entry : table) {
      Json layer;
      for (NamedAttribute named : cast<DictionaryAttr>(entry)) {
        if (auto text = dyn_cast<StringAttr>(named.getValue()))
          layer[named.getName().str()] = text.str();
        else if (auto number = dyn_cast<IntegerAttr>(named.getValue()))
          layer[named.getName().str()] = number.getInt();
      }
      layers.push_back(layer);
    }
  return layers;
}

/// Buffers of the SRAM with the commands between which they live.
static Json sramJson(func::FuncOp func) {
  Json map = Json::array();
  llvm::DenseMap<Operation *, std::pair<int64_t, int64_t>> use;
  int64_t position = 0;
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
  return map;
}

std::string yarrow::provenanceJson(const ProvenanceInput &in) {
  ModuleOp module = in.module;
  auto source = compass::mainGraph(module);
  auto func = module.lookupSymbol<func::FuncOp>(npu::kMainFunction);
  Json root;
  root["version"] = isa::kProvenanceVersion;
  root["target"] = in.machine.name;
  root["model"] = modelNameOf(module);
  root["machine"] = Json::parse(in.machine.toJson());
  unsigned region = isa::kFirstIoRegion;
  root["inputs"] = Json::array();
  for (Value v : compass::graphInputs(source))
    root["inputs"].push_back(tensorJson(v, in.samples, region++));
  root["outputs"] = Json::array();
  SmallVector<Value> outputs(compass::graphOutputs(source));
  for (Value v : outputs) {
    auto *count = llvm::find(outputs, compass::countOf(v));
    root["outputs"].push_back(
        tensorJson(v, in.samples, region++,
                   count == outputs.end() ? -1 : count - outputs.begin()));
  }
  root["layers"] = layersJson(module);
  root["queues"] = Json::array();
  for (const std::vector<int64_t> &queue : in.queueLayers) {
    Json list = Json::array();
    for (int64_t layer : queue)
      list.push_back({{"layer", layer}});
    root["queues"].push_back(list);
  }
  root["tec_steps"] = Json::array();
  for (size_t i = 0; i < in.stepLayers.size(); ++i) {
    TecProgram::Range range = i < in.built.stepRanges.size()
                                  ? in.built.stepRanges[i]
                                  : TecProgram::Range();
    root["tec_steps"].push_back({{"layer", in.stepLayers[i]},
                                 {"kernel", in.program.steps[i].symbol},
                                 {"pc_begin", range.begin},
                                 {"pc_end", range.end}});
  }
  root["regions"] = {
      {{"name", "sram"}, {"size", in.machine.sramBytes}},
      {{"name", "constants"}, {"size", in.program.constantBytes}},
      {{"name", "workspace"}, {"size", in.workspaceBytes}}};
  root["sram"] = sramJson(func);
  return root.dump();
}
