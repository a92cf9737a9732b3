//===- ResizeProducts.h - A resize as matrix products -----------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// If almost all places of an axis have different weights (aligned corners,
// lengths without a common factor), a row of the result is a matrix product.
// The first matrix is constant: some columns of the result by the pixels that
// they depend on. The second has these pixels' channels. The pixels are in two
// rows. They become one axis if the matrix has a column for every pixel of both
// rows, or if the rows are copied so that their pixels alternate.
//
//   for (const ResizeRow &row : productsOf(layer, 32, band, constants))
//     // row.pairs: first copy rows row.low and row.low + 1 together
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PASSES_LOWER_DESCRIBE_RESIZEPRODUCTS_H
#define YARROW_PASSES_LOWER_DESCRIBE_RESIZEPRODUCTS_H

#include "passes/lower/describe/ResizeBand.h"

namespace yarrow::npu {

/// A row of the result. Of its products A counts from the constants, C from the
/// band's first row, and B from the pairs or from the band's first row of the
/// input.
struct ResizeRow {
  bool readsPairs = false;
  /// Makes the pairs, where those of the row before are others: the source
  /// counts as B does of other rows.
  std::optional<isa::Copy> pairs;
  std::vector<isa::MatMul> products;
};

/// With a product for so many columns.
std::vector<ResizeRow> productsOf(const ResizeLayer &layer, uint32_t columns,
                                  const RowBand &band,
                                  ResizeConstants &constants);

/// Of a place for pairs.
inline uint64_t pairBytes(const ResizeLayer &layer) {
  return 2 * layer.inRowBytes();
}

} // namespace yarrow::npu

#endif // YARROW_PASSES_LOWER_DESCRIBE_RESIZEPRODUCTS_H
