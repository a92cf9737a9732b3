//===- ConvTest.cpp - Convolution against plain loops ---------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "simulator/engine/ConvCheck.h"
#include "simulator/engine/Gemm.h"
#include "simulator/engine/IntegerPasses.h"
#include "test/unit/simulator/ConvCases.h"

using namespace yarrow;
using namespace yarrow::sim;
using namespace yarrow::isa;
using naive::ConvCase;
using naive::isLegal;
using naive::outputStage;
using naive::Random;

namespace {
constexpr uint64_t kSramBytes = 4 << 20;

void shape(ConvCase &t, Random &r) {
  Conv &c = t.conv;
  c.depthwise = r.chance(25);
  c.groups = c.depthwise ? 1 : uint32_t(r.oneOf({1, 1, 1, 2, 3}));
  c.inChannels = uint32_t(r.oneOf({1, 2, 3, 5, 8, 16, 17, 33, 70})) * c.groups;
  c.outChannels =
      c.depthwise
          ? c.inChannels * uint32_t(r.oneOf({1, 1, 2, 3}))
          : c.groups * uint32_t(r.oneOf({1, 2, 5, 15, 16, 31, 32, 48, 65}));
  c.kernelY = uint32_t(r.oneOf({1, 2, 3, 3, 4, 6}));
  c.kernelX = uint32_t(r.in(1, 4));
  c.strideY = uint32_t(r.in(1, 3));
  c.strideX = uint32_t(r.in(1, 3));
  c.dilationY = uint32_t(r.oneOf({1, 1, 2}));
  c.dilationX = uint32_t(r.oneOf({1, 1, 2, 3}));
  c.inHeight = uint32_t(r.in(1, 9));
  c.inWidth = uint32_t(r.in(1, 20));
  c.outHeight = uint32_t(r.in(1, 4));
  c.outWidth = uint32_t(r.in(1, 19));
  c.padTop = int16_t(r.in(-2, 4));
  c.padLeft = int16_t(r.in(-2, 4));
  if (r.chance(20)) { // What may run as one long row.
    c.kernelY = c.kernelX = c.strideY = c.strideX = 1;
    c.padTop = c.padLeft = 0;
    c.outWidth = c.inWidth;
    c.outHeight = uint32_t(r.in(1, c.inHeight));
  }
}

void operands(ConvCase &t, Random &r) {
  Conv &c = t.conv;
  c.inType = r.oneOf(
      {ElementType::I8, ElementType::U8, ElementType::I16, ElementType::U16});
  c.weightType = r.oneOf(
      {ElementType::I8, ElementType::I8, ElementType::I16, ElementType::U8});
  c.outType = r.oneOf({ElementType::I8, ElementType::U8, ElementType::I16,
                       ElementType::U16, ElementType::I32});
  int64_t lo, hi;
  naive::lowest(c.inType, lo, hi);
  c.padValue =
      int32_t(r.in(std::max<int64_t>(lo, -300), std::min<int64_t>(hi, 300)));
  uint32_t bytes = elementBytes(c.inType);
  c.inPixelStride = c.inChannels * bytes + uint32_t(r.oneOf({0, 0, 6}));
  c.inRowStride = c.inWidth * c.inPixelStride + uint32_t(r.oneOf({0, 10}));
  c.input = t.place(uint64_t(c.inHeight) * c.inRowStride);
  c.packedWeights = c.weightType == ElementType::I8 && r.chance(30);
  c.wideBias = elementBytes(c.inType) == 2 && r.chance(30);
  c.weights = t.place(weightBytesOf(c));
  naive::channelOperands(t, r);
}

/// Weight \p index of all output channels.
int64_t weightAt(const Conv &c, Memory &m, uint64_t index) {
  if (!c.packedWeights)
    return naive::read(m, c.weightType,
                       c.weights + index * elementBytes(c.weightType));
  int64_t pair = naive::read(m, ElementType::U8, c.weights + index / 2);
  int64_t nibble = index % 2 ? pair / 16 : pair % 16;
  return nibble < 8 ? nibble : nibble - 16;
}

/// The sum of one output element, without bias.
int64_t sumAt(const Conv &c, Memory &m, uint32_t y, uint32_t x, uint32_t o) {
  int64_t sum = 0;
  uint32_t groupIn = c.depthwise ? 1 : c.inChannels / c.groups;
  uint32_t first = c.depthwise ? o / (c.outChannels / c.inChannels)
                               : o / (c.outChannels / c.groups) * groupIn;
  uint64_t weight = uint64_t(o) * c.kernelY * c.kernelX * groupIn;
  for (uint32_t ky = 0; ky < c.kernelY; ++ky)
    for (uint32_t kx = 0; kx < c.kernelX; ++kx)
      for (uint32_t i = 0; i < groupIn; ++i, ++weight) {
        int64_t iy = int64_t(y) * c.strideY - c.padTop + ky * c.dilationY;
        int64_t ix = int64_t(x) * c.strideX - c.padLeft + kx * c.dilationX;
        int64_t value = c.padValue;
        if (iy >= 0 && iy < c.inHeight && ix >= 0 && ix < c.inWidth)
          value =
              naive::read(m, c.inType,
                          c.input + iy * c.inRowStride + ix * c.inPixelStride +
                              (first + i) * elementBytes(c.inType));
        sum += value * weightAt(c, m, weight);
      }
  return sum;
}

} // namespace

