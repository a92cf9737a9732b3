//===- Convert.h - Networks in integers without samples ---------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//   auto network = session::load({.path = "net.tflite",
//                                 .use = LoadFor::Inspection}, call);
//   if (compass::isCompat(network->module()))
//     network = session::withOwnIntegers(network, {}, call);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_SESSION_CONVERT_H
#define YARROW_COMPILER_SESSION_CONVERT_H

#include "compiler/session/Network.h"

#include <memory>

namespace yarrow::session {

/// Of a model that is quantized and was loaded as its file has it: with the
/// model's own integers. Null after errors.
std::shared_ptr<const Network>
withOwnIntegers(std::shared_ptr<const Network> network,
                const PrequantizedOptions &given, const Call &call);

/// Of a float network: in integers with ranges that are made up, which shows
/// what quantize() refuses whatever the samples are. Null after errors.
std::shared_ptr<const Network>
withMadeUpRanges(std::shared_ptr<const Network> network, const Call &call);

} // namespace yarrow::session

#endif // YARROW_COMPILER_SESSION_CONVERT_H
