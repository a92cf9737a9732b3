//===- ModelPicture.cpp - A network before any build ----------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/page/ModelPicture.h"
#include "dialects/compass/Compass.h"
#include "dialects/compass/Execution.h"
#include "dialects/compass/Records.h"
#include "dialects/compass/Tensors.h"
#include "dialects/compass/Traits.h"
#include "dialects/compass/graph/GraphOps.h"
#include "dialects/compass/graph/Graphs.h"
#include "dialects/compass/graph/ModelNames.h"
#include "dialects/npu/Commands.h"
#include "dialects/npu/ControlFlow.h"
#include "dialects/npu/Npu.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Path.h"

#include <array>

using namespace yarrow;
using namespace mlir;

static runtime::ProvenanceValue valueOf(Value v) {
  compass::TensorInfo info = compass::describe(v);
  return {compass::tensorNameOf(v), compass::dtypeName(info.storedType()).str(),
          std::vector<int64_t>(info.shape.begin(), info.shape.end()),
          info.scale, info.zp};
}

static runtime::ProvenanceLayer layerOf(Operation *op) {
  runtime::ProvenanceLayer layer;
  auto [file, line] = compass::sourceLineOf(op);
  layer.name = compass::layerNameOf(op).str();
  layer.type = compass::recordOf(op)->layerType.str();
  layer.file = llvm::sys::path::filename(file).str();
  layer.line = line;
  layer.members = {layer.name};
  for (NamedAttribute named : op->getAttrs())
    if (auto constant = dyn_cast<ElementsAttr>(named.getValue()))
      if (auto view = compass::viewConstant(constant))
        layer.weightBytes += view->bytes.size();
  for (Value v : op->getOperands()) {
    layer.reads.push_back(compass::tensorNameOf(v));
    layer.inBytes += compass::describe(v).sizeBytes();
  }
  for (Value v : op->getResults()) {
    layer.results.push_back(valueOf(v));
    layer.outBytes += compass::describe(v).sizeBytes();
  }
  return layer;
}

namespace {

class ModelPainter {
public:
  explicit ModelPainter(ModuleOp network) : network(network) {}

  PagePicture paint() {
    func::FuncOp graph = compass::mainGraph(network);
    for (auto [v, name] : llvm::zip_equal(compass::graphInputs(graph),
                                          compass::inputNames(network))) {
      maker[v] = addNode({});
      picture.inputs.push_back(inOrOut(v, name));
    }
    addLayers(graph);
    for (auto other : network.getOps<func::FuncOp>())
      if (other != graph)
        addLayers(other);
    for (auto [v, name] : llvm::zip_equal(compass::graphOutputs(graph),
                                          compass::outputNames(network))) {
      addNode(v);
      picture.outputs.push_back(inOrOut(v, name));
    }
    picture.layout = layOut(sources);
    return std::move(picture);
  }

private:
  uint32_t addNode(ValueRange reads) {
    std::vector<uint32_t> &from = sources.emplace_back();
    for (Value v : reads)
      if (auto it = maker.find(v); it != maker.end())
        from.push_back(it->second);
    return uint32_t(sources.size() - 1);
  }

  /// Inputs of sub-graphs are no layers either.
  void addLayers(func::FuncOp graph) {
    graph.walk([&](Operation *op) {
      if (!compass::recordOf(op) || mlir::isa<compass::InputOp>(op))
        return;
      uint32_t node = addNode(op->getOperands());
      for (Value v : op->getResults())
        maker[v] = node;
      picture.layers.push_back(layerOf(op));
      bool isMove = op->hasTrait<compass::trait::MovesOnly>() ||
                    op->getNumOperands() == 0;
      picture.places.push_back({PageUnit::None, "", isMove});
      if (!compass::isExecutable(op))
        picture.layers.back().onTecs =
            "Yarrow cannot execute this form (N0310)";
    });
  }

  static runtime::ProvenanceTensor inOrOut(Value v, const std::string &name) {
    runtime::ProvenanceTensor tensor{valueOf(v)};
    tensor.modelName = name;
    tensor.isQuantized = compass::describe(v).isQuantized();
    return tensor;
  }

  ModuleOp network;
  PagePicture picture;
  llvm::DenseMap<Value, uint32_t> maker; ///< The node of each tensor.
  std::vector<std::vector<uint32_t>> sources;
};

/// A row of the table that lowering makes (LayerTable.h).
struct LoweredLayer {
  std::string name, onTecs;
  uint64_t macs = 0;
  std::array<uint64_t, isa::kNumCounters> commands{}; ///< By unit.

