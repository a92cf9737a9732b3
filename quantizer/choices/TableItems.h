//===- TableItems.h - Items of a table by its inputs ------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// By its curvature, a table gets at most 4,096 items (math/Lut.h). Near a pole,
// one of its straight lines covers values of several decades. If samples are in
// that range, more items are worth their bytes.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_QUANTIZER_CHOICES_TABLEITEMS_H
#define YARROW_QUANTIZER_CHOICES_TABLEITEMS_H

#include "quantizer/math/QuantParams.h"

#include <functional>
#include <span>

namespace yarrow {

struct TableTask {
  std::function<double(double)> function;
  LinearParams input, output;
  std::span<const float> values; ///< That the samples ask for.
  unsigned least = 8, most = 12; ///< Of the table that there is without.
};

/// The fewest items in bits, most or more, with which \p values come as near to
/// the function as with the largest table but for a decibel; `most` where those
/// have so much that nothing is lost in usual networks.
unsigned mostItemsInBitsFor(const TableTask &task);

} // namespace yarrow

#endif // YARROW_QUANTIZER_CHOICES_TABLEITEMS_H
