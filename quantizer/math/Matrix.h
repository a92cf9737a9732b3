//===- Matrix.h - Products and factors of float matrices --------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// What methods that round weights by second moments need of linear algebra.
// Sums go in an order that depends on the sizes alone: the same bits on any
// host (kernels/FloatTile.h) and number of threads.
//
//   Matrix gram(x.columns, x.columns);
//   addProduct(x.transposed(), x, gram); // gram += x^T x
//   if (factorize(gram))                 // gram = U^T U
//     solve(gram, row);                  // row * (U^T U)^-1
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_QUANTIZER_MATH_MATRIX_H
#define YARROW_QUANTIZER_MATH_MATRIX_H

#include <cstddef>
#include <span>
#include <vector>

namespace yarrow {

/// Row by row; each row is filled up with zeros to what FloatTile reads.
class Matrix {
public:
  Matrix() = default;
  Matrix(std::size_t rows, std::size_t columns);

  std::size_t rows = 0, columns = 0;
  std::size_t pitch = 0; ///< elements from a row to the next

  float *row(std::size_t i) { return values.data() + i * pitch; }
  const float *row(std::size_t i) const { return values.data() + i * pitch; }
  std::span<float> rowOf(std::size_t i) { return {row(i), columns}; }
  std::span<const float> rowOf(std::size_t i) const {
    return {row(i), columns};
  }
  float &at(std::size_t i, std::size_t j) { return row(i)[j]; }
  float at(std::size_t i, std::size_t j) const { return row(i)[j]; }
  void clear();
  Matrix transposed() const;

private:
  std::vector<float> values;
};

/// Which elements of a product are wanted.
enum class ProductPart { All, Upper /**< on the diagonal and right of it */ };

/// to += a * b. Elements that are not wanted may be added as well.
void addProduct(const Matrix &a, const Matrix &b, Matrix &to,
                ProductPart part = ProductPart::All);

/// Copies what lies right of the diagonal to below it.
void mirrorUpper(Matrix &symmetric);

/// Turns \p h, symmetric and given right of the diagonal, into U with h = U^T U
/// (Cholesky); what lies left of the diagonal is undefined. False if h is not
/// positive definite.
bool factorize(Matrix &h);

/// values := values * h^-1, given h's factor by factorize().
void solve(const Matrix &factor, std::span<float> values);

} // namespace yarrow

#endif // YARROW_QUANTIZER_MATH_MATRIX_H
