//===- NormStripsTest.cpp - Strips against chunks and plain loops ---------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Normalizations and reductions do bytes in strips (kernels/Strips.h), and the
// same values as wider integers, or as rows that are not together, in chunks:
// the results are the same. Lengths around a strip and around 128, zero points
// and limits at the ends, shifts from 0 to what rounds all to 0.
//
//===----------------------------------------------------------------------===//
#include "test/Random.h"
#include "test/unit/kernels/KernelTesting.h"
#include "test/unit/kernels/RandomValues.h"
#include "test/unit/kernels/TypeLimits.h"

#include <cmath>

using namespace yarrow;
using namespace yarrow::kernels;
using namespace yarrow::kernels::testing;
using yarrow::testing::limitsOf;
using yarrow::testing::Random;

namespace {

using Bytes = std::vector<uint8_t>;

uint32_t anyLength(Random &random) {
  return random.oneIn(2) ? 1 + random.below(300) : 32 * (1 + random.below(9));
}

/// Any bytes, or those at the ends of the types.
Bytes anyBytes(Random &random, size_t count) {
  Bytes x(count);
  bool areEnds = random.oneIn(3);
  for (uint8_t &byte : x)
    byte = areEnds ? random.of<uint8_t>({0, 0x7f, 0x80, 0xff})
                   : uint8_t(random.next());
  return x;
}

template <typename T> std::vector<T> widened(const Bytes &x, DType type) {
  std::vector<T> wide(x.size());
  for (size_t i = 0; i < x.size(); ++i)
    wide[i] = type == DType::I8 ? T(int8_t(x[i])) : T(x[i]);
  return wide;
}

template <typename T, typename Draw>
std::vector<T> drawn(size_t count, Draw draw) {
  std::vector<T> x(count);
  for (T &value : x)
    value = T(draw());
  return x;
}

std::vector<int16_t> inverseSqrtTable() {
  std::vector<int16_t> table;
  for (int i = 0; i < 193; ++i)
    table.push_back(int16_t(32767 / std::sqrt(1 + i / 64.0)));
  return table;
}

Requant anyRequant(Random &random, int32_t mostShift) {
  Requant r;
  r.outType = random.of({DType::I8, DType::U8, DType::I16});
  r.lo = int32_t(limitsOf(r.outType).low);
  r.hi = int32_t(limitsOf(r.outType).high);
  r.zp = int32_t(random.below(513)) - 256;
  r.scale = int32_t(random.below(random.oneIn(2) ? 256 : 65536));
  r.shift = int32_t(random.below(uint32_t(mostShift) + 1));
  return r;
}

/// Runs the kernel for bytes and for the same values as \p wideType, which
/// chunks do, and compares `count` elements of two bytes.
template <typename Wide, typename Params>
void expectSame(const char *symbol, Params params, DType wideType,
                const Bytes &x, std::vector<const void *> others, size_t count,
                uint32_t taskCount) {
  std::vector<Wide> wide = widened<Wide>(x, params.inType);
  Bytes found(2 * count), expected(2 * count);
  std::vector<const void *> buffers = {x.data()};
  buffers.insert(buffers.end(), others.begin(), others.end());
  buffers.push_back(found.data());
  runKernel(symbol, params, buffers, taskCount);
  params.inType = wideType;
  buffers.front() = wide.data(), buffers.back() = expected.data();
  runKernel(symbol, params, buffers);
  ASSERT_EQ(found, expected) << symbol;
}

NormShape rowsOf(Random &random, uint32_t rows, uint32_t columns) {
  NormShape shape{.inner = columns, .innerAffineStride = random.below(2)};
  shape.kept = {.rank = 1, .dims = {rows}, .strides = {columns}};
  if (random.oneIn(2)) { // each column on its own
    shape.reduced = shape.kept, shape.kept = {};
    shape.groupColumns = 1, shape.blockColumns = 1 + random.below(64);
    if (columns <= 64 && random.oneIn(2)) { // a block of all, groups of some
      shape.blockColumns = columns;
      shape.groupColumns =
          columns % 4 == 0 ? random.of<uint32_t>({1, 2, 4}) : 1;
    }
    if (random.oneIn(2)) // of which tasks share the results
      shape.parts = 1 + random.below(rows);
  }
  return shape;
}

} // namespace

