//===- LayerNumbers.h - What exports read of a layer ------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The operands of a layer, for exports to any format: its tensors, its
// multipliers as real numbers, and the integers of its weights.
//
//   for (double m : exports::multipliersOf(op)) // result = sum * m
//   auto integers = exports::integerWeights(op);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PARSER_EXPORT_LAYERNUMBERS_H
#define YARROW_PARSER_EXPORT_LAYERNUMBERS_H

#include "dialects/compass/Keys.h"
#include "dialects/compass/LayerProgram.h"
#include <optional>
#include <vector>

namespace yarrow::exports {

/// A tensor as an export sees it: indices and counts, 32 bits with scale 1,
/// are plain integers.
compass::TensorInfo describe(mlir::Value value);

/// Whether a layer computes in integers with scales.
bool isInteger(mlir::Operation *op);

/// Whether a table has the results of an integer Activation. The keys of its
/// function are real numbers then.
bool isTable(mlir::Operation *op);

/// The type that holds a quantized tensor and its zero point, as other formats
/// demand: its own or, as after a CLIP, one of 16 bits. nullopt if none does.
std::optional<compass::DType> typeWithZero(const compass::TensorInfo &info);

/// Whether the stored values mean the same.
bool haveOneType(mlir::Value a, mlir::Value b);
/// Whether all operands of a layer have the type of its first result.
bool keepsValues(mlir::Operation *op);

/// scale / 2^shift of a layer: one value, or one for each channel. {1} without
/// the keys.
std::vector<double> multipliersOf(mlir::Operation *op);

/// The axis that the key names, counted from the front.
int64_t axisOf(mlir::Operation *op, compass::IntKey key, size_t rank);

/// Weights with their zero points, biases without that of the input, which the
/// IR has in them.
struct IntegerWeights {
  compass::BufferBinding weights;
  std::vector<int64_t> biases;
};
mlir::FailureOr<IntegerWeights> integerWeights(mlir::Operation *op);

/// Lengths that repeat without being 1 are Compass's own.
bool repeatsParts(mlir::Operation *op);

/// Whether some window of a pool sticks out of the padded input: the declared
/// shape says it.
bool roundsUp(mlir::Operation *op, unsigned spatial);

} // namespace yarrow::exports

#endif // YARROW_PARSER_EXPORT_LAYERNUMBERS_H
