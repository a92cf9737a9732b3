//===- Precision.h - The numbers that a layer computes in -------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// What a search for mixed precision gives a layer: integers of so many bits for
// its weights and its result, a float type, or what the configuration says.
//
//   std::optional<Precision> p = Precision::parse("16");
//   p->applyTo(options);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_PRECISION_PRECISION_H
#define YARROW_COMPILER_PRECISION_PRECISION_H

#include "quantizer/options/QuantizerOptions.h"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace yarrow {

struct Precision {
  std::string name;
  unsigned weightBits = 0, activationBits = 0; ///< 0: as it is configured.
  std::optional<ElementType> floatType;

  /// "4", "8", "16", "float16", "bfloat16", "float32" or "given". Weights of
  /// less than 8 bits go with activations of 8.
  static std::optional<Precision> parse(std::string_view name);
  static const char *forms() {
    return "4 to 16, float16, bfloat16, float32 or given";
  }

  bool isUnchanged() const { return !activationBits && !floatType; }
  void applyTo(LayerOptions &options) const;
  /// For the layers with these layer_ids; for all without.
  LayerOverride overrideFor(const std::vector<int64_t> &ids) const;
  /// As keys of a configuration with their values for one layer; none of what
  /// is given.
  std::map<std::string, std::string> settings() const;
  /// Whether layers without weights are the same in both.
  bool isSameWithoutWeights(const Precision &other) const {
    return activationBits == other.activationBits &&
           floatType == other.floatType;
  }
};

} // namespace yarrow

#endif // YARROW_COMPILER_PRECISION_PRECISION_H
