//===- TiesNormsTest.cpp - Halves in normalizations -----------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "test/unit/kernels/TiesTesting.h"

using namespace yarrow;
using namespace yarrow::kernels;
using namespace yarrow::kernels::testing;

namespace {
constexpr uint32_t kLength = 40; // of a group: a strip and a part of one

/// Groups of k and k + step alternately, as rows, or as columns side by side;
/// and results the same way.
class Groups {
public:
  Groups(DType type, IntSpan firsts, int32_t step, bool areColumns)
      : type(type), count(uint32_t(firsts.size())), areColumns(areColumns),
        input(room(type, count * kLength)) {
    for (uint32_t g = 0; g < count; ++g)
      for (uint32_t i = 0; i < kLength; ++i) {
        int32_t value = firsts[g] + int32_t(i % 2) * step;
        storeI32(type, input.data(), place(g, i), 1, &value);
      }
  }
  NormShape shape() const {
    NormShape s;
    if (areColumns) {
      s.reduced = {.rank = 1, .dims = {kLength}, .strides = {count}};
      s.inner = count;
      s.groupColumns = 1, s.blockColumns = count;
      return s;
    }
    s.kept = {.rank = 1, .dims = {count}, .strides = {kLength}};
    s.inner = kLength;
    return s;
  }
  /// Whether even elements of group g are first[g], odd ones second[g].
  void expect(DType out, const std::vector<uint8_t> &y, IntSpan first,
              IntSpan second) const {
    for (uint32_t g = 0; g < count; ++g)
      for (uint32_t i = 0; i < kLength; ++i) {
        int32_t value;
        loadI32(out, y.data(), place(g, i), 1, &value);
        ASSERT_EQ(value, (i % 2 ? second : first)[g])
            << "group " << g << ", element " << i;
      }
  }
  std::vector<uint8_t> results(DType out) const {
    return room(out, count * kLength);
  }

  DType type;
  uint32_t count;
  bool areColumns;
  std::vector<uint8_t> input;

private:
  uint32_t place(uint32_t g, uint32_t i) const {
    return areColumns ? i * count + g : g * kLength + i;
  }
};

/// The inverse square root of sums that are 1, and of others twice or half.
std::vector<int16_t> rootsOf(int32_t value) {
  return std::vector<int16_t>(193, int16_t(value));
}
} // namespace