TEST(NormStrips, BytesAreNormalizedAsWideIntegersAre) {
  Random random(1);
  std::vector<int16_t> table = inverseSqrtTable();
  for (int round = 0; round < 200; ++round) {
    uint32_t rows = 1 + random.below(random.oneIn(3) ? 20 : 4);
    uint32_t columns = anyLength(random);
    if (random.oneIn(3)) { // a strip holds several rows
      columns = 1u << random.below(7);
      rows = 1 + random.below(900);
    }
    Bytes x = anyBytes(random, rows * columns);
    Bytes weights = anyBytes(random, 2 * columns);
    auto bias = drawn<int32_t>(
        columns, [&] { return int32_t(random.below(20001)) - 10000; });
    auto scale = drawn<uint16_t>(columns, [&] { return random.below(16000); });
    auto shift = drawn<int8_t>(columns, [&] { return random.below(40); });
    LayerNormIntParams norm{.shape = rowsOf(random, rows, columns)};
    norm.form = random.of({NormForm::Narrow, NormForm::RootMeanSquare});
    norm.inType = byteType(random);
    norm.inZp = int32_t(random.below(511)) - 255;
    norm.varShift = int32_t(random.below(8));
    norm.epsilonLow = random.oneIn(2) ? 0 : random.below(3u << 29);
    norm.epsilonHigh = random.oneIn(8);
    norm.normScale = random.oneIn(2) ? 1 : int32_t(random.below(300));
    norm.normShift = int32_t(random.below(20));
    norm.hasWeights = random.below(2), norm.hasBias = random.below(2);
    norm.requant = anyRequant(random, 40);
    norm.requant.scale /= 5;
    norm.hasSmallSums = random.below(2);
    norm.requant.perChannel = random.below(2);
    expectSame<int16_t>(
        "yk_layer_norm_int", norm, DType::I16, x,
        {weights.data(), bias.data(), scale.data(), shift.data(), table.data()},
        x.size(), 1 + random.below(3));
    LpNormIntParams lp{.shape = norm.shape,
                       .order = 1 + random.below(2),
                       .inType = norm.inType,
                       .inZp = norm.inZp,
                       .scale = int32_t(random.below(65536)),
                       .shift = int32_t(random.below(24)) - 4,
                       .preShift = int32_t(random.below(12)),
                       .requant = anyRequant(random, 0)};
    lp.requant.scale = 1;
    expectSame<int16_t>("yk_lp_norm_int", lp, DType::I16, x, {table.data()},
                        x.size(), 1 + random.below(3));
  }
}

TEST(NormStrips, BytesAreScaledAsWideIntegersAre) {
  Random random(2);
  for (int round = 0; round < 200; ++round) {
    BatchNormIntParams p{.outer = 1 + random.below(3),
                         .channels = anyLength(random),
                         .inner = random.oneIn(2) ? 1 : 1 + random.below(70),
                         .inType = byteType(random),
                         .weightType = random.of({DType::I8, DType::I16})};
    p.requant = anyRequant(random, 62);
    p.requant.act = random.of({Act::None, Act::Relu, Act::Relu6});
    p.requant.perChannel = random.below(2);
    p.requant.scaleType = random.of({DType::U8, DType::U16});
    Bytes x = anyBytes(random, p.outer * p.channels * p.inner);
    Bytes weights = anyBytes(random, 2 * p.channels);
    Bytes bias = anyBytes(random, 4 * p.channels);
    Bytes scale = anyBytes(random, 2 * p.channels);
    int32_t least = random.oneIn(3) ? -4 : 0;
    auto shift = drawn<int8_t>(p.channels, [&] {
      return least + int32_t(random.below(random.oneIn(9) ? 100 : 50));
    });
    expectSame<int16_t>(
        "yk_batch_norm_int", p, DType::I16, x,
        {weights.data(), bias.data(), scale.data(), shift.data(), nullptr},
        x.size(), 1 + random.below(3));
  }
}

