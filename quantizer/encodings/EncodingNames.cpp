//===- EncodingNames.cpp - What an encodings file calls a tensor ----------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "quantizer/encodings/EncodingNames.h"

#include "dialects/compass/Compass.h"
#include "dialects/compass/Layers.h"
#include "dialects/compass/MovedNames.h"
#include "dialects/compass/Records.h"
#include "mlir/IR/DialectResourceBlobManager.h"

using namespace yarrow::compass;

namespace yarrow {

/// The name that a reader gave a constant; "" if it has none.
static llvm::StringRef nameOfConstant(mlir::ElementsAttr constant) {
  auto resource = mlir::dyn_cast<mlir::DenseResourceElementsAttr>(constant);
  return resource ? resource.getRawHandle().getKey() : llvm::StringRef();
}

EncodingNames::EncodingNames(mlir::ModuleOp original,
                             const std::vector<ModelTensor> &model) {
  bool isImported = !model.empty();
  for (const ModelTensor &tensor : model) {
    modelNames.try_emplace(tensor.tensor, tensor.name);
    imported.try_emplace(tensor.name, tensor.tensor);
  }
  original.walk([&](mlir::Operation *op) {
    const OperatorRecord *record = recordOf(op);
    if (!record)
      return;
    std::string layer = layerNameOf(op).str();
    for (mlir::Value value : op->getResults())
      tensors.try_emplace(tensorNameOf(value), value);
    // A model's own names come first: a layer may have that of a tensor inside
    // of it.
    if (!isImported && op->getNumResults() == 1)
      layers.try_emplace(layer, op->getResult(0));
    for (const KeyRecord &key : record->keys) {
      auto constant = op->getAttrOfType<mlir::ElementsAttr>(key.name);
      if (!constant)
        continue;
      std::string own = layer + "." + key.name.str();
      llvm::StringRef given = nameOfConstant(constant);
      constants[own].push_back({op, key.name.str()});
      if (!given.empty() && given != own)
        constants[given].push_back({op, key.name.str()});
    }
  });
}

mlir::Value EncodingNames::tensor(llvm::StringRef name) const {
  if (auto it = imported.find(name); it != imported.end())
    return tensors.lookup(it->second);
  if (mlir::Value value = tensors.lookup(name))
    return value;
  return layers.lookup(name);
}

llvm::ArrayRef<LayerConstant>
EncodingNames::constantsOf(llvm::StringRef name) const {
  auto it = constants.find(name);
  return it == constants.end() ? llvm::ArrayRef<LayerConstant>()
                               : llvm::ArrayRef<LayerConstant>(it->second);
}

std::vector<std::string> EncodingNames::all() const {
  std::vector<std::string> names;
  if (imported.empty())
    for (const auto &entry : tensors)
      names.push_back(entry.getKey().str());
  for (const auto &entry : imported)
    names.push_back(entry.getKey().str());
  for (const auto &entry : constants)
    names.push_back(entry.getKey().str());
  // Of equally near ones the same on every machine.
  llvm::sort(names);
  return names;
}

std::string EncodingNames::nameOf(llvm::StringRef tensor) const {
  while (tensor.consume_back(kBeforeTranspose))
    ;
  auto it = modelNames.find(tensor);
  return it == modelNames.end() ? tensor.str() : it->second;
}

} // namespace yarrow