/// Means of -1.5, -0.5, 0.5 and 1.5 are -2, 0, 0 and 2. What is left is one of
/// 0 and 1, or -1 and 0; times 1.5 that is 2 and -2; times 3/4, again.
TEST(Ties, LayerNormOfBytes) {
  constexpr int32_t kFirsts[] = {-2, -1, 0, 1, -2, -1, 0, 1, 0};
  constexpr int32_t kEven[] = {0, -2, 0, -2, 0, -2, 0, -2, 0};
  constexpr int32_t kOddOnes[] = {2, 0, 2, 0, 2, 0, 2, 0, 2};
  constexpr int32_t kNone[] = {0, 0, 0, 0, 0, 0, 0, 0, 0};
  constexpr int32_t kUp[] = {0, -1, 0, -1, 0, -1, 0, -1, 0};
  constexpr int32_t kUpOddOnes[] = {1, 0, 1, 0, 1, 0, 1, 0, 1};
  struct Form {
    bool areColumns;
    uint32_t hasSmallSums, perChannel, parts;
    DType out;
    int32_t normScale, normShift;
  };
  constexpr Form kForms[] = {
      {false, 1, 0, 1, DType::I8, 1, 0},  // several rows at once
      {false, 1, 1, 1, DType::I8, 1, 0},  //
      {false, 0, 0, 1, DType::I8, 1, 0},  // strips, sums of 64 bits
      {false, 1, 0, 2, DType::I8, 1, 0},  // and of 32
      {false, 1, 1, 2, DType::I16, 1, 0}, //
      {true, 1, 0, 1, DType::I8, 1, 0},   // columns
      {false, 0, 0, 1, DType::I32, 1, 0}, // chunks
      {false, 1, 1, 2, DType::I32, 1, 0}, //
      {true, 1, 0, 1, DType::I32, 1, 0},  //
      {false, 0, 1, 1, DType::I32, 8192, 13}};
  for (const Form &form : kForms) {
    SCOPED_TRACE(&form - kForms);
    Groups groups(DType::I8, kFirsts, 1, form.areColumns);
    LayerNormIntParams p{.shape = groups.shape()};
    p.shape.parts = form.parts;
    p.varShift = 4; // 20 squares of 1 are 1
    p.normScale = form.normScale, p.normShift = form.normShift;
    p.hasSmallSums = form.hasSmallSums;
    p.requant = requantOf(form.out, 1, 2);
    p.requant.zp = 0;
    p.requant.perChannel = form.perChannel;
    std::vector<int8_t> weights(kLength, 3), shifts(kLength, 2);
    std::vector<int32_t> bias(kLength);
    std::vector<uint16_t> scales(kLength, 1);
    auto y = groups.results(form.out);
    auto run = [&](int32_t root) {
      auto table = rootsOf(root);
      runKernel("yk_layer_norm_int", p,
                {groups.input.data(), weights.data(), bias.data(),
                 scales.data(), shifts.data(), table.data(), y.data()});
    };
    run(384);
    groups.expect(form.out, y, kEven, kOddOnes);
    run(128); // halves of 1 and of -1
    groups.expect(form.out, y, kNone, kNone);
    // The root itself goes up: 257 / 2 is 129, a little more than a half.
    p.varShift = 2;
    run(257);
    groups.expect(form.out, y, kUp, kUpOddOnes); // of 3/4
  }
}

TEST(Ties, LayerNormOf16BitsAndOfSquares) {
  // Means of 1.5, 0.5 and -0.5 are 2, 0 and 0; half of the difference down;
  // times 1.5.
  constexpr int32_t kFirsts[] = {0, -1, -2}, kNone[] = {0, 0, 0};
  constexpr int32_t kWide[] = {-2, -2, -2}, kWideOnes[] = {0, 2, 0};
  for (bool areColumns : {false, true}) {
    Groups groups(DType::I16, kFirsts, 3, areColumns);
    LayerNormIntParams p{.shape = groups.shape(), .form = NormForm::Wide};
    p.inType = DType::I16;
    p.hasWeights = p.hasBias = 0;
    p.requant = requantOf(DType::I16, 1, 0);
    p.requant.zp = 0;
    auto y = groups.results(DType::I16);
    auto run = [&](int32_t root) {
      auto table = rootsOf(root);
      runKernel("yk_layer_norm_int", p,
                {groups.input.data(), nullptr, nullptr, nullptr, nullptr,
                 table.data(), y.data()});
    };
    run(192);
    groups.expect(DType::I16, y, kWide, kWideOnes);
    run(64);
    groups.expect(DType::I16, y, kNone, kNone);
    p.normShift = 1; // 64.5 is 64, of which -1 makes -0.5
    run(129);
    groups.expect(DType::I16, y, kNone, kNone);
  }
  // RMSNorm rounds halves up: 1.5, -1.5, 0.5 and -0.5.
  constexpr int32_t kSigns[] = {-1};
  for (DType type : {DType::I8, DType::I16})
    for (bool areColumns : {false, true})
      for (auto [root, down, up] :
           {std::array{384, -1, 2}, std::array{128, 0, 1}}) {
        Groups groups(type, kSigns, 2, areColumns);
        LayerNormIntParams p{.shape = groups.shape(),
                             .form = NormForm::RootMeanSquare};
        p.inType = type;
        p.hasWeights = p.hasBias = 0;
        p.requant = requantOf(DType::I8, 1, 0);
        p.requant.zp = 0;
        auto y = groups.results(DType::I8);
        auto table = rootsOf(root);
        runKernel("yk_layer_norm_int", p,
                  {groups.input.data(), nullptr, nullptr, nullptr, nullptr,
                   table.data(), y.data()});
        groups.expect(DType::I8, y, IntSpan(&down, 1), IntSpan(&up, 1));
      }
}

