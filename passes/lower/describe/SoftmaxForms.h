//===- SoftmaxForms.h - The steps of a Softmax on the engine ----*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Rows of neighbours go through the output stage as functions of two operands:
// maxima of halves until one value is left, then tables of the difference to
// it, which are added up as products with ones.
//
//   SoftmaxForms forms(type, rows, axis);
//   forms.forEachWidth([&](uint32_t width) { emit(forms.halves(width)); });
//   emit(forms.differences(DType::U16, 8, 8)), emit(forms.sums());
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PASSES_LOWER_DESCRIBE_SOFTMAXFORMS_H
#define YARROW_PASSES_LOWER_DESCRIBE_SOFTMAXFORMS_H

#include "isa/Division.h"
#include "passes/lower/describe/Pointwise.h"

namespace yarrow::npu {

class SoftmaxForms {
public:
  SoftmaxForms(ElementType type, uint32_t rows, uint32_t axis)
      : type(type), rows(rows), axis(axis) {}

  /// Calls fn(width) for the widths of rows of which halves are taken.
  template <typename Fn> void forEachWidth(Fn fn) const {
    for (uint32_t width = axis; width > 1; width = isa::divideUp(width, 2))
      fn(width);
  }
  /// Maxima of both halves of rows of `width` values, which may share one.
  Pointwise halves(uint32_t width) const;
  /// A value less the greatest of its row, which is the other operand, in a
  /// table of 2^log2Items entries for that many bits.
  Pointwise differences(ElementType tableType, uint32_t inBits,
                        uint32_t log2Items) const;
  /// Of rows of uint16; the second operand is one 1, again and again.
  isa::MatMul sums() const;
  /// A function of each value and a number of its row, without any scale.
  Pointwise withNumbers(isa::SumOp op, ElementType own, ElementType number,
                        ElementType out, int32_t lo, int32_t hi) const;

private:
  ElementType type;
  uint32_t rows, axis;
};

/// Adds up what commands take that wait for one another.
class ChainCost {
public:
  explicit ChainCost(const isa::Machine &machine) : machine(machine) {}

  void add(const Pointwise &f);
  void add(const isa::MatMul &d);
  /// Nullopt if the engine lacks one.
  std::optional<uint64_t> cycles() const {
    return isPossible ? std::optional(sum) : std::nullopt;
  }

private:
  const isa::Machine &machine;
  uint64_t sum = 0;
  bool isPossible = true;
};

} // namespace yarrow::npu

#endif // YARROW_PASSES_LOWER_DESCRIBE_SOFTMAXFORMS_H
