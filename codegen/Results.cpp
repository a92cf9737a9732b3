//===- Results.cpp - Where the results of layers are ----------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "codegen/Results.h"
#include "dialects/compass/Compass.h"
#include "dialects/compass/Records.h"
#include "dialects/compass/Tensors.h"
#include "dialects/compass/graph/Graphs.h"
#include "dialects/npu/Commands.h"
#include "dialects/npu/ControlFlow.h"
#include "isa/ElfLayout.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include <nlohmann/json.hpp>

using namespace yarrow;
using namespace mlir;
using Json = nlohmann::ordered_json;

namespace {
/// The commands of a program by what they write, and its buffers by name.
class Program {
public:
  explicit Program(func::FuncOp func) {
    for (auto buffer : func.getOps<npu::BufferOp>())
      if (auto name = buffer.getBufferName();
          name && buffer.getRegion() != isa::kWeightRegion)
        buffers.try_emplace(*name, buffer);
    npu::forEachCommand(func, [&](Operation *op) {
      auto layer = op->getAttrOfType<IntegerAttr>(npu::kLayerAttr);
      for (const npu::Access &access : npu::touchedBy(op))
        if (layer && access.isWrite)
          last[{layer.getInt(), access.buffer}] = op;
    });
  }

  /// The buffer that \p layer leaves the value in. What is computed in place
  /// has that of its operand, which has its name from another layer.
  npu::BufferOp bufferOf(Value value, int64_t layer) const {
    for (Value v = value;;) {
      npu::BufferOp buffer = buffers.lookup(compass::tensorNameOf(v));
      if (buffer)
        return buffer.getSizeBytes() == compass::describe(value).sizeBytes() &&
                       lastWriter(buffer, layer)
                   ? buffer
                   : npu::BufferOp();
      Operation *op = v.getDefiningOp();
      if (!op || op->getNumOperands() != 1)
        return {};
      v = op->getOperand(0);
    }
  }
  Operation *lastWriter(npu::BufferOp buffer, int64_t layer) const {
    return last.lookup({layer, buffer.getResult()});
  }

private:
  llvm::StringMap<npu::BufferOp> buffers;
  llvm::DenseMap<std::pair<int64_t, Value>, Operation *> last;
};
} // namespace

/// Rows of the layer table by the layer whose result they have: "conv + add"
/// has that of add. A name of several rows, some of them of sub-graphs, says
/// nothing.
static llvm::StringMap<int64_t> rowsByLayer(ArrayAttr table) {
  llvm::StringMap<int64_t> rows;
  for (auto [i, entry] : llvm::enumerate(table)) {
    auto name = cast<DictionaryAttr>(entry).getAs<StringAttr>("name");
    StringRef layer = name ? name.getValue() : "";
    if (size_t plus = layer.rfind(" + "); plus != StringRef::npos)
      layer = layer.substr(plus + 3);
    auto [it, isNew] = rows.try_emplace(layer, int64_t(i));
    if (!isNew)
      it->second = -1;
  }
  return rows;
}

void yarrow::addResults(ModuleOp module, const CommandPlaces &places,
                        int64_t &firstLayer, Json &results) {
  auto table = module->getAttrOfType<ArrayAttr>(npu::kLayersAttr);
  if (!table)
    return;
  Program program(module.lookupSymbol<func::FuncOp>(npu::kMainFunction));
  llvm::StringMap<int64_t> rows = rowsByLayer(table);
  for (Operation &op : compass::mainGraph(module).getBody().front()) {
    auto row = rows.find(compass::recordOf(&op) ? compass::layerNameOf(&op)
                                                : StringRef());
    if (row == rows.end() || row->second < 0)
      continue;
    for (Value value : op.getResults()) {
      npu::BufferOp buffer = program.bufferOf(value, row->second);
      if (!buffer)
        continue;
      compass::TensorInfo info = compass::describe(value);
      auto place = places.find(program.lastWriter(buffer, row->second));
      if (place == places.end())
        continue;
      results.push_back(
          {{"name", compass::tensorNameOf(value)},
           {"type", compass::dtypeName(info.dtype).str()},
           {"shape", llvm::to_vector(info.shape)},
           {"layer", firstLayer + row->second},
           {"place",
            {buffer.getRegion(), buffer.getAddress().value_or(0),
             buffer.getSizeBytes()}},
           {"command", {int(place->second.unit), place->second.index}}});
    }
  }
  firstLayer += int64_t(table.size());
}
