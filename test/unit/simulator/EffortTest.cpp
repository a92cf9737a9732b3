//===- EffortTest.cpp - A unit of work is some nanoseconds ----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Commands of extreme shapes, each of about a million units: none may take the
// host much longer than its units say, or the default budget would be no bound.
//
//===----------------------------------------------------------------------===//
#include "simulator/engine/Dma.h"
#include "simulator/engine/TensorEngine.h"
#include <ctime>
#include <gtest/gtest.h>

using namespace yarrow;
using namespace yarrow::sim;
using namespace yarrow::isa;

namespace {
constexpr uint64_t kEffortSramBytes = 4 << 20, kEffortDdrBytes = 256 << 20;
/// The unit is 5 ns; hosts differ, and sanitizers take their share.
constexpr double kMostNanoseconds = 50;

double threadNanoseconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return double(now.tv_sec) * 1e9 + double(now.tv_nsec);
}

class EffortTest : public ::testing::Test {
protected:
  void SetUp() override {
    memory = Memory::create(kEffortSramBytes);
    ASSERT_TRUE(memory && memory->growDdr(kEffortDdrBytes));
    // The host makes pages when they are touched first: that costs once.
    memory->fill(0, 1, kEffortDdrBytes);
    regions.base[1] = 0;
    engine = std::make_unique<TensorEngine>(
        *memory, WinogradUnit{.inputBits = 10, .weightBits = 16});
  }
  template <typename Run> void expectAsEstimated(const char *what, Run run) {
    Budget budget(kDefaultBudget);
    double begin = threadNanoseconds();
    Fault fault = run(&budget);
    double nanoseconds = threadNanoseconds() - begin;
    ASSERT_FALSE(fault) << what << ": " << *fault;
    double perUnit = nanoseconds / double(budget.spent());
    RecordProperty(what, std::to_string(perUnit));
    if (getenv("YARROW_EFFORT"))
      printf("%-28s %12llu units %6.2f ns each\n", what,
             (unsigned long long)budget.spent(), perUnit);
    EXPECT_LT(perUnit, kMostNanoseconds) << what;
  }
  void conv(const char *what, const Conv &c) {
    expectAsEstimated(
        what, [&](Budget *budget) { return engine->execute(c, budget); });
  }
  void copy(const char *what, const Copy &c) {
    expectAsEstimated(what, [&](Budget *budget) {
      return executeCopy(c, regions, *memory, budget);
    });
  }

  std::unique_ptr<Memory> memory;
  std::unique_ptr<TensorEngine> engine;
  Regions regions;
};

/// Input and output without strides: their places do not matter here.
Conv convOf(uint32_t height, uint32_t width, uint32_t in, uint32_t out,
            uint32_t kernel) {
  Conv c{};
  c.inHeight = c.outHeight = height;
  c.inWidth = c.outWidth = width;
  c.inChannels = in, c.outChannels = out;
  c.kernelY = c.kernelX = kernel;
  c.strideY = c.strideX = c.dilationY = c.dilationX = c.groups = 1;
  c.outMin = -128, c.outMax = 127;
  c.outPixelStride = out, c.outRowStride = width * out;
  c.weights = 0, c.bias = 0;
  return c;
}
Copy copyOf(uint32_t size0, uint32_t size1, int32_t from, int32_t to) {
  Copy c{};
  c.elementBytes = 1;
  c.srcRegion = c.dstRegion = 1;
  c.size0 = size0, c.size1 = size1;
  c.size2 = c.size3 = c.size4 = 1;
  c.srcStride0 = from, c.dstStride0 = to;
  c.dst = 1 << 20;
  return c;
}
} // namespace