  PageUnit unit() const {
    if (commands[unsigned(isa::Unit::TensorEngine)])
      return PageUnit::TensorEngine;
    if (commands[unsigned(isa::Unit::Tec)])
      return PageUnit::Tecs;
    return commands[unsigned(isa::Unit::DmaLoad)] ||
                   commands[unsigned(isa::Unit::DmaStore)]
               ? PageUnit::Dma
               : PageUnit::None;
  }
};

class LoweredNetwork {
public:
  explicit LoweredNetwork(ModuleOp lowered) {
    if (auto table = lowered->getAttrOfType<ArrayAttr>(npu::kLayersAttr))
      for (Attribute entry : table)
        addRow(cast<DictionaryAttr>(entry));
    npu::forEachCommand(
        lowered.lookupSymbol<func::FuncOp>(npu::kMainFunction),
        [&](Operation *op) {
          auto layer = op->getAttrOfType<IntegerAttr>(npu::kLayerAttr);
          std::optional<isa::Unit> unit = npu::unitOf(op);
          if (layer && unit && std::size_t(layer.getInt()) < rows.size())
            ++rows[std::size_t(layer.getInt())].commands[unsigned(*unit)];
        });
  }

  /// The row that has the layer, or makes what the layer made before it became
  /// a part of another one; null if no row does.
  const LoweredLayer *find(const runtime::ProvenanceLayer &layer) const {
    if (auto it = byMember.find(layer.name); it != byMember.end())
      return &rows[it->second];
    for (const runtime::ProvenanceValue &result : layer.results)
      if (auto it = byTensor.find(result.name); it != byTensor.end())
        return &rows[it->second];
    return nullptr;
  }

private:
  void addRow(DictionaryAttr entry) {
    LoweredLayer row;
    row.name = entry.getAs<StringAttr>("name").str();
    row.macs = uint64_t(entry.getAs<IntegerAttr>("macs").getInt());
    if (auto why = entry.getAs<StringAttr>("on_tecs"))
      row.onTecs = why.str();
    for (Attribute member : entry.getAs<ArrayAttr>("members"))
      byMember.try_emplace(cast<StringAttr>(member).getValue(), rows.size());
    for (Attribute result : entry.getAs<ArrayAttr>("results"))
      byTensor.try_emplace(
          cast<DictionaryAttr>(result).getAs<StringAttr>("name").getValue(),
          rows.size());
    rows.push_back(std::move(row));
  }

  std::vector<LoweredLayer> rows;
  llvm::StringMap<std::size_t> byMember, byTensor;
};

} // namespace

PagePicture yarrow::modelPicture(ModuleOp network) {
  return ModelPainter(network).paint();
}

/// The row of each layer, null of those that left no trace; whether it only
/// became a part of it, \p isPart says.
static std::vector<const LoweredLayer *>
rowsOf(const std::vector<runtime::ProvenanceLayer> &layers,
       const LoweredNetwork &network, std::vector<bool> &isPart) {
  std::vector<const LoweredLayer *> rows(layers.size(), nullptr);
  isPart.assign(layers.size(), false);
  llvm::StringMap<std::size_t> maker;
  llvm::StringMap<std::vector<std::size_t>> readers;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    rows[i] = network.find(layers[i]);
    for (const runtime::ProvenanceValue &result : layers[i].results)
      maker[result.name] = i;
    for (const std::string &tensor : layers[i].reads)
      readers[tensor].push_back(i);
  }
  auto hasWork = [](const LoweredLayer *row) {
    return row && row->unit() != PageUnit::None;
  };
  // What became a part of another layer is a part of what reads it: a
  // convolution of its activation, the pieces of a norm of its last one.
  for (std::size_t i = layers.size(); i-- > 0;) {
    isPart[i] = !rows[i];
    for (const runtime::ProvenanceValue &result : layers[i].results)
      for (std::size_t reader : readers.lookup(result.name))
        if (!rows[i] && hasWork(rows[reader]))
          rows[i] = rows[reader];
  }
  // None at the end of the network, nor where the reader does not compute.
  for (std::size_t i = 0; i < layers.size(); ++i)
    for (const std::string &tensor : layers[i].reads)
      if (auto it = maker.find(tensor);
          !rows[i] && it != maker.end() && hasWork(rows[it->second]))
        rows[i] = rows[it->second];
  return rows;
}

bool yarrow::placeLayers(ModuleOp lowered, const isa::Machine &machine,
                         PagePicture &picture) {
  if (!lowered.lookupSymbol<func::FuncOp>(npu::kMainFunction))
    return false;
  picture.machine = machine;
  LoweredNetwork network(lowered);
  std::vector<bool> isPart;
  std::vector<const LoweredLayer *> rows =
      rowsOf(picture.layers, network, isPart);
  llvm::DenseSet<const LoweredLayer *> counted;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (!rows[i])
      continue;
    runtime::ProvenanceLayer &layer = picture.layers[i];
    PagePlace &place = picture.places[i];
    place.together = rows[i]->name;
    if (isPart[i] && place.isMove)
      continue;
    place.unit = rows[i]->unit();
    layer.onTecs = rows[i]->onTecs;
    // A row's multiplications are those of the first layer in it.
    if (counted.insert(rows[i]).second)
      layer.macs = rows[i]->macs;
  }
  return true;
}
