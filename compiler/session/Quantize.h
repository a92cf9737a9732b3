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
#include "compiler/session/Settings.h"

#include <memory>

namespace yarrow::session {

struct Quantized {
  std::shared_ptr<const Network> network;
  config::BuildConfig config; ///< What it was quantized by.
  /// What quantization found out; its networks are in the context of `network`.
  QuantizedModel model;
};

/// As `yarrow quantize` does it, and nothing is written but what a key asks for
/// by a path. Without data, ranges come from the files that keys name. Null
/// after errors.
std::unique_ptr<Quantized> quantize(const std::shared_ptr<const Network> &from,
                                    const Data &data,
                                    const QuantizeSettings &settings,
                                    const Call &call);

} // namespace yarrow::session

#endif // YARROW_COMPILER_SESSION_QUANTIZE_H