namespace {
/// By the kernel for bytes, or without one (its number is behind the last).
class ConvKernels : public ::testing::TestWithParam<size_t> {
protected:
  static const ByteKernel *kernel() {
    return GetParam() < byteKernels().size() ? &byteKernels()[GetParam()]
                                             : nullptr;
  }
};
INSTANTIATE_TEST_SUITE_P(Host, ConvKernels,
                         ::testing::Range<size_t>(0, byteKernels().size() + 1),
                         [](auto &info) {
                           std::string name =
                               info.param < byteKernels().size()
                                   ? byteKernels()[info.param].name
                                   : "none";
                           std::erase(name, '-');
                           return name;
                         });
} // namespace

/// Random commands, with wide scales and halves that go up or without.
static void checkRandom(const ByteKernel *kernel, bool isWide) {
  auto memory = Memory::create(kSramBytes);
  TensorEngine engine(*memory, {}, kernel);
  for (uint64_t seed = 0; seed < 600; ++seed) {
    SCOPED_TRACE(seed);
    Random r(seed);
    ConvCase t;
    shape(t, r);
    operands(t, r);
    outputStage(t, r);
    if (isWide)
      naive::wideStage(t, r);
    if (!isLegal(t.conv) || t.top > kSramBytes)
      continue;
    Conv &c = t.conv;
    r.fill(*memory, 0, t.top);
    // Sums within the accumulator's width, as the compiler proves.
    for (uint32_t o = 0; o < c.outChannels; ++o) {
      if (c.wideBias)
        naive::write(*memory, ElementType::I16, c.bias + o * 8 + 4,
                     r.in(-200, 200));
      else
        naive::write(*memory, ElementType::I32, c.bias + o * 4,
                     r.in(-100000, 100000));
      naive::write(*memory, ElementType::I8, c.shifts + o, r.in(0, 30));
    }
    naive::fillWide(c, *memory, r);
    uint64_t sums = uint64_t(c.outHeight) * c.outWidth * c.outChannels;
    for (uint64_t i = 0; i < sums; ++i) {
      int64_t partial = r.in(-1000000, 1000000);
      uint64_t bytes = elementBytes(c.inType) == 2 ? 8 : 4;
      std::memcpy(
          memory->at(uint32_t(Memory::kSramBase + c.partials + i * bytes),
                     bytes),
          &partial, bytes);
    }
    naive::check(t, *memory, engine, [&](uint32_t y, uint32_t x, uint32_t o) {
      return sumAt(c, *memory, y, x, o);
    });
    if (::testing::Test::HasFatalFailure())
      return;
  }
}

TEST_P(ConvKernels, RandomDescriptorsMatchPlainLoops) {
  checkRandom(kernel(), /*isWide=*/false);
}
TEST_P(ConvKernels, RandomWideDescriptorsMatchPlainLoops) {
  checkRandom(kernel(), /*isWide=*/true);
}

