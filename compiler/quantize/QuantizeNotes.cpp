//===- QuantizeNotes.cpp - What is said of a quantization ---------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/quantize/QuantizeNotes.h"
#include "support/Format.h"
#include "support/diagnostics/Quantizer.h"
#include "support/diagnostics/Settings.h"

#include <algorithm>

using namespace yarrow;
using config::BuildConfig;

void yarrow::warnOfEncodings(const BuildConfig &config,
                             yarrow::DiagnosticEngine &diags) {
  if (!config.encodings.empty())
    diags
        .report(diag::ConfigNotApplied, config.place("Optimizer.encodings"),
                "encodings is not applied: the network is already quantized")
        .hint("give encodings with a float network");
}

std::string yarrow::calibratedWith(const BuildConfig &config,
                                   const QuantizedModel &model) {
  std::string recipe = "recipe " + config.recipe + ", ";
  if (model.calibrationSamples == 0 && !config.encodings.empty())
    return recipe + "quantized by " + config.encodings;
  bool isDrawn = config.drawsSamples && config.calibrationData.empty();
  return recipe + "calibrated with " + formatCount(model.calibrationSamples) +
         (isDrawn ? " random samples" : " samples");
}

void yarrow::warnOfZeros(const std::vector<NpyView> &samples,
                         const std::string &calibrationData,
                         yarrow::DiagnosticEngine &diags) {
  // One input of several may be zero at work: a mask, a state.
  auto isZero = [](const NpyView &array) {
    return std::ranges::all_of(array.bytes(),
                               [](std::byte b) { return b == std::byte(0); });
  };
  if (samples.empty() || !std::ranges::all_of(samples, isZero))
    return;
  diags
      .report(diag::QuantRawPictures, {calibrationData},
              "all values of the samples are 0: no tensor gets the range that "
              "it has at work")
      .hint("give samples as the network gets them");
}