TEST(Ties, LpNorm) {
  // L1: 20 times |3| and 20 times |1| are 80, which the scale makes 1; halves
  // of -3 and -1, of 1 and 3.
  constexpr int32_t kFirsts[] = {-3, 1}, kHalves[] = {-2, 0}, kOnes[] = {0, 2};
  for (DType type : {DType::I8, DType::I16})
    for (bool areColumns : {false, true}) {
      SCOPED_TRACE(int(type) * 10 + areColumns);
      Groups groups(type, kFirsts, 2, areColumns);
      LpNormIntParams p{.shape = groups.shape(), .order = 1, .inType = type};
      p.scale = 80, p.shift = 1;
      p.requant = requantOf(type, 1, 0);
      p.requant.zp = 0;
      auto y = groups.results(type);
      runKernel("yk_lp_norm_int", p, {groups.input.data(), nullptr, y.data()});
      groups.expect(type, y, kHalves, kOnes);
      // L2: 20 times (-1)^2 is 20, whose exponent of 4 makes a root of 3 * 2^28
      // one of 3 * 2^26, 3 * 2^13 with 15 bits and 13 for its shift. Times -1
      // and 1 that is 1.5 with 14 bits less.
      constexpr int32_t kMinus[] = {-1, 0}, kLower[] = {-2, 0},
                        kUpper[] = {0, 2};
      Groups units(type, kMinus, 1, areColumns);
      p.order = 2, p.scale = 1;
      p.shape = units.shape();
      p.shift = 14 - (31 - 13);
      auto table = rootsOf(3 << 12);
      runKernel("yk_lp_norm_int", p,
                {units.input.data(), table.data(), y.data()});
      units.expect(type, y, kLower, kUpper);
    }
}

/// Rows of one value, so that the quotient is the table's last entry.
TEST(Ties, Softmax) {
  constexpr int32_t kEntries[] = {1, 3, 5, 7}, kWant[] = {0, 2, 2, 4};
  // Rows of many values go another way; all but the first have exponentials of
  // 0.
  for (auto [out, axis] :
       {std::pair{DType::U8, 1u}, {DType::U8, 100u}, {DType::I16, 1u}})
    for (int i = 0; i < 4; ++i) {
      SoftmaxLutParams p{.inType = DType::I8, .outType = out};
      p.shape.axis = axis;
      std::vector<uint32_t> table(256);
      table[255] = uint32_t(kEntries[i]);
      // As many as the sum: each is 1, times that.
      p.scale = kEntries[i], p.shift = 1;
      std::vector<int8_t> x(axis, -128);
      x[0] = 5;
      auto y = room(out, axis);
      runKernel("yk_softmax_lut_int", p, {x.data(), table.data(), y.data()});
      std::vector<int32_t> want(axis);
      want[0] = kWant[i];
      expectValues(out, y, IntSpan(want.data(), axis));
      p.numeratorFirst = 1; // 1, and half of the sum that makes it round up
      runKernel("yk_softmax_lut_int", p, {x.data(), table.data(), y.data()});
      expectValues(out, y, IntSpan(want.data(), axis));
    }
  // The sum of the row is 1, whose logarithm is 0: halves of the differences.
  LogSoftmaxIntParams log{.shape = {.axis = 8}, .inputScale = 0.5f};
  constexpr int32_t kBelow[] = {0, -1, -2, -3, -4, -5, -6, -7};
  constexpr int32_t kLogs[] = {0, 0, -1, -2, -2, -2, -3, -4};
  std::vector<float> exponentials(256);
  exponentials[255] = 1;
  auto x = stored(DType::I8, kBelow, 1, 0, 8), y = room(DType::I8, 8);
  runKernel("yk_log_softmax_int", log,
            {x.data(), exponentials.data(), y.data()});
  expectValues(DType::I8, y, kLogs);
}