// More pixels than are computed at once, by each way to add a residual.
TEST_P(ConvKernels, ResidualsOfLongRowsMatchPlainLoops) {
  constexpr uint32_t kPixels = 3000, kChannels = 16;
  auto memory = Memory::create(kSramBytes);
  TensorEngine engine(*memory, {}, kernel());
  for (bool halfUp : {false, true}) {
    Random r(1);
    ConvCase t;
    Conv &c = t.conv;
    c.inHeight = c.outHeight = 1, c.inWidth = c.outWidth = kPixels;
    c.inChannels = c.groups = c.kernelY = c.kernelX = 1;
    c.strideY = c.strideX = c.dilationY = c.dilationX = 1;
    c.outChannels = kChannels;
    c.inType = c.outType = c.mainType = c.residualType = ElementType::I8;
    c.inPixelStride = 1, c.inRowStride = kPixels;
    c.outPixelStride = c.residualPixelStride = kChannels;
    c.outRowStride = c.residualRowStride = kPixels * kChannels;
    c.scale = 1, c.shift = 7;
    c.hasResidual = true;
    c.mainScale = 3, c.residualScale = 5, c.sumScale = 1, c.sumShift = 3;
    c.sumHalfUp = halfUp;
    c.outMin = c.sumMin = -128, c.outMax = c.sumMax = 127;
    c.input = t.place(kPixels), c.weights = t.place(kChannels);
    c.bias = t.place(kChannels * 4), c.residual = t.place(c.outRowStride);
    c.output = t.place(c.outRowStride);
    c.partials = t.place(c.outRowStride * 4);
    r.fill(*memory, 0, t.top);
    for (uint32_t o = 0; o < kChannels; ++o)
      naive::write(*memory, ElementType::I32, c.bias + o * 4,
                   r.in(-1000, 1000));
    naive::check(t, *memory, engine, [&](uint32_t y, uint32_t x, uint32_t o) {
      return sumAt(c, *memory, y, x, o);
    });
  }
}

// What lies behind them may be another pass's.
TEST(Conv, IntegerActivationsStayWithinTheirValues) {
  const int64_t slopes[] = {3, 3, 3};
  int64_t values[] = {-6, 4, -8};
  prelu(values, slopes, /*shift=*/1, 2);
  EXPECT_EQ(values[0], -9);
  EXPECT_EQ(values[1], 4);
  EXPECT_EQ(values[2], -8);
  relu(values, 2);
  EXPECT_EQ(values[0], 0);
  EXPECT_EQ(values[2], -8);
}

/// One cell of one channel, whose sums are biases: the requantization alone.
/// Multipliers and shifts at their ends, sums at those of 32 bits.
TEST(Conv, WideScalesOfExtremeSums) {
  const int32_t sums[] = {
      INT32_MIN, INT32_MIN + 1, -(1 << 30),    -3,       -2, -1, 0, 1, 2, 3,
      5,         1 << 30,       INT32_MAX - 1, INT32_MAX};
  const int32_t scales[] = {
      0,        1, 2, 3, 65535, 65536, 1 << 30, (1 << 30) + 1, INT32_MAX - 1,
      INT32_MAX};
  auto memory = Memory::create(kSramBytes);
  TensorEngine engine(*memory);
  for (ElementType outType : {ElementType::I8, ElementType::I32})
    for (bool halfUp : {false, true})
      for (int shift = 0; shift <= 62; ++shift) {
        ConvCase t;
        Conv &c = t.conv;
        c.inHeight = c.inWidth = c.outHeight = c.outWidth = 1;
        c.inChannels = c.groups = c.kernelY = c.kernelX = 1;
        c.strideY = c.strideX = c.dilationY = c.dilationX = 1;
        c.outChannels = uint32_t(std::size(sums) * std::size(scales));
        c.outType = outType;
        c.perChannel = c.wideScale = true;
        c.halfUp = halfUp;
        c.input = t.place(1), c.weights = t.place(c.outChannels);
        c.bias = t.place(4 * c.outChannels);
        c.scales = t.place(4 * c.outChannels),
        c.shifts = t.place(c.outChannels);
        c.output = t.place(4 * c.outChannels);
        TypeRange range = rangeOf(outType);
        c.outMin = int32_t(range.lowest), c.outMax = int32_t(range.highest);
        std::memset(memory->hostBase() + Memory::kSramBase, 0, t.top);
        for (uint32_t o = 0; o < c.outChannels; ++o) {
          naive::write(*memory, ElementType::I32, c.bias + 4 * o,
                       sums[o % std::size(sums)]);
          naive::write(*memory, ElementType::I32, c.scales + 4 * o,
                       scales[o / std::size(sums)]);
          naive::write(*memory, ElementType::I8, c.shifts + o, shift);
        }
        naive::check(t, *memory, engine,
                     [](uint32_t, uint32_t, uint32_t) { return 0; });
        if (HasFatalFailure())
          return;
      }
}

