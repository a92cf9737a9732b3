//===- FuzzEncodings.cpp - Encodings files of any kind --------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// An input is an encodings file for a small network, which is quantized by it,
// without samples or, by its length, with ranges of some. Whatever the bytes:
// no crash and no hang; encodings, a plan and an integer network exactly if
// there is no error; every encoding stands for integers that its type holds,
// and the network is valid.
//
//===----------------------------------------------------------------------===//
#include "mlir/IR/Verifier.h"
#include "quantizer/Quantizer.h"
#include "quantizer/calibrate/ConstantRanges.h"
#include "quantizer/encodings/EncodingPlan.h"
#include "support/ThreadPool.h"
#include "support/diagnostics/Quantizer.h"
#include "test/fuzz/Networks.h"

#include <cmath>
#include <string_view>

using namespace yarrow;
using fuzz::require;

static void checkEncoding(const Encoding &encoding) {
  require(encoding.isFloat() == encoding.channels.empty(),
          "floats have no scales, all others have");
  for (const TensorEncoding &channel : encoding.channels) {
    require(channel.step > 0 && std::isfinite(channel.step),
            "a scale is a positive finite number");
    require(channel.lowest <= 0 && channel.highest >= 0,
            "0 is one of the numbers");
    for (bool isSigned : {false, true}) {
      LinearParams params = paramsOf(channel, isSigned);
      require(params.qmin >= integerMin(params.bits, params.isSigned) &&
                  params.qmax <= integerMax(params.bits, params.isSigned),
              "the type holds the integers");
      require(isSame(channel, params) || !hasZeroPoints(params.bits),
              "they are those of the file");
    }
  }
}

/// Layers keep the ids of the first time.
static mlir::ModuleOp numberedNetwork() {
  mlir::ModuleOp module = fuzz::smallNetwork();
  recordLayerIds(module);
  return module;
}

/// Of two samples; made once for each network.
static Calibration measured(mlir::ModuleOp module) {
  static mlir::ModuleOp of;
  static std::unique_ptr<Calibration> ranges;
  if (of != module) {
    static const float kValues[24] = {0.5f, -1, 2, 0.25f, -0.125f, 1};
    NpyView samples{NpyType::Float32, {2, 2, 2, 3}, 24, kValues, nullptr};
    DiagnosticEngine diags;
    ranges = Calibration::run(module, {samples}, {}, {}, diags);
    require(bool(ranges), "the harness's samples are good", &diags);
    of = module;
  }
  return *ranges;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data,
                                      std::size_t size) {
  setDefaultThreadCount(1);
  std::string_view text(reinterpret_cast<const char *>(data), size);
  DiagnosticEngine diags;
  std::optional<Encodings> encodings =
      parseEncodings(text, "fuzz.encodings", diags);
  require(encodings.has_value() == !diags.hasErrors(),
          "encodings exactly if there is no error", &diags);
  for (const Diagnostic &diag : diags.all())
    diag.str();
  if (!encodings)
    return 0;
  for (const auto &list : {encodings->activations, encodings->parameters})
    for (const Encoding &encoding : list)
      checkEncoding(encoding);

  mlir::ModuleOp module = numberedNetwork();
  QuantizerOptions options;
  auto plan = planEncodings(*encodings, EncodingNames(module, {}), module,
                            options, diags);
  require(bool(plan) == !diags.hasErrors(),
          "a plan exactly if there is no error", &diags);
  if (!plan)
    return 0;
  Calibration calibration =
      size % 2 ? measured(module) : *calibrateConstants(module, options);
  applyEncodings(*plan, calibration);
  mlir::OwningOpRef<mlir::ModuleOp> integer =
      quantizedCopy(module, calibration, options, diags);
  require(bool(integer) == !diags.hasErrors(),
          "an integer network exactly if there is no error", &diags);
  if (!integer)
    return 0;
  ++fuzz::numAccepted;
  require(mlir::succeeded(mlir::verify(*integer)), "it is valid", &diags);
  checkEncodings(*plan, *integer, diags);
  require(!diags.hasErrors() && diags.all().back().id == diag::EncodingsApplied,
          "what was taken is told last", &diags);
  return 0;
}
