//===- ProductsTest.cpp - Products of matrices of QNN ---------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "test/unit/qnn/References.h"

using namespace yarrow;
using namespace yarrow::test;

namespace {

/// [rows, n] times [m, n], transposed, plus bias.
Reference connected(const Values &x, const Values &w, const Values *bias,
                    Dims dims) {
  Reference y(std::move(dims));
  std::int64_t inner = w.dims[1], m = w.dims[0];
  for (std::size_t i = 0; i < y.reals.size(); ++i) {
    std::int64_t row = std::int64_t(i) / m, column = std::int64_t(i) % m;
    double sum = bias ? bias->real(std::size_t(column)) : 0;
    for (std::int64_t k = 0; k < inner; ++k)
      sum += x.real(std::size_t(row * inner + k)) *
             w.real(std::size_t(column * inner + k));
    y.reals[i] = sum;
  }
  return y;
}

struct Connected {
  Dims x, w;
  bool keepsDims;
  Dims y;
};
const Connected kConnected[] = {
    {{6}, {4, 6}, false, {4}},
    {{6}, {4, 6}, true, {4}},
    {{3, 8}, {5, 8}, false, {3, 5}},
    {{2, 3, 8}, {5, 8}, false, {6, 5}},
    {{2, 3, 8}, {5, 8}, true, {2, 3, 5}},
    {{2, 2, 3, 4}, {7, 12}, false, {4, 7}}, // two rows are one
};

/// Element [row, column] of matrix \p batch of x, which broadcasts.
double element(const Reference &x, bool isTransposed, const Dims &batch,
               std::int64_t row, std::int64_t column) {
  Dims at = isTransposed ? Dims{column, row} : Dims{row, column};
  std::size_t axes = x.dims.size() - 2;
  for (std::size_t a = 0; a < axes; ++a) {
    std::int64_t i = batch[batch.size() - 1 - a];
    at.insert(at.begin(), x.dims[axes - 1 - a] == 1 ? 0 : i);
  }
  return x.at(at);
}

struct Product {
  Dims a, b;
  bool turnsA, turnsB;
  Dims y;

  Reference reference(const Reference &left, const Reference &right,
                      const std::vector<double> &bias) const {
    Reference result(y);
    std::int64_t inner = turnsA ? a[a.size() - 2] : a.back();
    forEachIndex(y, [&](const Dims &at) {
      Dims batch(at.begin(), at.end() - 2);
      double sum = bias.empty() ? 0 : bias[std::size_t(at.back())];
      for (std::int64_t k = 0; k < inner; ++k)
        sum += element(left, turnsA, batch, at[at.size() - 2], k) *
               element(right, turnsB, batch, k, at.back());
      result.at(at) = sum;
    });
    return result;
  }
  void setParams(OneNode &net) const {
    if (turnsA)
      net.flag("transpose_in0", true);
    if (turnsB)
      net.flag("transpose_in1", true);
  }
};

const Product kProducts[] = {
    {{3, 4}, {4, 5}, false, false, {3, 5}},
    {{4, 3}, {5, 4}, true, true, {3, 5}},
    {{2, 3, 4}, {4, 5}, false, false, {2, 3, 5}},
    {{2, 4, 3}, {5, 4}, true, true, {2, 3, 5}},
    {{2, 3, 4}, {2, 5, 4}, false, true, {2, 3, 5}},
    {{3, 6, 4}, {2, 1, 6, 5}, true, false, {2, 3, 4, 5}},
    {{1, 2, 3, 4}, {3, 1, 4, 2}, false, false, {3, 2, 3, 2}},
};

} // namespace

TEST(QnnFullyConnected, ComputesFloats) {
  Random random(1);
  for (const Connected &c : kConnected)
    for (bool isStatic : {true, false})
      for (bool hasBias : {true, false}) {
        Values x = random.values(F32, c.x), w = random.values(F32, c.w),
               b = random.values(F32, {c.w[0]});
        Reference y = connected(x, w, hasBias ? &b : nullptr, c.y);
        OneNode net("FullyConnected");
        net.input(x);
        isStatic ? net.constant(w) : net.input(w);
        if (hasBias)
          isStatic ? net.constant(b) : net.input(b);
        if (c.keepsDims)
          net.flag("keep_dims", true);
        net.output(F32, c.y);
        expectClose(net.run(), y, 1e-6);
      }
}

