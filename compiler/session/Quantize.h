//===- Quantize.h - Integer networks from float ones --------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//   Data samples{{{"", view}}};
//   auto result = session::quantize(network, samples, {.recipe = "auto"},
//   call); if (result)
//     session::compile(*result->network, {.target = "Z2_1104"}, call);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_SESSION_QUANTIZE_H
#define YARROW_COMPILER_SESSION_QUANTIZE_H

#include "compiler/quantize/QuantizedModel.h"
#include "compiler/session/Data.h"
#include "compiler/session/Network.h"
#include "compiler/session/PhaseModule.h"
#include "compiler/session/Settings.h"

#include <memory>

namespace yarrow::session {

struct Quantized {
  std::shared_ptr<const Network> network;
  config::BuildConfig config; ///< What it was quantized by.
  /// What quantization found out. Its networks are in the context of `network`,
  /// which is not handed over while they are there. If the
  /// network came in integers, the original is null.
  QuantizedModel model;
  /// Methods of the recipe, which are for one shape of the inputs.
  bool leavesMethodsOut = false;
};

/// As `yarrow quantize` does it, and nothing is written but what a key asks for
/// by a path. Without data, ranges come from the files that keys name. Null
/// after errors.
std::unique_ptr<Quantized> quantize(std::shared_ptr<const Network> from,
                                    const Data &data,
                                    const QuantizeSettings &settings,
                                    const Call &call);

/// By a configuration, which names the files that are read and written.
struct ConfiguredQuantization {
  config::BuildConfig config;
  /// How networks are compiled where the target decides.
  CompileSettings trial = {};
  CompareDetail detail = CompareDetail::Layers;
  /// One that is in integers, or is not to be quantized, is the result.
  bool takesIntegers = false;
};
std::unique_ptr<Quantized> quantize(std::shared_ptr<const Network> from,
                                    const ConfiguredQuantization &how,
                                    const Call &call);

/// The network as it is after the phase \p last, quantize or one before
/// (Phases.def); nothing is written or compared.
PhaseModule quantizeUntil(std::shared_ptr<const Network> from,
                          const config::BuildConfig &config,
                          const std::string &last, const Call &call);

} // namespace yarrow::session

#endif // YARROW_COMPILER_SESSION_QUANTIZE_H
