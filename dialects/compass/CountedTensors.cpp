//===- CountedTensors.cpp - Tensors whose elements fit 32 bits ------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/CountedTensors.h"

#include "support/diagnostics/Operators.h"

#include <algorithm>

using namespace yarrow;
using namespace yarrow::compass;
using namespace mlir;

bool compass::isCounted(ArrayRef<int64_t> lengths) {
  int64_t count = 1;
  for (int64_t length : lengths) {
    length = std::max<int64_t>(length, 1);
    if (length > INT32_MAX / count) // so that no product overflows
      return false;
    count *= length;
  }
  return true;
}

void compass::checkCounted(LayerCheck &check, unsigned input, int64_t each) {
  SmallVector<int64_t> lengths(check.in(input));
  lengths.push_back(each);
  if (!isCounted(lengths))
    check
        .problem(diag::OpShape, "layer_bottom_shape",
                 "a tensor has more elements than the layer can count")
        .found(shapeText(check.in(input)))
        .expected("up to " + Twine(INT32_MAX / each) + " elements")
        .token(shapeText(check.in(input)));
}