TEST(Ties, MomentsAndLocalResponse) {
  // Means of pairs; their variances, 0.25, are 0.
  constexpr int32_t kNone[] = {0};
  for (DType type : {DType::I8, DType::I16}) {
    std::vector<int32_t> pairs;
    for (int32_t odd : kOdd)
      pairs.insert(pairs.end(), {odd, 0});
    auto x = stored(type, pairs, 1, 0, 16), mean = room(type, 8),
         variance = room(type, 8);
    MomentsIntParams p{.inType = type, .meanType = type};
    p.shape = {.rank = 2, .dims = {8, 2}, .reducedMask = 2};
    p.variance = requantOf(type, 1, 30);
    runKernel("yk_moments_int", p, {x.data(), mean.data(), variance.data()});
    expectValues(type, mean, kToEven);
    expectValues(type, variance, kNone, p.variance.zp);
    // Of +-1, 3, 5: 1, 9 and 25, whose halves are 0.5, 4.5 and 12.5; in two
    // parts, too.
    constexpr int32_t kSpread[] = {-1, 1, -3, 3, -5, 5};
    constexpr int32_t kHalves[] = {0, 4, 12};
    auto spread = stored(type, kSpread, 1, 0, 6);
    p.shape.dims[0] = 3;
    mean = variance = room(type, 3);
    for (uint32_t isWide : {0u, 1u}) {
      p.isWide = isWide;
      p.variance = requantOf(type, isWide ? 32768 : 1, isWide ? 16 : 1);
      runKernel("yk_moments_int", p,
                {spread.data(), mean.data(), variance.data()});
      expectValues(type, variance, kHalves, p.variance.zp);
    }
    // x^2 / 2 is a place of the table; x * v / 2.
    LocalResponseIntParams local{.inType = type};
    local.shape = {.width = kCount};
    local.log2TableSize = 16;
    local.sumShift = 1;
    std::vector<uint16_t> table(65536);
    for (uint32_t i = 0; i < table.size(); ++i)
      table[i] = uint16_t(i);
    // 0.5 * 1, 4.5 * 3, 12.5 * 5, 24.5 * 7, the first factor even.
    constexpr int32_t kProducts[] = {-168, -60, -12, 0, 0, 12, 60, 168};
    local.requant = requantOf(DType::I16, 1, 0);
    auto odd = stored(type, kOdd), y = room(DType::I16);
    runKernel("yk_local_response_int", local,
              {odd.data(), table.data(), y.data()});
    expectValues(DType::I16, y, kProducts, local.requant.zp);
    table.assign(65536, 1);
    local.requant.shift = 1;
    runKernel("yk_local_response_int", local,
              {odd.data(), table.data(), y.data()});
    expectValues(DType::I16, y, kToEven, local.requant.zp);
  }
  // The sums of differences are cut, those of their squares rounded down.
  DifferenceSumsIntParams sums;
  sums.shape = {.rank = 2, .dims = {kCount, 1}, .reducedMask = 2};
  sums.sum = sums.squareSum = requantOf(DType::I16, 1, 1);
  constexpr int32_t kSquares[] = {24, 12, 4, 0, 0, 4, 12, 24};
  auto d = stored(DType::I32, kOdd), sum = room(DType::I16), squares = sum;
  runKernel("yk_difference_sums_int", sums,
            {d.data(), sum.data(), squares.data()});
  expectValues(DType::I16, sum, kTowardsZero, sums.sum.zp);
  expectValues(DType::I16, squares, kSquares, sums.sum.zp);
}
