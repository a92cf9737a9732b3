//===- ConstantRanges.cpp - What is known without samples -----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "quantizer/calibrate/ConstantRanges.h"

#include "dialects/compass/Compass.h"
#include "dialects/compass/Layers.h"
#include "dialects/compass/Records.h"
#include "quantizer/calibrate/TensorValues.h"

using namespace yarrow::compass;

namespace yarrow {

std::unique_ptr<Calibration>
calibrateConstants(mlir::ModuleOp module, const QuantizerOptions &options) {
  auto calibration = std::make_unique<Calibration>();
  module.walk([&](mlir::Operation *op) {
    auto view = recordOf(op) && op->getNumOperands() == 0 &&
                        tensorKey(op, keys::weights)
                    ? viewConstant(tensorKey(op, keys::weights))
                    : std::nullopt;
    if (!view)
      return;
    LayerOptions own = optionsOf(op, options);
    Observer observer(own.activationStrategy, own.observer);
    mlir::Value value = op->getResult(0);
    FloatValues values(value, view->bytes);
    TensorStatistics s = collectStatistics(
        values.get(), own.activationStrategy.needsMoments(), own.observer.trim);
    completeBatch(s);
    if (own.activationStrategy.needsSecondRun())
      collectDeviations(values.get(), s, own.observer.histogramBins, s,
                        own.observer.trim);
    observer.addBatch(s);
    calibration->set(value, std::move(observer));
  });
  return calibration;
}

} // namespace yarrow