TEST(QnnFullyConnected, ComputesStoredNumbers) {
  Random random(2);
  for (auto [type, weights, isPerAxis] :
       {std::tuple(U8, U8, false), std::tuple(U8, S8, true),
        std::tuple(S8, S8, true), std::tuple(U16, S8, true),
        std::tuple(S16, S8, false)})
    for (const Connected &c : kConnected) {
      Values x = random.values(type, c.x, encodingFor(type, -2, 1.5));
      std::vector<float> scales;
      for (std::int64_t i = 0; i < c.w[0]; ++i)
        scales.push_back(float(random.between(0.002, 0.02)));
      Values w = random.values(
          weights, c.w,
          isPerAxis
              ? axisScaleOffset(0, scales,
                                std::vector<std::int32_t>(scales.size(), 0))
              : scaleOffset(0.011f, weights == U8 ? -131 : 0));
      Values b{S32, {c.w[0]}, {}, {}};
      b.encoding = scaleOffset(0.011f * x.encoding.scales[0], 0);
      if (isPerAxis) {
        for (float &scale : scales)
          scale *= x.encoding.scales[0];
        b.encoding = axisScaleOffset(
            0, scales, std::vector<std::int32_t>(scales.size(), 0));
      }
      for (std::int64_t i = 0; i < c.w[0]; ++i)
        b.numbers.push_back(double(random.below(4001) - 2000));
      Reference y = connected(x, w, &b, c.y);
      OneNode net("FullyConnected");
      net.input(x).constant(w).constant(b);
      if (c.keepsDims)
        net.flag("keep_dims", true);
      net.output(type, c.y, encodingFor(type, y));
      Values found = net.run();
      if (type == U8 || type == S8)
        expectEqual(found, y);
      else
        expectWithinOne(found, y);
      EXPECT_FALSE(net.reports("N0409"));
    }
}

TEST(QnnFullyConnected, ReportsRowsThatDoNotFit) {
  OneNode net("FullyConnected");
  net.input(floats({2, 3}, {1, 2, 3, 4, 5, 6}))
      .constant(floats({2, 4}, std::vector<double>(8, 1)))
      .output(F32, {2, 2});
  EXPECT_FALSE(net.import());
  EXPECT_TRUE(net.reports("E1041")) << net.diags.all().front().str();
}

TEST(QnnMatMul, ComputesFloats) {
  Random random(3);
  for (const Product &p : kProducts)
    for (int isStatic : {0, 1, 2})
      for (bool hasBias : {false, true}) {
        SCOPED_TRACE(::testing::PrintToString(p.a) +
                     ::testing::PrintToString(p.b));
        Values a = random.values(F32, p.a), b = random.values(F32, p.b),
               bias = random.values(F32, {p.y.back()});
        Reference y =
            p.reference(a, b, hasBias ? bias.numbers : std::vector<double>{});
        OneNode net("MatMul");
        p.setParams(net);
        isStatic == 2 ? net.constant(a) : net.input(a);
        isStatic == 1 ? net.constant(b) : net.input(b);
        if (hasBias)
          net.constant(bias);
        net.output(F32, p.y);
        expectClose(net.run(), y, 1e-6);
      }
}

TEST(QnnMatMul, ComputesStoredNumbers) {
  Random random(4);
  for (DataType type : {U8, S8, U16})
    for (const Product &p : kProducts)
      for (bool isStatic : {false, true})
        for (bool hasBias : {false, true}) {
          SCOPED_TRACE(::testing::PrintToString(p.a) +
                       ::testing::PrintToString(p.b));
          Values a = random.values(type, p.a, encodingFor(type, -2, 1.5));
          Values b = random.values(U8, p.b, encodingFor(U8, -0.5, 1));
          Values bias{S32, {p.y.back()}, {}, {}};
          bias.encoding =
              scaleOffset(a.encoding.scales[0] * b.encoding.scales[0], 0);
          for (std::int64_t i = 0; i < p.y.back(); ++i)
            bias.numbers.push_back(double(random.below(2001) - 1000));
          Reference y =
              p.reference(a, b, hasBias ? bias.reals() : std::vector<double>{});
          OneNode net("MatMul");
          p.setParams(net);
          net.input(a);
          isStatic ? net.constant(b) : net.input(b);
          if (hasBias)
            net.constant(bias);
          net.output(type, p.y, encodingFor(type, y));
          Values found = net.run();
          bool isInteger = type != U16 && (!hasBias || isStatic);
          if (isInteger && (p.b.size() == 2 || !hasBias)) {
            expectEqual(found, y);
            EXPECT_FALSE(net.reports("N0409"));
          } else {
            expectWithinOne(found, y);
          }
        }
}

TEST(QnnMatMul, KeepsScalesOfRowsAndColumns) {
  Random random(5);
  for (bool turnsB : {false, true}) {
    Product p{{3, 4}, turnsB ? Dims{5, 4} : Dims{4, 5}, false, turnsB, {3, 5}};
    Values a = random.values(U8, p.a, encodingFor(U8, -2, 1.5));
    Values b = random.values(
        S8, p.b,
        axisScaleOffset(turnsB ? 0 : 1, {0.01f, 0.02f, 0.03f, 0.005f, 0.015f},
                        {0, 0, 0, 0, 0}));
    Reference y = p.reference(a, b, {});
    OneNode net("MatMul");
    p.setParams(net);
    net.input(a).constant(b).output(U8, p.y, encodingFor(U8, y));
    expectEqual(net.run(), y);
    EXPECT_FALSE(net.reports("N0409"));
  }
}
