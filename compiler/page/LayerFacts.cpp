//===- LayerFacts.cpp - What a network's layers are made of ---------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/page/LayerFacts.h"
#include "dialects/compass/Compass.h"
#include "dialects/compass/Records.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <unordered_map>

using namespace yarrow;
using namespace mlir;
using Json = nlohmann::ordered_json;

/// Numbers of a constant that are looked at: more do not change the picture.
static constexpr int64_t kMostNumbers = int64_t(1) << 20;
/// Bars of a histogram on a page.
static constexpr std::size_t kBars = 64;

static ValueHistogram spreadOf(const compass::ConstantView &view) {
  constexpr int64_t kPart = 4096;
  int64_t count = view.numElements();
  int64_t step =
      std::max<int64_t>(1, (count + kMostNumbers - 1) / kMostNumbers);
  bool isFloat = compass::dtypeIsFloat(view.dtype);
  ValueHistogram histogram;
  std::vector<float> part;
  for (int64_t i = 0; i < count; i += step) {
    part.push_back(float(isFloat ? view.floatAt(i) : double(view.intAt(i))));
    if (int64_t(part.size()) == kPart || i + step >= count) {
      histogram.add(part);
      part.clear();
    }
  }
  return histogram;
}

static LayerFacts factsOf(Operation *op,
                          const compass::OperatorRecord &record) {
  LayerFacts facts{compass::layerNameOf(op).str(),
                   keyTexts(op, /*withDefaults=*/true),
                   {},
                   {}};
  for (const compass::KeyRecord &key : record.keys) {
    auto constant = op->getAttrOfType<ElementsAttr>(key.name);
    auto view = constant ? compass::viewConstant(constant) : std::nullopt;
    if (view)
      facts.constants.push_back(
          {key.name.str(), compass::dtypeName(view->storedType()).str(),
           std::vector<int64_t>(view->shape.begin(), view->shape.end()),
           view->bytes.size(), spreadOf(*view)});
  }
  return facts;
}

std::vector<LayerFacts> yarrow::factsOf(ModuleOp network) {
  std::vector<LayerFacts> all;
  network.walk([&](Operation *op) {
    if (const compass::OperatorRecord *record = compass::recordOf(op))
      all.push_back(::factsOf(op, *record));
  });
  return all;
}

std::vector<LayerFacts> yarrow::factsOf(const runtime::Executable &executable) {
  std::vector<LayerFacts> all;
  const auto &layers = executable.provenance().layers;
  for (std::size_t i = 0; i < layers.size(); ++i)
    if (executable.hasLayer(i))
      for (std::size_t m = 0; m < layers[i].attributes.size(); ++m)
        all.push_back({layers[i].members[m], layers[i].attributes[m], {}, {}});
  return all;
}

void yarrow::addMetrics(const std::vector<TensorMetric> &metrics,
                        std::vector<LayerFacts> &facts) {
  std::unordered_map<std::string, LayerFacts *> byName;
  for (LayerFacts &layer : facts)
    byName.try_emplace(layer.name, &layer);
  for (const TensorMetric &m : metrics)
    if (auto it = byName.find(m.layer);
        it != byName.end() && (!m.histogram.isEmpty() || m.parts.isKnown()))
      it->second->results.push_back(
          {m.tensor, m.histogram, m.rangeMin, m.rangeMax, m.parts});
}

/// {from, step, counts} of the bars that are not empty at the ends.
static Json barsJson(const ValueHistogram &histogram) {
  if (histogram.isEmpty())
    return Json();
  constexpr std::size_t kJoined = ValueHistogram::kBins / kBars;
  std::vector<uint64_t> bars(kBars);
  for (std::size_t i = 0; i < ValueHistogram::kBins; ++i)
    bars[i / kJoined] += histogram.counts()[i];
  auto isUsed = [](uint64_t count) { return count != 0; };
  auto first = std::find_if(bars.begin(), bars.end(), isUsed);
  auto end = std::find_if(bars.rbegin(), bars.rend(), isUsed).base();
  if (first >= end)
    return Json();
  double step = 2 * histogram.bound() / double(kBars);
  return {{"from", double(first - bars.begin()) * step - histogram.bound()},
          {"step", step},
          {"min", histogram.min()},
          {"max", histogram.max()},
          {"counts", std::vector<uint64_t>(first, end)}};
}

/// What each part adds to the noise, by the signal; null if it is not known.
static Json noiseJson(const ErrorParts &parts) {
  if (!parts.isKnown())
    return Json();
  Json json = Json::object();
  for (std::size_t p = 0; p < kErrorParts; ++p)
    json[errorPartName(ErrorPart(p))] = parts.share(ErrorPart(p));
  json["total"] = parts.total / parts.signal;
  return json;
}

Json yarrow::factsJson(const std::vector<LayerFacts> &facts) {
  Json list = Json::array();
  for (const LayerFacts &layer : facts) {
    Json attributes = Json::object(), constants = Json::array(),
         results = Json::array();
    for (const auto &[key, text] : layer.attributes)
      attributes[key] = text;
    for (const ShownConstant &c : layer.constants)
      constants.push_back({{"key", c.key},
                           {"type", c.type},
                           {"shape", c.shape},
                           {"bytes", c.sizeBytes},
                           {"values", barsJson(c.values)}});
    for (const ShownValues &r : layer.results)
      results.push_back(
          {{"tensor", r.tensor},
           {"values", barsJson(r.values)},
           {"range",
            r.rangeMin < r.rangeMax ? Json{r.rangeMin, r.rangeMax} : Json()},
           {"parts", noiseJson(r.parts)}});
    list.push_back({{"name", layer.name},
                    {"attributes", std::move(attributes)},
                    {"constants", std::move(constants)},
                    {"results", std::move(results)}});
  }
  return list;
}