TEST(Conv, WideScalesDemandAMachine) {
  auto memory = Memory::create(kSramBytes);
  TensorEngine engine(*memory, {}, fastestByteKernel(), {.widePasses = 0});
  Random r(7);
  ConvCase t;
  shape(t, r);
  operands(t, r);
  outputStage(t, r);
  t.conv.accumulateOut = t.conv.accumulateIn = t.conv.hasLut = false;
  EXPECT_FALSE(engine.execute(t.conv));
  for (bool isSum : {false, true}) {
    Conv wide = t.conv;
    (isSum ? wide.wideSum : wide.wideScale) = true;
    Fault fault = engine.execute(wide);
    ASSERT_TRUE(fault);
    EXPECT_EQ(*fault, "conv: this machine has no wide scales");
  }
}

TEST(Conv, TiesGoToEven) {
  auto memory = Memory::create(kSramBytes);
  TensorEngine engine(*memory);
  Conv c;
  c.inHeight = c.inWidth = c.outHeight = c.outWidth = 1;
  c.inChannels = c.groups = c.kernelY = c.kernelX = 1;
  c.strideY = c.strideX = c.dilationY = c.dilationX = 1;
  c.outChannels = 4;
  c.input = 0, c.weights = 16, c.bias = 32, c.output = 64;
  c.scale = 1, c.shift = 1;
  c.outMin = -128, c.outMax = 127;
  naive::write(*memory, ElementType::I8, 0, 1);
  const int8_t weights[] = {1, 3, -1, -3};
  for (int i = 0; i < 4; ++i)
    naive::write(*memory, ElementType::I8, 16 + i, weights[i]);
  ASSERT_FALSE(engine.execute(c));
  const int8_t expected[] = {0, 2, 0, -2};
  for (int i = 0; i < 4; ++i)
    EXPECT_EQ(naive::read(*memory, ElementType::I8, 64 + i), expected[i]);
}

TEST(Conv, IllegalDescriptorsFault) {
  auto memory = Memory::create(kSramBytes);
  TensorEngine engine(*memory);
  Random r(7);
  ConvCase t;
  shape(t, r);
  operands(t, r);
  outputStage(t, r);
  t.conv.accumulateOut = t.conv.accumulateIn = t.conv.hasLut = false;
  auto faults = [&](auto change) {
    Conv c = t.conv;
    change(c);
    return bool(engine.execute(c));
  };
  EXPECT_FALSE(faults([](Conv &) {}));
  EXPECT_TRUE(faults([](Conv &c) { c.inHeight = 0; }));
  EXPECT_TRUE(faults([](Conv &c) { c.groups = 0; }));
  EXPECT_TRUE(faults([](Conv &c) { c.groups = c.inChannels + 1; }));
  EXPECT_TRUE(faults([](Conv &c) { c.strideX = 0; }));
  EXPECT_TRUE(faults([](Conv &c) { c.input = kSramBytes; }));
  EXPECT_TRUE(faults([](Conv &c) { c.output = kSramBytes - 1; }));
  EXPECT_TRUE(faults([](Conv &c) { c.weights = UINT32_MAX; }));
  EXPECT_TRUE(faults([](Conv &c) { c.bias = UINT32_MAX - 3; }));
  EXPECT_TRUE(faults([](Conv &c) {
    c.inRowStride = UINT32_MAX;
    c.inHeight = 3;
  }));
  EXPECT_TRUE(faults([](Conv &c) { c.outMin = 1, c.outMax = 0; }));
  EXPECT_TRUE(faults([](Conv &c) { c.inType = ElementType(9); }));
  EXPECT_TRUE(faults([](Conv &c) { c.activation = Activation(9); }));
  EXPECT_TRUE(faults([](Conv &c) { c.padValue = 1 << 20; }));
  EXPECT_TRUE(faults([](Conv &c) {
    c.outPixelStride = 0;
    c.outWidth = 5;
  }));
  EXPECT_TRUE(faults([](Conv &c) { c.outChannels = UINT32_MAX; }));
  EXPECT_TRUE(faults([](Conv &c) {
    c.kernelY = c.kernelX = c.dilationY = c.dilationX = 65535;
  }));
}

