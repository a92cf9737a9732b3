//===- FuzzCalibration.cpp - Calibration data of any shape and value ------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// An input is a line with a strategy of calibration, then an array. The samples
// calibrate a small network, which is then quantized. Whatever the
// bytes: no crash and no hang; ranges exactly if there is no error, and an
// integer network exactly if there is none; that one is valid, runs on the same
// samples, and its distance to the float network is a number.
//
//===----------------------------------------------------------------------===//
#include "mlir/IR/Verifier.h"
#include "quantizer/Quantizer.h"
#include "quantizer/metrics/Metrics.h"
#include "support/ThreadPool.h"
#include "test/fuzz/Arrays.h"
#include "test/fuzz/Networks.h"

#include <cmath>
#include <string_view>

using namespace yarrow;
using fuzz::require;

namespace {

/// The strategy, and by its length some of the settings.
QuantizerOptions optionsOf(std::string_view line) {
  QuantizerOptions options;
  if (auto strategy = CalibrationStrategy::parse(line))
    options.global.activationStrategy = *strategy;
  options.global.activationMethod.mode =
      line.size() % 2 ? RangeMode::Asymmetric : RangeMode::SymmetricFull;
  options.global.activationBits = line.size() % 3 ? 8 : 16;
  options.global.weightMethod.perChannel = line.size() % 5 != 0;
  options.calibrationBatchSize = unsigned(1 + line.size() % 4);
  options.global.observer.histogramBins = 256;
  return options;
}

void checkMetrics(mlir::ModuleOp floating, mlir::ModuleOp integer,
                  const NpyView &samples) {
  DiagnosticEngine diags;
  auto metrics = compareNetworks(floating, integer, {samples}, 4, diags);
  require(metrics && !diags.hasErrors(), "calibration data can be compared",
          &diags);
  for (const TensorMetric &m : *metrics)
    require(!std::isnan(m.similarity.cosine()) &&
                !std::isnan(m.similarity.sqnrDb()),
            "a similarity is a number");
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data,
                                      std::size_t size) {
  setDefaultThreadCount(1);
  std::string_view input(reinterpret_cast<const char *>(data), size);
  QuantizerOptions options = optionsOf(fuzz::takeLine(input));
  std::optional<NpyView> view = fuzz::takeArray(input, "fuzz.npy");
  if (!view)
    return 0;

  DiagnosticEngine diags;
  mlir::ModuleOp module = fuzz::smallNetwork();
  auto calibration = Calibration::run(module, {*view}, options, {}, diags);
  require((calibration != nullptr) == !diags.hasErrors(),
          "ranges exactly if there is no error", &diags);
  if (!calibration)
    return 0;
  mlir::OwningOpRef<mlir::ModuleOp> integer =
      quantizedCopy(module, *calibration, options, diags);
  require(bool(integer) == !diags.hasErrors(),
          "an integer network exactly if there is no error", &diags);
  if (!integer)
    return 0;
  ++fuzz::numAccepted;
  require(mlir::succeeded(mlir::verify(*integer)), "it is valid", &diags);
  checkMetrics(module, *integer, *view);
  return 0;
}
