//===- LayerFacts.h - Facts about a network's layers ------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Facts that a page shows in addition to a picture of a run: the keys of each
// layer, its constants and the distribution of their values. If the network was
// compared with its float form, also the values of each tensor, the range of
// its integers, and the sources of its noise. An executable alone only has
// keys.
//
//   std::vector<LayerFacts> facts = factsOf(module);
//   addMetrics(metrics, facts); // with CompareDetail::Causes
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_PAGE_LAYERFACTS_H
#define YARROW_COMPILER_PAGE_LAYERFACTS_H

#include "codegen/KeyTexts.h"
#include "dialects/compass/Tensors.h"
#include "mlir/IR/BuiltinOps.h"
#include "quantizer/math/ValueHistogram.h"
#include "quantizer/metrics/Metrics.h"
#include "runtime/Executable.h"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace yarrow {

struct ShownConstant {
  std::string key, type;
  std::vector<int64_t> shape;
  uint64_t sizeBytes = 0;
  /// Of the numbers as they are stored; of large constants of evenly spread
  /// ones.
  ValueHistogram values;
};

/// A tensor that a layer makes, on the samples that it was compared on.
struct ShownValues {
  std::string tensor;
  ValueHistogram values; ///< Real numbers of the float network.
  /// Real numbers that the integers stand for; 0, 0 of floats.
  double rangeMin = 0, rangeMax = 0;
  ErrorParts parts;
};

struct LayerFacts {
  std::string name;
  KeyTexts attributes; ///< Keys of the IR.
  std::vector<ShownConstant> constants;
  std::vector<ShownValues> results;
};

/// One for each layer of all graphs of \p network, in their order.
std::vector<LayerFacts> factsOf(mlir::ModuleOp network);

/// Of the layers that \p executable runs: their attributes, which is all that
/// it keeps of them.
std::vector<LayerFacts> factsOf(const runtime::Executable &executable);

/// Adds the spread of values and the noise of each tensor, to the layers of the
/// same names.
void addMetrics(const std::vector<TensorMetric> &metrics,
                std::vector<LayerFacts> &facts);

nlohmann::ordered_json factsJson(const std::vector<LayerFacts> &facts);

} // namespace yarrow

#endif // YARROW_COMPILER_PAGE_LAYERFACTS_H
