//===- NormGroupsTest.cpp - Normalization of any axes ---------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Random tensors and axes: what the kernels make of makeNormShape's runs,
// against sums over the indices of each group.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/norm/NormGroups.h"
#include "test/Random.h"
#include "test/unit/kernels/KernelTesting.h"
#include <cmath>
#include <gtest/gtest.h>
#include <map>

using namespace yarrow;
using namespace yarrow::compass;
using namespace yarrow::kernels;
using kernels::testing::runKernel;
using yarrow::testing::Random;

namespace {

/// A tensor, and of each element its group and its weight.
struct Problem {
  llvm::SmallVector<NormAxis> axes;
  std::vector<int64_t> group, affine;
  std::map<int64_t, std::vector<size_t>> members;
  int64_t weights = 1;

  size_t size() const { return group.size(); }
};

Problem randomProblem(Random &random) {
  Problem p;
  unsigned rank = 1 + random.below(5);
  int64_t elements = 1;
  for (unsigned d = 0; d < rank; ++d) {
    int64_t length =
        random.oneIn(4) ? 1 + random.below(150) : 1 + random.below(6);
    length = std::min<int64_t>(length, 3000 / elements);
    elements *= length;
    p.axes.push_back({length, random.oneIn(2)});
  }
  // Weights along the normalised axes, along one axis, or none.
  unsigned kind = random.below(3), channelAxis = random.below(rank);
  for (unsigned d = rank; d-- > 0;)
    if (kind == 0 ? p.axes[d].isReduced : kind == 1 && d == channelAxis) {
      p.axes[d].affineStride = p.weights;
      p.weights *= p.axes[d].length;
    }
  for (int64_t i = 0; i < elements; ++i) {
    int64_t rest = i, group = 0, affine = 0, groupStride = 1;
    for (unsigned d = rank; d-- > 0; rest /= p.axes[d].length) {
      int64_t index = rest % p.axes[d].length;
      affine += index * p.axes[d].affineStride;
      if (!p.axes[d].isReduced) {
        group += index * groupStride;
        groupStride *= p.axes[d].length;
      }
    }
    p.members[group].push_back(size_t(i));
    p.group.push_back(group);
    p.affine.push_back(affine);
  }
  return p;
}

template <typename T>
std::vector<T> randomIntegers(Random &random, size_t count, int64_t lo,
                              int64_t hi) {
  std::vector<T> values(count);
  for (T &v : values)
    v = T(lo + int64_t(random.below(uint32_t(hi - lo + 1))));
  return values;
}

/// x / 2^shift, halves to even.
int64_t rounded(int64_t x, int shift) {
  return int64_t(std::nearbyint(std::ldexp(double(x), -shift)));
}

std::vector<int16_t> rootTable() {
  std::vector<int16_t> table;
  for (int i = 0; i <= 192; ++i)
    table.push_back(int16_t(
        std::min(32767.0, std::round(32768 / std::sqrt(1 + i / 64.0)))));
  return table;
}

/// The inverse square root as the definition of the table has it.
int64_t tableRoot(int64_t v, const std::vector<int16_t> &table) {
  int count = 0;
  while (count < 30 && v < 0x40000000)
    v <<= 1, ++count;
  int e = 31 - count;
  if (e & 1)
    v >>= 1;
  e = (e - 1) >> 1;
  v >>= 7;
  int64_t i = std::max<int64_t>((v >> 16) - 64, 0), a = (v >> 1) & 0x7fff;
  return ((int64_t(table[i]) << 16) -
          (((int64_t(table[i]) - table[i + 1]) * a) << 1)) >>
         e;
}

TEST(NormGroups, floatsOfAnyAxes) {
  Random random(1);
  for (int round = 0; round < 300; ++round) {
    Problem p = randomProblem(random);
    std::vector<float> x(p.size()), w(p.weights), b(p.weights), y(p.size());
    for (auto *values : {&x, &w, &b})
      for (float &v : *values)
        v = float(random.below(2001)) / 500 - 2;
    LayerNormFloatParams params;
    params.shape = makeNormShape(p.axes);
    params.subtractsMean = random.oneIn(2);
    params.hasWeights = random.oneIn(2);
    params.hasBias = random.oneIn(2);
    runKernel("yk_layer_norm_float", params,
              {x.data(), w.data(), b.data(), y.data()}, 1 + random.below(7));
    LpNormFloatParams norm;
    norm.shape = params.shape;
    norm.order = 1 + random.below(2), norm.epsilon = 1e-6f;
    std::vector<float> quotient(p.size());
    runKernel("yk_lp_norm_float", norm, {x.data(), quotient.data()},
              1 + random.below(7));
    for (auto &[group, members] : p.members) {
      double mean = 0, variance = 0, sum = 0, n = double(members.size());
      for (size_t i : members) {
        mean += params.subtractsMean ? double(x[i]) / n : 0;
        sum += norm.order == 1 ? std::fabs(double(x[i])) : double(x[i]) * x[i];
      }
      for (size_t i : members)
        variance += (x[i] - mean) * (x[i] - mean) / n;
      sum = std::max(sum, 1e-6);
      for (size_t i : members) {
        double want = (x[i] - mean) / std::sqrt(variance + 1e-5);
        want *= params.hasWeights ? w[p.affine[i]] : 1;
        want += params.hasBias ? b[p.affine[i]] : 0;
        ASSERT_NEAR(y[i], want, 1e-3 * (1 + std::fabs(want))) << round;
        ASSERT_NEAR(quotient[i],
                    x[i] / (norm.order == 1 ? sum : std::sqrt(sum)), 1e-5)
            << round;
      }
    }
  }
}

/// n of the members of one group, by the formulas of docs/operators/norm.md.
template <typename T>
void normalizeGroup(const LayerNormIntParams &p, const std::vector<T> &x,
                    const std::vector<size_t> &members,
                    const std::vector<int16_t> &table,
                    std::vector<int64_t> &result) {
  double n = double(members.size()), sum = 0;
  bool isRms = p.form == NormForm::RootMeanSquare;
  for (size_t i : members)
    sum += x[i];
  int64_t mean = isRms ? -p.inZp : int64_t(std::nearbyint(sum / n));
  int64_t squares = 0;
  for (size_t i : members)
    squares += (x[i] - mean) * (x[i] - mean);
  int64_t variance = p.form == NormForm::Narrow
                         ? squares >> p.varShift
                         : squares / int64_t(members.size());
  int64_t g = (tableRoot(variance, table) + 32768) >> 16;
  if (p.form != NormForm::Narrow)
    g = std::clamp<int64_t>(rounded(g * p.normScale, p.normShift), 0, 65535);
  for (size_t i : members) {
    int64_t d = x[i] - mean;
    int64_t v = p.form == NormForm::Narrow
                    ? rounded(d * g * p.normScale, 8 + p.normShift)
                : isRms ? (d * g + 128) >> 8
                        : rounded((d >> 1) * g, 7);
    result[i] = std::clamp<int64_t>(v, p.normLo, p.normHi);
  }
}

template <typename T> void checkIntegers(NormForm form, DType type) {
  Random random(7 + uint64_t(form));
  std::vector<int16_t> table = rootTable();
  int64_t lo = std::numeric_limits<T>::min(),
          hi = std::numeric_limits<T>::max();
  for (int round = 0; round < 200; ++round) {
    Problem p = randomProblem(random);
    // Also groups of values that hardly differ.
    int64_t spread = random.oneIn(3) ? 3 : hi - lo;
    auto x = randomIntegers<T>(random, p.size(), hi - spread, hi);
    auto w = randomIntegers<int8_t>(random, p.weights, -128, 127);
    auto b = randomIntegers<int32_t>(random, p.weights, -5000, 5000);
    auto scale = randomIntegers<uint8_t>(random, p.weights, 1, 255);
    auto shift = randomIntegers<int8_t>(random, p.weights, 0, 20);
    LayerNormIntParams params{
        .shape = makeNormShape(p.axes), .form = form, .inType = type};
    params.inZp = int32_t(random.below(100)) - 50;
    params.varShift = int32_t(random.below(4));
    params.normScale = 1 + int32_t(random.below(random.oneIn(2) ? 1 : 255));
    params.normShift = int32_t(random.below(6));
    params.hasWeights = random.oneIn(2), params.hasBias = random.oneIn(2);
    params.hasSmallSums = random.oneIn(2);
    params.requant.perChannel = random.oneIn(2);
    params.requant.scaleType = DType::U8;
    params.requant.scale = 77, params.requant.shift = 6;
    params.requant.zp = 3;
    std::vector<int8_t> y(p.size());
    runKernel("yk_layer_norm_int", params,
              {x.data(), w.data(), b.data(), scale.data(), shift.data(),
               table.data(), y.data()},
              1 + random.below(7));
    std::vector<int64_t> n(p.size());
    for (auto &[group, members] : p.members)
      normalizeGroup(params, x, members, table, n);
    for (size_t i = 0; i < p.size(); ++i) {
      int64_t at = p.affine[i];
      int64_t sum = (params.hasWeights ? n[i] * w[at] : n[i]) +
                    (params.hasBias ? b[at] : 0);
      bool own = params.requant.perChannel;
      int64_t want = rounded(sum * (own ? scale[at] : 77), own ? shift[at] : 6);
      ASSERT_EQ(y[i], std::clamp<int64_t>(want - 3, -128, 127)) << round;
    }
  }
}

TEST(NormGroups, integersOfAnyAxes) {
  checkIntegers<int8_t>(NormForm::Narrow, DType::I8);
  checkIntegers<uint8_t>(NormForm::Narrow, DType::U8);
  checkIntegers<int16_t>(NormForm::Wide, DType::I16);
  checkIntegers<uint16_t>(NormForm::Wide, DType::U16);
  checkIntegers<int8_t>(NormForm::RootMeanSquare, DType::I8);
  checkIntegers<int16_t>(NormForm::RootMeanSquare, DType::I16);
}

TEST(NormGroups, integerNormsOfAnyAxes) {
  Random random(3);
  std::vector<int16_t> table = rootTable();
  for (int round = 0; round < 200; ++round) {
    Problem p = randomProblem(random);
    auto x = randomIntegers<int16_t>(random, p.size(),
                                     random.oneIn(4) ? 0 : -32768, 0);
    LpNormIntParams params{.shape = makeNormShape(p.axes),
                           .order = 1 + random.below(2),
                           .inType = DType::I16,
                           .inZp = int32_t(random.below(3)),
                           .scale = 1 + int32_t(random.below(255)),
                           .shift = int32_t(random.below(10)) - 4,
                           .preShift = int32_t(random.below(12))};
    params.requant.zp = -5;
    std::vector<int8_t> y(p.size());
    runKernel("yk_lp_norm_int", params, {x.data(), table.data(), y.data()},
              1 + random.below(7));
    for (auto &[group, members] : p.members) {
      int64_t sum = 0;
      for (size_t i : members) {
        int64_t v = x[i] + params.inZp;
        sum += params.order == 1 ? std::abs(v) : v * v;
      }
      int excess = 0;
      while (sum >> excess >> 31)
        excess += 2;
      int64_t root = tableRoot(sum >> excess, table);
      int bits = root ? int(std::ceil(std::log2(float(root)))) : 0;
      int more = std::max(bits - 15, 0);
      root = std::min<int64_t>(root >> more, 32767);
      for (size_t i : members) {
        int64_t scaled = int64_t(x[i] + params.inZp) * params.scale, want;
        if (params.order == 1) {
          int64_t divisor = params.shift < 0 ? sum >> -params.shift : sum;
          want = rounded(divisor ? scaled / divisor : 0,
                         std::max(params.shift, 0));
        } else {
          int64_t v =
              std::clamp<int64_t>(scaled >> params.preShift, -32768, 32767);
          want = rounded(v * root, params.shift + 31 - params.preShift - more +
                                       excess / 2);
        }
        ASSERT_EQ(y[i], std::clamp<int64_t>(want + 5, -128, 127))
            << round << " order " << params.order;
      }
    }
  }
}

} // namespace
