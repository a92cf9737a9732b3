//===- RangeAttributes.cpp - Ranges as a part of the module ---------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "quantizer/calibrate/RangeAttributes.h"
#include "dialects/compass/Compass.h"
#include "dialects/compass/MlirDiagnostics.h"
#include "support/diagnostics/Quantizer.h"

#include "mlir/IR/BuiltinAttributes.h"

#include <cmath>

using namespace yarrow;
using namespace mlir;

/// Forms with more bits take the same range; one-sided ones differ from it.
static constexpr unsigned kBits = 8;

void yarrow::recordRanges(ModuleOp module, const Calibration &calibration) {
  MLIRContext *context = module.getContext();
  module.walk([&](compass::CompassOp layer) {
    SmallVector<Attribute> ranges;
    bool isKnown = false;
    for (Value result : layer->getResults()) {
      SmallVector<float, 2> range;
      if (compass::describe(result).isFloat() && calibration.hasRange(result)) {
        auto [min, max] = calibration.range(result, kBits, /*symmetric=*/false);
        range = {min, max};
        isKnown = true;
      }
      ranges.push_back(DenseF32ArrayAttr::get(context, range));
    }
    if (isKnown)
      layer->setAttr(kRangesAttr, ArrayAttr::get(context, ranges));
  });
}

void yarrow::dropRanges(ModuleOp module) {
  module.walk([](compass::CompassOp layer) { layer->removeAttr(kRangesAttr); });
}

/// A range of \p layer as text, if it is one that nothing can be quantized in.
static std::string wrongRange(Operation *layer, Attribute attribute) {
  auto range = dyn_cast<DenseF32ArrayAttr>(attribute);
  if (!range || (range.size() != 0 && range.size() != 2))
    return "a range that does not have two numbers";
  if (range.empty())
    return "";
  float min = range[0], max = range[1];
  if (std::isfinite(min) && std::isfinite(max) && min <= 0 && max >= 0)
    return "";
  return std::to_string(min) + " to " + std::to_string(max);
}

bool yarrow::verifyRanges(ModuleOp module, yarrow::DiagnosticEngine &diags) {
  bool ok = true;
  auto report = [&](Operation *layer, const std::string &found) {
    ok = false;
    diags
        .report(diag::QuantRange, compass::placeOf(layer->getLoc()),
                "the range of a tensor cannot be used")
        .found(found)
        .expected("two finite numbers with 0 between them");
  };
  module.walk([&](compass::CompassOp layer) {
    auto ranges = layer->getAttrOfType<ArrayAttr>(kRangesAttr);
    if (!ranges)
      return;
    if (ranges.size() != layer->getNumResults())
      return report(layer, std::to_string(ranges.size()) + " ranges for " +
                               std::to_string(layer->getNumResults()) +
                               " results");
    for (Attribute range : ranges)
      if (std::string found = wrongRange(layer, range); !found.empty())
        report(layer, found);
  });
  return ok;
}
