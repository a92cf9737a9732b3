//===- Eigen.h - Eigenvectors of symmetric matrices -------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//   EigenSystem e = eigenSystem(gram); // gram = x^T x
//   std::sqrt(e.values[0]);            // a singular value of x
//   e.vectors.row(0);                  // its right vector
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_QUANTIZER_MATH_EIGEN_H
#define YARROW_QUANTIZER_MATH_EIGEN_H

#include "quantizer/math/Matrix.h"

#include <vector>

namespace yarrow {

struct EigenSystem {
  std::vector<double> values; ///< In no order.
  Matrix vectors;             ///< A row for each value.
};

/// By Jacobi's rotations, which take some n^3 steps a sweep: for hundreds of
/// rows. \p symmetric is finite.
EigenSystem eigenSystem(const Matrix &symmetric);

} // namespace yarrow

#endif // YARROW_QUANTIZER_MATH_EIGEN_H
