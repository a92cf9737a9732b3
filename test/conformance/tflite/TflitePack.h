//===- TflitePack.h - TFLite models with recorded tensors -------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A pack is a folder with a model and what TensorFlow Lite computed for it, as
// stored integers: inK.npy and outK.npy with an axis of samples before the
// tensor's own, layers.json and layers/*.npy with every operator's results for
// the first sample (models of one operator have none), and meta.json.
//
//   for (const TflitePack &pack : findTflitePacks("../shared/packs/tflite"))
//     std::cout << pack.name << pack.layers.size();
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_TEST_CONFORMANCE_TFLITE_TFLITEPACK_H
#define YARROW_TEST_CONFORMANCE_TFLITE_TFLITEPACK_H

#include "support/Diagnostics.h"
#include "support/Npy.h"

#include <optional>
#include <string>
#include <vector>

namespace yarrow::conformance {

/// A result of an operator of the model.
struct RecordedLayer {
  std::string file, name, op;
};

struct TflitePack {
  std::string name; ///< "resnet8_int8", "seanet/conv0"
  std::string model;
  std::vector<std::string> inputs, outputs; ///< Files.
  std::string onlyOp;                       ///< Of a model of one operator.
  std::vector<RecordedLayer> layers;
};

/// By name. Empty if there is no such folder; what is wrong with one that is
/// there is in \p diags.
std::vector<TflitePack> findTflitePacks(const std::string &folder,
                                        DiagnosticEngine &diags);

/// An array whose first axis counts samples, that axis and the next as one.
std::optional<NpyView> readSamples(const std::string &path,
                                   DiagnosticEngine &diags);

} // namespace yarrow::conformance

#endif // YARROW_TEST_CONFORMANCE_TFLITE_TFLITEPACK_H
