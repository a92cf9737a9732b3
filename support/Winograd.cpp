//===- Winograd.cpp - The matrices of minimal filtering -------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Cook and Toom: a filter's outputs are coefficients of a product of
// polynomials, transposed. Values at m + r - 2 points p and the leading
// coefficient ("infinity") determine it:
//
//   A^T[i][j] = p_j^i                  last column: 0 ... 0 1
//   G[j][k]   = p_j^k / N_j            last row:    0 ... 0 1
//   B^T[j]    = coefficients of the product over l != j of (x - p_l);
//               last row: of the product over all l
//   N_j       = product over l != j of (p_j - p_l)
//
//===----------------------------------------------------------------------===//
#include "support/Winograd.h"

#include <algorithm>
#include <numeric>

using namespace yarrow;

// Numerators and denominators stay below 2^31: at most 7 points, of which the
// largest is 3 and the smallest 1/2, and products of at most 7 differences.
static Rational reduced(int64_t num, int64_t den) {
  int64_t divisor = std::gcd(num, den);
  if (den < 0)
    divisor = -divisor;
  return {num / divisor, den / divisor};
}
static Rational operator*(Rational a, Rational b) {
  return reduced(a.num * b.num, a.den * b.den);
}
static Rational operator+(Rational a, Rational b) {
  return reduced(a.num * b.den + b.num * a.den, a.den * b.den);
}
static Rational operator-(Rational a) { return {-a.num, a.den}; }

/// Small points first: they keep the entries small.
static constexpr Rational kPoints[] = {{0, 1},  {1, 1}, {-1, 1}, {2, 1},
                                       {-2, 1}, {1, 2}, {-1, 2}};

using Polynomial = std::vector<Rational>; ///< By rising power.

static Polynomial timesRoot(const Polynomial &p, Rational root) {
  Polynomial product(p.size() + 1);
  for (std::size_t i = 0; i < p.size(); ++i) {
    product[i + 1] = product[i + 1] + p[i];
    product[i] = product[i] + -root * p[i];
  }
  return product;
}

bool WinogradMatrices::isIntegral() const {
  auto isInteger = [](const Rational &r) { return r.isInteger(); };
  return std::all_of(outputTransform.begin(), outputTransform.end(),
                     isInteger) &&
         std::all_of(inputTransform.begin(), inputTransform.end(), isInteger);
}

/// F(1,r): each weight meets its input. F(m,1): each input meets the weight.
static void makePlain(WinogradMatrices &f) {
  for (unsigned j = 0; j < f.tile(); ++j) {
    f.inputTransform[j * f.tile() + j] = {1, 1};
    f.outputTransform[f.outputs == 1 ? j : j * f.tile() + j] = {1, 1};
    f.weightTransform[f.kernel == 1 ? j : j * f.kernel + j] = {1, 1};
  }
}

WinogradMatrices yarrow::winogradMatrices(unsigned outputs, unsigned kernel) {
  WinogradMatrices f{outputs, kernel, {}, {}, {}};
  unsigned tile = f.tile(), numPoints = tile - 1;
  assert(outputs >= 1 && kernel >= 1 && tile <= kMaxWinogradTile &&
         numPoints <= std::size(kPoints));
  f.outputTransform.resize(outputs * tile);
  f.weightTransform.resize(tile * kernel);
  f.inputTransform.resize(tile * tile);
  if (outputs == 1 || kernel == 1) {
    makePlain(f);
    return f;
  }
  Polynomial all = {{1, 1}};
  for (unsigned j = 0; j < numPoints; ++j) {
    Rational norm{1, 1};
    Polynomial others = {{1, 1}};
    for (unsigned l = 0; l < numPoints; ++l)
      if (l != j) {
        norm = norm * (kPoints[j] + -kPoints[l]);
        others = timesRoot(others, kPoints[l]);
      }
    all = timesRoot(all, kPoints[j]);
    // The sign of a row of B^T and of G is free; the paper has the row of
    // point 0 begin with a positive entry.
    Rational sign{j == 0 && others[0].num < 0 ? -1 : 1, 1};
    for (unsigned k = 0; k < others.size(); ++k)
      f.inputTransform[j * tile + k] = sign * others[k];
    Rational power{1, 1};
    for (unsigned i = 0; i < std::max(outputs, kernel); ++i) {
      if (i < outputs)
        f.outputTransform[i * tile + j] = power;
      if (i < kernel)
        f.weightTransform[j * kernel + i] =
            sign * power * reduced(norm.den, norm.num);
      power = power * kPoints[j];
    }
  }
  // The row of infinity: the paper's first entry that is not 0 is positive.
  auto first = std::find_if(all.begin(), all.end(),
                            [](const Rational &r) { return r.num != 0; });
  Rational sign{first->num < 0 ? -1 : 1, 1};
  for (unsigned k = 0; k < tile; ++k)
    f.inputTransform[numPoints * tile + k] = sign * all[k];
  f.outputTransform[outputs * tile - 1] = sign;
  f.weightTransform[tile * kernel - 1] = {1, 1};
  return f;
}