TEST(Gemm, HostVersionMatchesPortable) {
  Random r(3);
  for (int round = 0; round < 150; ++round) {
    uint32_t pixels = uint32_t(r.in(1, 37)), columns = uint32_t(r.in(1, 100));
    uint32_t pairs = uint32_t(r.in(1, 60));
    bool isShort = r.chance(40); // such rows have code of their own
    if (isShort) {
      pairs = uint32_t(r.oneOf({4, 8, 12, 16}));
      columns = uint32_t(r.in(1, 17));
    }
    std::vector<int16_t> a((pixels + 2) * pairs * 2), b(columns * pairs * 2);
    for (int16_t &v : a)
      v = int16_t(r.in(-255, 255));
    for (int16_t &v : b)
      v = int16_t(r.in(-128, 127));
    PackedMatrix matrix;
    packMatrix(b.data(), pairs * 2, columns, pairs * 2, matrix);
    uint32_t head = isShort ? pairs : pairs / 3;
    GemmSegment segments[] = {{0, head}, {int64_t(head) * 2 + 2, pairs - head}};
    uint64_t pitch = matrix.blocks() * kGemmColumns;
    std::vector<int32_t> c(pixels * pitch), expected(pixels * pitch);
    GemmJob job;
    job.a = a.data(), job.pixelPitch = pairs * 2, job.pixels = pixels;
    job.segments = segments;
    if (isShort)
      job.segments = job.segments.first(1);
    job.b = matrix.data.data(), job.blockStride = matrix.blockStride();
    job.blocks = matrix.blocks(), job.c = c.data(), job.cPitch = pitch;
    gemm(job);
    job.c = expected.data();
    gemmReference(job);
    ASSERT_EQ(c, expected);
  }
}

// What fits a sum of 32 bits depends on the padding, which need not be a value
// of the input's type: weights packed for a small one are not those of a large.
TEST(Conv, CachedWeights) {
  auto memory = Memory::create(kSramBytes);
  TensorEngine engine(*memory);
  ConvCase t;
  Conv &c = t.conv;
  c.kernelY = c.kernelX = 3;
  c.strideY = c.strideX = c.dilationY = c.dilationX = c.groups = 1;
  c.inHeight = c.inWidth = c.outHeight = c.outWidth = 2;
  c.padTop = c.padLeft = 1;
  c.inChannels = 64, c.outChannels = 1;
  c.weightType = ElementType::I16, c.outType = ElementType::I32;
  c.inPixelStride = 64, c.inRowStride = 128;
  c.outPixelStride = 4, c.outRowStride = 8;
  c.input = t.place(256);
  c.weights = t.place(weightBytesOf(c));
  c.bias = t.place(4), c.partials = t.place(32), c.output = t.place(16);
  c.outMin = INT32_MIN, c.outMax = INT32_MAX;
  c.scale = 1, c.shift = 8;
  std::memset(memory->hostBase() + Memory::kSramBase, 0, t.top);
  for (uint64_t i = 0; i < filterSize(c); ++i)
    naive::write(*memory, c.weightType, c.weights + 2 * i, 20000);
  // One filter is packed into sixteen columns, and the cache must know.
  Sram sram(*memory);
  ConvOperands operands;
  ASSERT_FALSE(resolveConv(c, sram, {}, operands));
  ConvWeightCache cache(nullptr);
  EXPECT_GE(cache.get(c, operands).sizeBytes(), 16 * weightBytesOf(c));
  for (int32_t pad : {1, 32767}) {
    c.padValue = pad;
    // Five of nine cells are padding, the others 0.
    naive::check(t, *memory, engine, [&](uint32_t, uint32_t, uint32_t) {
      return int64_t(5) * 64 * 20000 * pad;
    });
  }
}
