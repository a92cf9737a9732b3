//===- Options.h - What a session says of its provider ----------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The options that a program gives with the provider, and those of ONNX Runtime
// that concern every provider. docs/howto/from_onnxruntime.md lists them.
//
//   Options options = readOptions(sessionOptions); // throws a Failure
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_API_ONNXRUNTIME_OPTIONS_H
#define YARROW_API_ONNXRUNTIME_OPTIONS_H

#include "api/onnxruntime/Abi.h"
#include "compiler/provider/Partition.h"
#include "runtime/SimulatedDevice.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace yarrow::ort {

inline constexpr char kProviderName[] = "YarrowExecutionProvider";

struct Options {
  provider::PartSettings part;
  provider::Worth worth;
  std::string calibration; ///< A file or a folder; "": nothing is quantized.
  bool isTimed = false;
  /// Work after which a run of a part stops (runtime/SimulatedDevice.h).
  std::uint64_t budget = sim::kDefaultBudget;
  std::size_t maxShapes = 8; ///< That a part is compiled for.
  std::string report;        ///< "": none.

  // Options of ONNX Runtime, for a model that holds compiled parts.
  bool makesContext = false, embedsContext = false;
  std::string contextPath;
};

Options readOptions(const SessionOptions *session);

/// The files of samples for the inputs of a model, as PartSettings has them.
std::map<std::string, std::string>
samplesFor(const std::vector<std::string> &inputs, const std::string &given);

} // namespace yarrow::ort

#endif // YARROW_API_ONNXRUNTIME_OPTIONS_H
