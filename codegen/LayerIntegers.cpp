//===- LayerIntegers.cpp - The integers that a layer is defined by --------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "codegen/LayerIntegers.h"
#include "dialects/compass/Tensors.h"
#include "dialects/compass/ZeroPoints.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "support/Digest.h"
#include "llvm/ADT/STLExtras.h"

using namespace yarrow;
using namespace mlir;
using Json = nlohmann::ordered_json;

/// Longer ones than any list of channels: their numbers are not told.
static constexpr int64_t kMostNumbers = 1 << 16;

static bool isInteger(const compass::ConstantView &view) {
  return !llvm::is_contained({compass::DType::F16, compass::DType::BF16,
                              compass::DType::F32, compass::DType::F64},
                             view.dtype);
}

/// Numbers of a constant, or of a key of the text; an empty list of none.
static std::vector<int64_t> numbersOf(Attribute attr) {
  std::vector<int64_t> numbers;
  if (auto number = dyn_cast_or_null<IntegerAttr>(attr))
    numbers.push_back(number.getInt());
  else if (auto list = dyn_cast_or_null<DenseI64ArrayAttr>(attr))
    numbers.assign(list.asArrayRef().begin(), list.asArrayRef().end());
  else if (auto list = dyn_cast_or_null<ArrayAttr>(attr)) {
    for (Attribute entry : list)
      if (auto number = dyn_cast<IntegerAttr>(entry))
        numbers.push_back(number.getInt());
  } else if (auto constant = dyn_cast_or_null<ElementsAttr>(attr)) {
    auto view = compass::viewConstant(constant);
    if (!view || !isInteger(*view) || view->numElements() > kMostNumbers)
      return numbers;
    for (int64_t i = 0; i < view->numElements(); ++i)
      numbers.push_back(view->intAt(i));
  }
  return numbers;
}

/// Of \p count numbers from \p first on, each with \p zeroPoint and as a word.
static uint64_t digestOfWords(const compass::ConstantView &view, int64_t first,
                              int64_t count, int64_t zeroPoint) {
  std::vector<int32_t> words(static_cast<size_t>(count));
  for (int64_t i = 0; i < count; ++i)
    words[size_t(i)] = int32_t(view.intAt(first + i) + zeroPoint);
  return digestOf({reinterpret_cast<const char *>(words.data()),
                   words.size() * sizeof(int32_t)});
}

/// A digest for each of \p rows parts of a constant.
static Json digestsOf(Attribute attr, int64_t rows,
                      ArrayRef<int64_t> zeroPoints = {}) {
  Json digests = Json::array();
  auto constant = dyn_cast_or_null<ElementsAttr>(attr);
  auto view = constant ? compass::viewConstant(constant) : std::nullopt;
  if (!view || !isInteger(*view) || view->shape.empty())
    return digests;
  if (rows == 0)
    rows = view->shape[0];
  if (zeroPoints.size() > 1 && int64_t(zeroPoints.size()) != rows)
    return digests;
  for (int64_t row = 0; row < rows; ++row) {
    int64_t count = view->numElements() / rows;
    int64_t zeroPoint =
        zeroPoints.empty()
            ? 0
            : zeroPoints[zeroPoints.size() == 1 ? 0 : size_t(row)];
    digests.push_back(
        uint32_t(digestOfWords(*view, row * count, count, zeroPoint)));
  }
  return digests;
}

Json yarrow::integersOf(Operation *layer) {
  Json json = Json::object();
  auto add = [&](const char *key, Json numbers) {
    if (!numbers.empty() && !json.contains(key))
      json[key] = std::move(numbers);
  };
  add("biases", numbersOf(layer->getAttr("biases")));
  add("scales", numbersOf(layer->getAttr("scale")));
  add("scales", numbersOf(layer->getAttr("scale_value")));
  add("shifts", numbersOf(layer->getAttr("shift")));
  add("shifts", numbersOf(layer->getAttr("shift_value")));
  add("weights", digestsOf(layer->getAttr("weights"), /*rows=*/0,
                           compass::weightZeroPoints(layer)));
  if (auto weights = layer->getAttrOfType<ElementsAttr>("weights");
      weights && json.contains("weights"))
    json["filter"] = weights.getNumElements() / int64_t(json["weights"].size());
  add("table", digestsOf(layer->getAttr("lut"), /*rows=*/1));
  return json;
}
