//===- NetworkTensors.cpp - The tensors of a network by name --------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/eval/NetworkTensors.h"

#include "dialects/compass/Compass.h"
#include "dialects/compass/Compat.h"
#include "dialects/compass/Records.h"
#include "dialects/compass/graph/Graphs.h"
#include "dialects/compass/graph/ModelNames.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"

using namespace yarrow;
using namespace yarrow::compass;

static NetworkTensor tensorOf(mlir::Value value) {
  mlir::Operation *op = value.getDefiningOp();
  NetworkTensor tensor;
  tensor.value = value;
  tensor.name = tensorNameOf(value);
  tensor.layer = layerNameOf(op).str();
  tensor.layerType = recordOf(op)->layerType.str();
  tensor.info = describe(value);
  tensor.step = stepOf(value);
  tensor.zeroPoint = zeroPointOf(value);
  return tensor;
}

/// Names of inputs and outputs, which the header knows of every IR, come first.
static void addNames(mlir::ModuleOp module, std::vector<NetworkTensor> &tensors,
                     const llvm::StringMap<size_t> &placeOf) {
  auto add = [&](mlir::ValueRange values,
                 const std::vector<std::string> &names) {
    // Of a tensor that is an output twice the first name counts.
    for (size_t k = names.size(); k-- > 0;) {
      auto it = placeOf.find(tensorNameOf(values[k]));
      if (it == placeOf.end() || names[k] == tensors[it->second].name)
        continue;
      std::vector<std::string> &known = tensors[it->second].modelNames;
      llvm::erase(known, names[k]);
      known.insert(known.begin(), names[k]);
    }
  };
  mlir::func::FuncOp graph = mainGraph(module);
  add(graphInputs(graph), inputNames(module));
  add(graphOutputs(graph), outputNames(module));
}

std::vector<NetworkTensor>
yarrow::tensorsOf(mlir::ModuleOp module,
                  const std::vector<graph::ImportedTensor> &imported) {
  std::vector<NetworkTensor> tensors;
  llvm::StringMap<size_t> placeOf;
  for (mlir::Operation &op : mainGraph(module).getBody().front())
    if (recordOf(&op))
      for (mlir::Value value : op.getResults()) {
        tensors.push_back(tensorOf(value));
        placeOf.try_emplace(tensors.back().name, tensors.size() - 1);
      }
  for (const graph::ImportedTensor &from : imported) {
    auto it = placeOf.find(from.tensor);
    if (it == placeOf.end())
      continue;
    NetworkTensor &tensor = tensors[it->second];
    if (llvm::is_contained(tensor.modelNames, from.name))
      continue;
    if (tensor.modelNames.empty()) {
      tensor.node = from.node;
      tensor.isChannelsLast = from.isChannelsLast;
      tensor.modelType = from.type;
    }
    tensor.modelNames.push_back(from.name);
  }
  addNames(module, tensors, placeOf);
  return tensors;
}
