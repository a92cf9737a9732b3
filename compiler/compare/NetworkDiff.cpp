//===- NetworkDiff.cpp - What changed from one IR to another --------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/compare/NetworkDiff.h"
#include "dialects/compass/Compass.h"
#include "dialects/compass/Records.h"
#include "dialects/compass/Tensors.h"
#include "support/Format.h"
#include "llvm/ADT/StringExtras.h"

#include <algorithm>
#include <cmath>
#include <map>

using namespace yarrow;
using namespace mlir;

namespace {

constexpr double kPresence = 1e9, kType = 1e8, kTensor = 1e6, kScale = 1e3,
                 kConstant = 100, kParameter = 1;

using Layers = std::vector<Operation *>;

Layers layersOf(ModuleOp module) {
  Layers layers;
  module.walk([&](Operation *op) {
    if (compass::recordOf(op))
      layers.push_back(op);
  });
  return layers;
}

std::map<StringRef, Operation *> byName(const Layers &layers) {
  std::map<StringRef, Operation *> map;
  for (Operation *layer : layers)
    map.try_emplace(compass::layerNameOf(layer), layer);
  return map;
}

std::string typeOf(Operation *layer) {
  return compass::recordOf(layer)->layerType.str();
}

/// Six significant digits tell scales apart.
std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", value);
  return text;
}

std::string textOf(Attribute value, bool elidesType) {
  if (!value)
    return "none";
  std::string text;
  llvm::raw_string_ostream os(text);
  value.print(os, elidesType);
  return text;
}

std::string shortTextOf(Attribute value) {
  constexpr std::size_t kMost = 40;
  std::string text = textOf(value, /*elidesType=*/true);
  return text.size() > kMost ? text.substr(0, kMost) + "..." : text;
}

class LayerComparison {
public:
  LayerComparison(Operation *before, Operation *after)
      : before(before), after(after) {}

  LayerChange run() {
    if (typeOf(before) != typeOf(after))
      add(kType, "type " + typeOf(before) + " -> " + typeOf(after));
    else
      compareAttributes(before->getAttrDictionary(),
                        after->getAttrDictionary());
    compareResults();
    compareInputs();
    return {compass::layerNameOf(before).str(), typeOf(after), text, weight};
  }

private:
  void add(double itsWeight, const std::string &change) {
    text += (text.empty() ? "" : "; ") + change;
    weight += itsWeight;
  }

  void compareInputs() {
    auto namesOf = [](Operation *op) {
      std::string names;
      for (Value v : op->getOperands())
        names += (names.empty() ? "" : ", ") + compass::tensorNameOf(v);
      return names;
    };
    std::string a = namesOf(before), b = namesOf(after);
    if (a != b)
      add(kParameter, "inputs " + a + " -> " + b);
  }

  void compareResults() {
    if (before->getNumResults() != after->getNumResults()) {
      add(kTensor, std::to_string(before->getNumResults()) + " -> " +
                       std::to_string(after->getNumResults()) + " outputs");
      return;
    }
    for (auto [a, b] : llvm::zip(before->getResults(), after->getResults()))
      compareTensor(a, b);
  }

  void compareTensor(Value a, Value b) {
    if (!mlir::isa<RankedTensorType>(a.getType()) ||
        !mlir::isa<RankedTensorType>(b.getType()))
      return;
    compass::TensorInfo x = compass::describe(a), y = compass::describe(b);
    if (x.shape != y.shape)
      add(kTensor, "shape " + shapeText(x.shape) + " -> " + shapeText(y.shape));
    if (compass::dtypeName(x.storedType()) !=
        compass::dtypeName(y.storedType()))
      add(kTensor, compass::dtypeName(x.storedType()).str() + " -> " +
                       compass::dtypeName(y.storedType()).str());
    if (x.scale != y.scale) {
      double ratio = double(y.scale) / double(x.scale);
      add(kScale * std::abs(std::log2(std::max(ratio, 1e-30))),
          "scale " + number(x.scale) + " -> " + number(y.scale) + " (x" +
              number(ratio) + ")");
    }
    if (x.zp != y.zp)
      add(kScale,
          "zero point " + std::to_string(x.zp) + " -> " + std::to_string(y.zp));
  }

  /// Keys of the operator, and in dictionaries those that no record knows.
  void compareAttributes(DictionaryAttr a, DictionaryAttr b) {
    std::map<StringRef, std::pair<Attribute, Attribute>> all;
    for (NamedAttribute named : a)
      all[named.getName()].first = named.getValue();
    for (NamedAttribute named : b)
      all[named.getName()].second = named.getValue();
    for (auto [name, pair] : all)
      if (pair.first != pair.second)
        compareAttribute(name, pair.first, pair.second);
  }

  void compareAttribute(StringRef name, Attribute a, Attribute b) {
    auto x = dyn_cast_or_null<ElementsAttr>(a),
         y = dyn_cast_or_null<ElementsAttr>(b);
    if (x && y)
      return compareConstant(name, x, y);
    auto inX = dyn_cast_or_null<DictionaryAttr>(a),
         inY = dyn_cast_or_null<DictionaryAttr>(b);
    if (inX && inY)
      return compareAttributes(inX, inY);
    // Attributes of two contexts are never the same object.
    if (textOf(a, /*elidesType=*/false) != textOf(b, /*elidesType=*/false))
      add(kParameter,
          name.str() + " " + shortTextOf(a) + " -> " + shortTextOf(b));
  }

  void compareConstant(StringRef name, ElementsAttr a, ElementsAttr b) {
    auto x = compass::viewConstant(a), y = compass::viewConstant(b);
    if (!x || !y || x->bytes.size() != y->bytes.size()) {
      add(kTensor, name.str() + ": the size differs");
      return;
    }
    std::size_t differing = 0;
    for (std::size_t i = 0; i < x->bytes.size(); ++i)
      differing += x->bytes[i] != y->bytes[i];
    if (differing)
      add(kConstant * double(differing) / double(x->bytes.size()),
          name.str() + ": " + formatCount(differing) + " of " +
              formatCount(x->bytes.size()) + " bytes");
  }

  Operation *before, *after;
  std::string text;
  double weight = 0;
};

} // namespace

std::vector<LayerChange> yarrow::diffNetworks(ModuleOp before, ModuleOp after) {
  Layers a = layersOf(before), b = layersOf(after);
  auto inA = byName(a), inB = byName(b);
  std::vector<LayerChange> changes;
  for (Operation *layer : a) {
    StringRef name = compass::layerNameOf(layer);
    auto it = inB.find(name);
    if (it == inB.end())
      changes.push_back({name.str(), typeOf(layer), "gone", kPresence});
    else if (inA.at(name) == layer)
      changes.push_back(LayerComparison(layer, it->second).run());
  }
  for (Operation *layer : b)
    if (StringRef name = compass::layerNameOf(layer); !inA.count(name))
      changes.push_back({name.str(), typeOf(layer), "new", kPresence});
  llvm::erase_if(changes, [](const LayerChange &c) { return c.text.empty(); });
  std::stable_sort(changes.begin(), changes.end(),
                   [](const LayerChange &x, const LayerChange &y) {
                     return x.weight > y.weight;
                   });
  return changes;
}