TEST(NormStrips, BytesRespondAsWideIntegersDo) {
  Random random(3);
  Bytes table = anyBytes(random, 2 << 12);
  for (int round = 0; round < 200; ++round) {
    LocalResponseIntParams p{
        .shape = {.height = 1 + random.below(4),
                  .width = 1 + random.below(4),
                  .channels = anyLength(random),
                  .size = 1 + random.below(random.oneIn(3) ? 40 : 8),
                  .withinChannel = random.below(2)},
        .inType = byteType(random),
        .inZp = int32_t(random.below(511)) - 255,
        .sumScale = int32_t(random.below(random.oneIn(2) ? 256 : 65536)),
        .sumShift = int32_t(random.below(24)),
        .log2TableSize = 4 + random.below(9),
        .requant = anyRequant(random, 40)};
    const LocalResponseShape &s = p.shape;
    Bytes x = anyBytes(random, s.height * s.width * s.channels);
    expectSame<int16_t>("yk_local_response_int", p, DType::I16, x,
                        {table.data()}, x.size(), 1 + random.below(3));
  }
}

TEST(NormStrips, BytesAreReducedAsWideIntegersAre) {
  Random random(4);
  for (int round = 0; round < 200; ++round) {
    ReduceIntParams p{.shape = {.rank = 3,
                                .dims = {1 + random.below(5), anyLength(random),
                                         1 + random.below(150)}}};
    p.shape.reducedMask = 1 + random.below(7);
    p.op = random.of(
        {ReduceOp::Sum, ReduceOp::Mean, ReduceOp::Min, ReduceOp::Max});
    p.inType = byteType(random);
    p.inZp = int32_t(random.below(511)) - 255;
    p.requant = anyRequant(random, 40);
    bool isCopy = p.op == ReduceOp::Min || p.op == ReduceOp::Max;
    p.requant.outType = isCopy ? DType::I16 : p.requant.outType;
    const uint32_t *dims = p.shape.dims;
    Bytes x = anyBytes(random, dims[0] * dims[1] * dims[2]);
    expectSame<int32_t>("yk_reduce_int", p, DType::I32, x, {}, x.size(),
                        1 + random.below(3));
  }
}

TEST(NormStrips, RowsThatLieTogetherAreAsThoseThatDoNot) {
  Random random(5);
  for (int round = 0; round < 200; ++round) {
    // One after the other, and the same side by side.
    bool areShort = random.oneIn(3);
    uint32_t rows = areShort ? 2 + random.below(70) : 2 + random.below(3);
    uint32_t axis = areShort          ? 1 + random.below(33)
                    : random.oneIn(8) ? 600
                                      : anyLength(random);
    SoftmaxShape together{.outer = rows, .axis = axis};
    SoftmaxShape apart{.axis = axis, .inner = rows};
    Bytes x = anyBytes(random, rows * axis), turned(x.size());
    for (uint32_t i = 0; i < x.size(); ++i)
      turned[i % axis * rows + i / axis] = x[i];
    Bytes table = anyBytes(random, 4 * 256);
    auto floats =
        drawn<float>(256, [&] { return float(random.below(1000)) / 1000; });
    auto expectSameRows = [&](const char *symbol, auto p, const void *lookup) {
      Bytes found(x.size()), expected(x.size());
      std::vector<const void *> buffers = {x.data(), found.data()};
      if (lookup)
        buffers.insert(buffers.begin() + 1, lookup);
      p.shape = together;
      runKernel(symbol, p, buffers, 1 + random.below(4));
      p.shape = apart;
      buffers.front() = turned.data(), buffers.back() = expected.data();
      runKernel(symbol, p, buffers);
      for (uint32_t i = 0; i < x.size(); ++i)
        ASSERT_EQ(found[i], expected[i % axis * rows + i / axis])
            << symbol << ", round " << round << ", element " << i;
    };
    SoftmaxLutParams lut{.inType = byteType(random),
                         .tableType = random.of(
                             {DType::U8, DType::U16, DType::U32, DType::I32})};
    lut.scale = int32_t(1 + random.below(255));
    lut.extraBits = 31 - int32_t(std::ceil(std::log2(lut.scale)));
    lut.shift = int32_t(random.below(8)) - 4;
    lut.outType = byteType(random);
    lut.lo = int32_t(limitsOf(lut.outType).low);
    lut.hi = int32_t(limitsOf(lut.outType).high);
    lut.zp = int32_t(random.below(511)) - 255;
    expectSameRows("yk_softmax_lut_int", lut, table.data());
    SoftmaxExpParams exp{
        .inType = lut.inType,
        .outType = lut.outType,
        .inputScale = int32_t(random.below(random.oneIn(2) ? 8192 : 65536)),
        .inputShift = int32_t(random.below(20)),
        .pow2OutQ = int32_t(random.below(31)),
        .adjustQ = int32_t(random.below(2)),
        .lo = lut.lo,
        .hi = lut.hi};
    expectSameRows("yk_softmax_exp_int", exp, nullptr);
    LogSoftmaxIntParams log{.inType = lut.inType,
                            .inputScale = float(random.below(100)) / 50,
                            .outputScale = float(random.below(100)),
                            .outType = lut.outType,
                            .zp = lut.zp,
                            .lo = lut.lo,
                            .hi = lut.hi};
    expectSameRows("yk_log_softmax_int", log, floats.data());
  }
}