TEST_F(EffortTest, Convolutions) {
  conv("dense", convOf(28, 28, 128, 128, 3));
  conv("one channel each", convOf(256, 256, 1, 1, 1));
  conv("one channel, 11x11", convOf(100, 100, 1, 1, 11));
  conv("one pixel", convOf(1, 1, 2000, 1000, 1));
  conv("many outputs", convOf(64, 64, 1, 256, 1));
  Conv dilated = convOf(64, 64, 2, 1, 9);
  dilated.dilationX = dilated.dilationY = 3;
  conv("dilated", dilated);
  Conv grouped = convOf(16, 16, 512, 512, 3);
  grouped.groups = 512;
  conv("groups of one", grouped);
  Conv wide = convOf(16, 16, 64, 64, 3);
  wide.inType = wide.weightType = wide.outType = ElementType::I16;
  wide.outPixelStride = 128, wide.outRowStride = 16 * 128;
  conv("16 bits", wide);
  Conv depthwise = convOf(64, 64, 100, 100, 3);
  depthwise.depthwise = 1;
  conv("depthwise", depthwise);
  depthwise = convOf(64, 64, 1, 200, 3);
  depthwise.depthwise = 1;
  conv("depthwise, repeated", depthwise);
  Conv strided = convOf(2, 2, 4, 4, 1);
  strided.strideX = strided.strideY = 3000;
  conv("a large image", strided);
  Conv winograd = convOf(56, 56, 64, 64, 3);
  for (WinogradMode mode : {WinogradMode::F2_3, WinogradMode::F2x2_3x3}) {
    winograd.winograd = mode;
    conv("winograd", winograd);
  }
}

TEST_F(EffortTest, Products) {
  MatMul m{};
  m.outMin = -128, m.outMax = 127;
  auto product = [&](const char *what, uint32_t batch, uint32_t rows,
                     uint32_t inner, uint32_t columns) {
    m.batch = batch, m.rows = rows, m.inner = inner, m.columns = columns;
    m.outRowStride = columns * elementBytes(m.outType);
    expectAsEstimated(
        what, [&](Budget *budget) { return engine->execute(m, budget); });
  };
  product("square", 1, 512, 512, 512);
  product("one by one", 20000, 1, 1, 1);
  product("inner", 10, 1, 1 << 18, 1);
  product("outer", 10, 500, 1, 500);
  m.aType = m.bType = m.outType = ElementType::I16;
  product("16 bits", 1, 128, 512, 128);
  product("16 bits, outer", 10, 300, 2, 300);
}

TEST_F(EffortTest, Pooling) {
  Pool p{};
  p.strideY = p.strideX = p.dilationY = p.dilationX = 1;
  p.outMin = -128, p.outMax = 127;
  auto pool = [&](const char *what, uint32_t extent, uint32_t channels,
                  uint32_t kernel, uint32_t out, PoolMethod method) {
    p.inHeight = p.inWidth = p.tensorHeight = extent;
    p.inChannels = p.outChannels = channels;
    p.kernelY = p.kernelX = kernel;
    p.outHeight = p.outWidth = out;
    p.outPixelStride = channels, p.outRowStride = out * channels;
    p.method = method;
    expectAsEstimated(
        what, [&](Budget *budget) { return engine->execute(p, budget); });
  };
  pool("many small", 300, 1, 1, 300, PoolMethod::Max);
  pool("one large", 700, 1, 700, 1, PoolMethod::Avg);
  pool("channels", 30, 512, 3, 28, PoolMethod::Max);
  pool("channels, mean", 30, 512, 3, 28, PoolMethod::Avg);
  pool("beyond the tensor", 2, 1, 60000, 300, PoolMethod::Max);
}

TEST_F(EffortTest, Copies) {
  copy("a run", copyOf(64 << 20, 1, 1, 1));
  copy("one place", copyOf(1 << 20, 1, 0, 0));
  copy("element by element", copyOf(1 << 20, 1, 2, 3));
  copy("page by page", copyOf(1 << 15, 1, 4160, 8001));
  Copy rows = copyOf(1, 1 << 20, 1, 1);
  rows.srcStride1 = 100, rows.dstStride1 = 200;
  copy("rows of one", rows);
  rows = copyOf(4, 1 << 20, 1, 1);
  rows.srcStride1 = 5, rows.dstStride1 = 6;
  copy("rows of four", rows);
  rows = copyOf(2, 1 << 16, 1, 1);
  rows.srcStride1 = 4096 - 64, rows.dstStride1 = 3000;
  copy("far rows", rows);
}
