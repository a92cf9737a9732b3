//===- Matrix.cpp - Products and factors of float matrices ----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "quantizer/math/Matrix.h"

#include "kernels/FloatTile.h"
#include "support/ThreadPool.h"

#include <algorithm>
#include <cassert>
#include <cmath>

using namespace yarrow;
using namespace yarrow::kernels;

/// Rows of a task, and terms of one block of sums: a block's rows of both
/// factors stay in the first-level cache.
static constexpr std::size_t kTaskRows = 64, kBlockTerms = 256;

Matrix::Matrix(std::size_t rows, std::size_t columns)
    : rows(rows), columns(columns), pitch(packedColumns(uint32_t(columns))),
      values(rows * pitch) {}

void Matrix::clear() { std::fill(values.begin(), values.end(), 0.0f); }

Matrix Matrix::transposed() const {
  Matrix result(columns, rows);
  constexpr std::size_t kTile = 32; // of lines of a cache
  for (std::size_t i = 0; i < rows; i += kTile)
    for (std::size_t j = 0; j < columns; ++j)
      for (std::size_t k = i; k < std::min(rows, i + kTile); ++k)
        result.at(j, k) = at(k, j);
  return result;
}

/// Up to kTileRows rows from \p row and a block of columns from \p column.
static void addTile(const Matrix &a, const Matrix &b, Matrix &to,
                    std::size_t row, std::size_t count, std::size_t column,
                    uint32_t width) {
  float sums[kTileRows * kTileColumns] = {};
  for (std::size_t term = 0; term < a.columns; term += kBlockTerms)
    addProducts(width, {a.row(row) + term, int64_t(a.pitch), uint32_t(count)},
                {b.row(term) + column, int64_t(b.pitch)},
                uint32_t(std::min(kBlockTerms, a.columns - term)), sums);
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t j = 0; j < width; ++j)
      to.row(row + i)[column + j] += sums[i * kTileColumns + j];
}

void yarrow::addProduct(const Matrix &a, const Matrix &b, Matrix &to,
                        ProductPart part) {
  assert(a.columns == b.rows && a.rows == to.rows && b.columns == to.columns);
  std::size_t rowTasks = numRanges(a.rows, kTaskRows);
  std::size_t columnTasks = numRanges(b.columns, kTileColumns);
  parallelFor(rowTasks * columnTasks, [&](std::size_t task) {
    std::size_t begin = task / columnTasks * kTaskRows;
    std::size_t end = std::min(a.rows, begin + kTaskRows);
    std::size_t column = task % columnTasks * kTileColumns;
    uint32_t width = tileWidth(
        uint32_t(std::min<std::size_t>(kTileColumns, b.columns - column)));
    if (part == ProductPart::Upper && column + width <= begin)
      return;
    for (std::size_t row = begin; row < end; row += kTileRows)
      addTile(a, b, to, row, std::min<std::size_t>(kTileRows, end - row),
              column, width);
  });
}

void yarrow::mirrorUpper(Matrix &symmetric) {
  for (std::size_t i = 0; i < symmetric.rows; ++i)
    for (std::size_t j = i + 1; j < symmetric.columns; ++j)
      symmetric.at(j, i) = symmetric.at(i, j);
}

/// The factor of rows begin .. end, of which earlier rows' parts are taken out,
/// in all columns from begin on.
static bool factorizePanel(Matrix &h, std::size_t begin, std::size_t end) {
  for (std::size_t i = begin; i < end; ++i) {
    float diagonal = h.at(i, i);
    if (!(diagonal > 0) || !std::isfinite(diagonal))
      return false;
    float inverse = 1 / std::sqrt(diagonal);
    float *factor = h.row(i);
    for (std::size_t j = i; j < h.columns; ++j)
      factor[j] *= inverse;
    for (std::size_t r = i + 1; r < end; ++r) {
      float *row = h.row(r);
      float part = factor[r];
      for (std::size_t j = r; j < h.columns; ++j)
        row[j] -= part * factor[j];
    }
  }
  return true;
}

bool yarrow::factorize(Matrix &h) {
  assert(h.rows == h.columns && "a square matrix");
  constexpr std::size_t kPanel = 32;
  std::size_t size = h.rows;
  for (std::size_t begin = 0; begin < size; begin += kPanel) {
    std::size_t end = std::min(size, begin + kPanel), rest = size - end;
    if (!factorizePanel(h, begin, end))
      return false;
    if (rest == 0)
      break;
    // What is below the panel: h -= panel^T panel.
    Matrix panel(end - begin, rest), negative(rest, end - begin);
    for (std::size_t i = begin; i < end; ++i)
      for (std::size_t j = 0; j < rest; ++j) {
        panel.at(i - begin, j) = h.at(i, end + j);
        negative.at(j, i - begin) = -h.at(i, end + j);
      }
    Matrix change(rest, rest);
    addProduct(negative, panel, change, ProductPart::Upper);
    for (std::size_t i = 0; i < rest; ++i) {
      float *row = h.row(end + i) + end;
      for (std::size_t j = i; j < rest; ++j)
        row[j] += change.at(i, j);
    }
  }
  return true;
}

void yarrow::solve(const Matrix &factor, std::span<float> values) {
  assert(values.size() == factor.rows);
  std::size_t size = values.size();
  // y U = values, from the front; then x U^T = y, from the back.
  for (std::size_t i = 0; i < size; ++i) {
    const float *row = factor.row(i);
    float y = values[i] / row[i];
    values[i] = y;
    for (std::size_t j = i + 1; j < size; ++j)
      values[j] -= y * row[j];
  }
  for (std::size_t i = size; i-- > 0;) {
    const float *row = factor.row(i);
    double sum = values[i];
    for (std::size_t j = i + 1; j < size; ++j)
      sum -= double(row[j]) * values[j];
    values[i] = float(sum / row[i]);
  }
}
