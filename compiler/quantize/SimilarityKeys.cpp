//===- SimilarityKeys.cpp - How near layers are, in the IR ----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/quantize/SimilarityKeys.h"

#include "dialects/compass/Compass.h"
#include "dialects/compass/Records.h"
#include "dialects/compass/Tensors.h"
#include "quantizer/rules/LayerContext.h"
#include "support/Format.h"

#include <map>

using namespace yarrow;

/// "[1,8,8,16]"
static std::string shapeOf(mlir::Value value) {
  std::string text = "[";
  for (int64_t d : compass::describe(value).shape)
    text += (text.size() > 1 ? "," : "") + std::to_string(d);
  return text + "]";
}

void yarrow::addSimilarityKeys(mlir::ModuleOp quantized,
                               const std::vector<TensorMetric> &metrics) {
  std::map<std::string, const TensorMetric *, std::less<>> byTensor;
  for (const TensorMetric &metric : metrics)
    byTensor[metric.tensor] = &metric;
  quantized.walk([&](mlir::Operation *op) {
    if (!compass::recordOf(op))
      return;
    std::string cosine, error, shapes, id = "unknown";
    auto add = [](std::string &list, const std::string &item) {
      list += (list.empty() ? "" : ",") + item;
    };
    for (mlir::Value value : op->getResults()) {
      add(shapes, shapeOf(value));
      auto metric = byTensor.find(compass::tensorNameOf(value));
      if (metric == byTensor.end())
        continue;
      add(cosine, formatFixed(metric->second->similarity.cosine(), 6));
      add(error,
          floatText(float(metric->second->similarity.meanSquaredError())));
      if (metric->second->layerId >= 0)
        id = std::to_string(metric->second->layerId);
    }
    setExtraKey(op, "D_cos", cosine);
    setExtraKey(op, "D_mse", error);
    setExtraKey(op, "D_dynamic_shape", "[" + shapes + "]");
    setExtraKey(op, "D_layer_id", id);
  });
}
