//===- Eigen.cpp - Eigenvectors of symmetric matrices ---------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "quantizer/math/Eigen.h"

#include <cassert>
#include <cmath>

using namespace yarrow;

namespace {

/// Turns axes p and q of a row-major square matrix.
class Jacobi {
public:
  explicit Jacobi(const Matrix &symmetric)
      : size(symmetric.rows), a(size * size), vectors(size * size) {
    for (std::size_t i = 0; i < size; ++i) {
      vectors[i * size + i] = 1;
      for (std::size_t j = 0; j < size; ++j)
        a[i * size + j] = symmetric.at(i, j);
    }
  }

  /// The share of squares that is off the diagonal.
  double offDiagonal() const {
    double off = 0, all = 0;
    for (std::size_t i = 0; i < size; ++i)
      for (std::size_t j = 0; j < size; ++j) {
        double square = a[i * size + j] * a[i * size + j];
        all += square;
        off += i == j ? 0 : square;
      }
    return all > 0 ? off / all : 0;
  }

  void sweep() {
    for (std::size_t p = 0; p + 1 < size; ++p)
      for (std::size_t q = p + 1; q < size; ++q)
        rotate(p, q);
  }

  EigenSystem result() const {
    EigenSystem system{{}, Matrix(size, size)};
    for (std::size_t i = 0; i < size; ++i) {
      system.values.push_back(a[i * size + i]);
      for (std::size_t j = 0; j < size; ++j)
        system.vectors.at(i, j) = float(vectors[i * size + j]);
    }
    return system;
  }

private:
  /// The angle for which a_pq becomes 0 (Golub and Van Loan, 8.5).
  void rotate(std::size_t p, std::size_t q) {
    double apq = a[p * size + q];
    if (apq == 0)
      return;
    double theta = (a[q * size + q] - a[p * size + p]) / (2 * apq);
    double t = std::copysign(1.0, theta) /
               (std::fabs(theta) + std::sqrt(theta * theta + 1));
    double c = 1 / std::sqrt(t * t + 1), s = t * c;
    for (std::size_t k = 0; k < size; ++k)
      turn(a[k * size + p], a[k * size + q], c, s);
    for (std::size_t k = 0; k < size; ++k) {
      turn(a[p * size + k], a[q * size + k], c, s);
      turn(vectors[p * size + k], vectors[q * size + k], c, s);
    }
  }
  static void turn(double &x, double &y, double c, double s) {
    double was = x;
    x = c * was - s * y;
    y = s * was + c * y;
  }

  std::size_t size;
  std::vector<double> a, vectors; ///< vectors: row by row.
};

} // namespace

EigenSystem yarrow::eigenSystem(const Matrix &symmetric) {
  assert(symmetric.rows == symmetric.columns && "a square matrix");
  constexpr int kMostSweeps = 30;
  constexpr double kDone = 1e-18;
  Jacobi jacobi(symmetric);
  for (int i = 0; i < kMostSweeps && jacobi.offDiagonal() > kDone; ++i)
    jacobi.sweep();
  return jacobi.result();
}