// Quotients of exponentials, as the definition has them, where sums have 32
// bits and where they have more.
TEST(NormStrips, QuotientsOfShortRows) {
  Random random(8);
  for (int round = 0; round < 200; ++round) {
    uint32_t rows = 1 + random.below(100), axis = 1 + random.below(7);
    uint32_t bits = 1 + random.below(32);
    SoftmaxLutParams p{.shape = {.outer = rows, .axis = axis},
                       .inType = byteType(random),
                       .numeratorFirst = 1,
                       .scale = int32_t(1 + random.below(255)),
                       .extraBits = int32_t(32 - bits)};
    p.shift = int32_t(1 + random.below(31)) - p.extraBits;
    Bytes x = anyBytes(random, rows * axis), y(x.size());
    auto table = drawn<uint32_t>(
        256, [&] { return uint32_t(random.next()) >> (32 - bits); });
    runKernel("yk_softmax_lut_int", p, {x.data(), table.data(), y.data()},
              1 + random.below(4));
    auto at = [&](uint32_t i) {
      return p.inType == DType::I8 ? int(int8_t(x[i])) : int(uint8_t(x[i]));
    };
    for (uint32_t row = 0; row < rows; ++row) {
      int top = INT_MIN;
      int64_t sum = 0;
      for (uint32_t i = 0; i < axis; ++i)
        top = std::max(top, at(row * axis + i));
      for (uint32_t i = 0; i < axis; ++i)
        sum += table[at(row * axis + i) - top + 255];
      for (uint32_t i = 0; i < axis; ++i) {
        int64_t numerator = int64_t(table[at(row * axis + i) - top + 255])
                            << p.extraBits;
        int64_t z = (numerator + (sum >> 1)) / std::max<int64_t>(sum, 1);
        int right = p.shift + p.extraBits;
        int64_t product = z * p.scale, half = int64_t(1) << (right - 1);
        int64_t rounded =
            (product + half - 1 + ((product >> right) & 1)) >> right;
        ASSERT_EQ(uint8_t(y[row * axis + i]),
                  std::clamp<int64_t>(rounded, 0, 255))
            << "round " << round << ", row " << row;
      }
    }
  }
}

TEST(NormStrips, FloatSumsKeepTheirOrder) {
  Random random(6);
  for (int round = 0; round < 100; ++round) {
    uint32_t rows = 1 + random.below(70), columns = anyLength(random);
    ReduceFloatParams p{.shape = {.rank = 2,
                                  .dims = {rows, columns},
                                  .reducedMask = 1 + random.below(2)}};
    auto x = drawn<float>(rows * columns, [&] {
      return std::ldexp(double(random.below(1u << 20)) - (1 << 19),
                        int(random.below(40)) - 20);
    });
    bool areRows = p.shape.reducedMask == 2;
    std::vector<float> y(areRows ? rows : columns);
    runKernel("yk_reduce_float", p, {x.data(), y.data()}, 1 + random.below(4));
    for (uint32_t i = 0; i < y.size(); ++i) {
      // Of a row 128 sums, added up one after the other.
      std::vector<double> lanes(areRows ? std::min(columns, 128u) : 1);
      for (uint32_t k = 0; k < (areRows ? columns : rows); ++k)
        lanes[k % lanes.size()] +=
            x[areRows ? i * columns + k : k * columns + i];
      double sum = lanes[0];
      for (uint32_t k = 1; k < lanes.size(); ++k)
        sum += lanes[k];
      ASSERT_EQ(y[i], float(sum)) << "round " << round << ", output " << i;
    }
  }
}
