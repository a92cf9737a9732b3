//===- TiesSumsTest.cpp - Halves in kernels that add up -------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Products of matrices, convolutions, reductions.
//
//===----------------------------------------------------------------------===//
#include "test/unit/kernels/TiesTesting.h"
#include "test/unit/kernels/WinogradAxes.h"

using namespace yarrow;
using namespace yarrow::kernels;
using namespace yarrow::kernels::testing;
using yarrow::testing::winogradAxis;

namespace {
/// Results of outputs whose sums are kOdd times the ratio's factor, by weights
/// of an input of 1, with one multiplier or one of each.
template <typename Run> void expectChannels(Run run) {
  constexpr int32_t kOne[] = {1};
  for (DType in : {DType::I8, DType::I16})
    forEachPath({in}, {DType::I8, DType::I16}, [&](const Path &path) {
      auto x = stored(in, kOne), w = stored(DType::I8, kOdd, path.ratio.factor),
           bias = stored(DType::I32, IntSpan(std::array{0})),
           scales = stored(DType::I32, IntSpan(&path.ratio.scale, 1)),
           shifts = stored(DType::I8, IntSpan(&path.ratio.shift, 1)),
           y = room(path.out);
      Requant r = path.requant();
      for (uint32_t perChannel : {0u, 1u}) {
        r.perChannel = perChannel;
        r.scaleType = DType::I32;
        run(in, r,
            std::vector<const void *>{x.data(), w.data(), bias.data(),
                                      scales.data(), shifts.data(), nullptr,
                                      y.data()});
        expectValues(path.out, y, path.want(), r.zp);
      }
      if (path.ratio.scale > kMostNarrowScale)
        return;
      auto narrow = stored(DType::U16, IntSpan(&path.ratio.scale, 1));
      r.scaleType = DType::U16;
      run(in, r,
          std::vector<const void *>{x.data(), w.data(), bias.data(),
                                    narrow.data(), shifts.data(), nullptr,
                                    y.data()});
      expectValues(path.out, y, path.want(), r.zp);
    });
}

constexpr int32_t kMinusThree[] = {-3};
} // namespace

TEST(Ties, FullyConnected) {
  expectChannels([](DType in, const Requant &r, auto buffers) {
    FullyConnectedIntParams p{
        .outFeatures = kCount, .inType = in, .requant = r};
    runKernel("yk_fully_connected_int", p, buffers, 2);
  });
}

TEST(Ties, Convolutions) {
  for (const char *kernel : {"yk_conv2d_int", "yk_conv_transpose2d_int"})
    expectChannels([&](DType in, const Requant &r, auto buffers) {
      Conv2DIntParams p{.shape = {.outC = kCount}, .inType = in, .requant = r};
      runKernel(kernel, p, buffers);
    });
  expectChannels([](DType in, const Requant &r, auto buffers) {
    Conv2DWinogradParams p;
    p.conv = {.shape = {.outC = kCount}, .inType = in, .requant = r};
    p.y = p.x = winogradAxis(1, 1);
    buffers.insert(buffers.end() - 1, nullptr);
    runKernel("yk_conv2d_winograd_int", p, buffers);
  });
  // One channel for each: the input of 1 as often as weights.
  expectChannels([](DType in, const Requant &r, auto buffers) {
    Conv2DIntParams p{
        .shape = {.inC = kCount, .outC = kCount}, .inType = in, .requant = r};
    runKernel("yk_depthwise_conv2d_int", p, buffers);
  });
}

/// What Winograd's transform has doubled is halved downwards, before the bias.
TEST(Ties, SumsOfWinogradAreHalvedDownwards) {
  Conv2DWinogradParams p;
  p.conv.shape.outC = kCount;
  p.conv.requant = requantOf(DType::I8, 1, 0);
  p.y = p.x = winogradAxis(1, 1);
  p.outputShift = 1;
  constexpr int32_t kOne[] = {1}, kNone[] = {0};
  auto x = stored(DType::I8, kOne), w = stored(DType::I8, kOdd),
       bias = stored(DType::I32, kNone), y = room(DType::I8);
  runKernel("yk_conv2d_winograd_int", p,
            {x.data(), w.data(), bias.data(), nullptr, nullptr, nullptr,
             nullptr, y.data()});
  expectValues(DType::I8, y, kDownwards, p.conv.requant.zp);
}

TEST(Ties, Matrices) {
  constexpr int32_t kOne[] = {1};
  for (DType in : {DType::I8, DType::U8, DType::I16})
    forEachPath({in}, {DType::I8, DType::I16}, [&](const Path &path) {
      MatMulIntParams p{.shape = {.n = kCount}, .typeA = in, .typeB = in};
      p.zpA = p.zpB = zeroPointOf(in);
      p.requant = path.requant();
      auto a = stored(in, kOne, 1, p.zpA),
           b = stored(in, kOdd, path.ratio.factor, p.zpB), y = room(path.out);
      runKernel("yk_matmul_int", p, {a.data(), b.data(), y.data()});
      expectValues(path.out, y, path.want(), p.requant.zp);
      if (path.rounding != Rounding::HalfEven)
        return;
      // The sum is product and addend, of which each has its scale. The shift
      // leads to one multiplication in two parts from 32 on.
      for (int32_t more : {0, 20}) {
        GemmIntParams g{.product = p, .zpC = 0};
        g.c.type = DType::I8;
        g.scaleProduct = 1 << more, g.scaleC = 1 << more;
        g.product.requant.shift += more;
        int32_t four[] = {-4 * path.ratio.factor};
        auto c = stored(DType::I8, four);
        auto shifted =
            stored(in, kOdd, path.ratio.factor, p.zpB - 4 * path.ratio.factor);
        runKernel("yk_gemm_int", g,
                  {a.data(), shifted.data(), c.data(), y.data()});
        expectValues(path.out, y, path.want(), p.requant.zp);
      }
    });
}

TEST(Ties, BatchNormAndGateSums) {
  constexpr int32_t kOne[] = {1}, kNone[] = {0};
  auto zero = stored(DType::I32, kNone), ones = stored(DType::I16, kOne),
       scales = stored(DType::U16, kOne), shifts = stored(DType::I8, kOne);
  for (DType in : {DType::I8, DType::U8, DType::I16})
    for (DType out : {DType::I8, DType::I16})
      for (uint32_t perChannel : {0u, 1u})
        for (uint32_t inner : {1u, kCount / 2}) {
          SCOPED_TRACE(int(in) * 10 + int(out));
          BatchNormIntParams p{.channels = kCount / inner, .inner = inner};
          p.inType = in;
          p.requant = requantOf(out, 1, 1);
          p.requant.perChannel = perChannel;
          int32_t shift[] = {zeroPointOf(in)};
          auto x = stored(in, kOdd, 1, *shift), y = room(out),
               bias = stored(DType::I32, shift);
          runKernel("yk_batch_norm_int", p,
                    {x.data(), ones.data(), bias.data(), scales.data(),
                     shifts.data(), nullptr, y.data()});
          expectValues(out, y, kToEven, p.requant.zp);
        }
  GateSumsParams p{.columns = kCount, .requant = requantOf(DType::I8, 1, 1)};
  p.requant.perChannel = 1;
  auto a = stored(DType::I32, kOdd), y = room(DType::I8);
  runKernel("yk_gate_sums_int", p,
            {a.data(), zero.data(), scales.data(), shifts.data(), y.data()});
  expectValues(DType::I8, y, kToEven, p.requant.zp);
}

TEST(Ties, Reductions) {
  // kOdd + 3 - 3, in rows of two and in two rows.
  for (DType in : {DType::I8, DType::U8, DType::I16, DType::I32})
    forEachPath({in}, {DType::I8, DType::I32}, [&](const Path &path) {
      int32_t zp = zeroPointOf(in), factor = path.ratio.factor;
      auto odd = stored(in, kOdd, factor, zp - 3),
           three = stored(in, kMinusThree, 1, zp), y = room(path.out);
      std::vector<uint8_t> rows, columns = odd;
      uint32_t size = dtypeBytes(in);
      for (uint32_t i = 0; i < kCount; ++i)
        for (auto *from : {&odd, &three})
          rows.insert(rows.end(), from->begin() + i * size,
                      from->begin() + (i + 1) * size);
      columns.insert(columns.end(), three.begin(), three.end());
      ReduceIntParams p{.op = ReduceOp::Sum, .inType = in, .inZp = zp};
      p.requant = path.requant();
      p.shape = {.rank = 2, .dims = {kCount, 2}, .reducedMask = 2};
      runKernel("yk_reduce_int", p, {rows.data(), y.data()});
      expectValues(path.out, y, path.want(), p.requant.zp);
      p.op = ReduceOp::Mean; // the divisor is the scale's
      p.shape = {.rank = 2, .dims = {2, kCount}, .reducedMask = 1};
      runKernel("yk_reduce_int", p, {columns.data(), y.data()});
      expectValues(path.out, y, path.want(), p.requant.zp);
      SegmentReduceIntParams s{.inType = in, .inZp = zp};
      s.shape = {.rows = 2, .inner = kCount};
      s.requant = path.requant();
      const int32_t segments[] = {0, 0};
      if (in != DType::I32)
        runKernel("yk_segment_reduce_int", s,
                  {columns.data(), segments, y.data()});
      expectValues(path.out, y, path.want(), s.requant.zp);
    });
  // Means have a multiplier of 14 bits: 8192 / 2^14.
  SegmentReduceIntParams mean;
  mean.shape = {.rows = 2, .inner = kCount, .op = SegmentOp::Mean};
  mean.requant = requantOf(DType::I8, 1, 0);
  constexpr int32_t kNone[] = {0};
  auto x = stored(DType::I8, kOdd), zero = stored(DType::I8, kNone),
       y = room(DType::I8);
  x.insert(x.end(), zero.begin(), zero.end());
  const int32_t segments[] = {0, 0};
  runKernel("yk_segment_reduce_int", mean, {x.data(), segments, y.data()});
  expectValues(DType::I8, y, kToEven, mean.requant.zp);
}

TEST(Ties, NormsAndProducts) {
  auto x = stored(DType::I8, kOdd), y = room(DType::I8), u = room(DType::U16);
  constexpr int32_t kMagnitudes[] = {4, 2, 2, 0, 0, 2, 2, 4};
  constexpr int32_t kSquares[] = {24, 12, 4, 0, 0, 4, 12, 24};
  std::vector<uint16_t> table(65536);
  for (uint32_t i = 0; i < table.size(); ++i)
    table[i] = uint16_t(i);
  ReduceNormIntParams norm;
  norm.shape = {.rank = 2, .dims = {kCount, 1}, .reducedMask = 2};
  norm.tableType = DType::U16, norm.log2TableSize = 16;
  norm.requant = requantOf(DType::U16, 1, 1), norm.requant.zp = 0;
  runKernel("yk_reduce_norm_int", norm, {x.data(), nullptr, u.data()});
  expectValues(DType::U16, u, kMagnitudes);
  norm.op = ReduceOp::L2;
  runKernel("yk_reduce_norm_int", norm, {x.data(), table.data(), u.data()});
  expectValues(DType::U16, u, kSquares);

  ReduceProductIntParams product;
  product.kept = {.rank = 1, .dims = {kCount}, .strides = {1}};
  product.reduced = {.rank = 1, .dims = {1}, .strides = {1}};
  product.shift = 1;
  product.requant = requantOf(DType::I8, 1, 0);
  runKernel("yk_reduce_product_int", product, {x.data(), y.data()});
  expectValues(DType::I8, y, kToEven, product.requant.zp);

  // One step each, and the sums -7, -5, ... of one line.
  CumulateSumIntParams sum;
  sum.shape.inner = kCount;
  sum.requant = requantOf(DType::I8, 1, 1);
  runKernel("yk_cumulate_sum_int", sum, {x.data(), y.data()});
  expectValues(DType::I8, y, kToEven, sum.requant.zp);
  constexpr int32_t kSteps[] = {-7, 2, 2, 2, 2, 2, 2, 2};
  auto steps = stored(DType::I8, kSteps, 1, 0, 8), line = room(DType::I8, 8);
  sum.shape = {.length = 8};
  runKernel("yk_cumulate_sum_int", sum, {steps.data(), line.data()});
  expectValues(DType::I8, line, kToEven, sum.requant.zp);

  CumulateProductIntParams chain;
  chain.shape.inner = kCount;
  chain.requant = requantOf(DType::I8, 1, 0);
  const uint16_t scale[] = {1};
  const int32_t shift[] = {1};
  runKernel("yk_cumulate_product_int", chain,
            {x.data(), scale, shift, y.data()});
  expectValues(DType::I8, y, kToEven, chain.requant.zp);
}

TEST(Ties, EmbeddingsAndUpdates) {
  std::vector<int64_t> sums(kCount), totals = {1};
  for (uint32_t i = 0; i < kCount; ++i)
    sums[i] = kOdd[i % 8];
  auto y = room(DType::I8), x = stored(DType::I8, kOdd);
  EmbeddingCombineParams embedding{.inner = kCount};
  embedding.requant = requantOf(DType::I8, 1, 1);
  runKernel("yk_embedding_combine", embedding,
            {sums.data(), totals.data(), nullptr, y.data()});
  expectValues(DType::I8, y, kToEven, embedding.requant.zp);
  // Divided by 1, then rounded.
  embedding.op = EmbeddingOp::Mean;
  runKernel("yk_embedding_combine", embedding,
            {sums.data(), totals.data(), nullptr, y.data()});
  expectValues(DType::I8, y, kToEven, embedding.requant.zp);
  // The sum is rounded to t first. The root's table makes 3 * 2^13 of 1, which
  // the shift makes 3.
  int32_t thrice[8];
  for (int i = 0; i < 8; ++i)
    thrice[i] = 3 * kToEven[i];
  std::vector<int16_t> roots(193, 3 << 12);
  embedding.op = EmbeddingOp::RootMean;
  embedding.sumShift = 1;
  embedding.requant = requantOf(DType::I8, 1, 13 - (31 - 15));
  runKernel("yk_embedding_combine", embedding,
            {sums.data(), totals.data(), roots.data(), y.data()});
  expectValues(DType::I8, y, thrice, embedding.requant.zp);
  std::vector<int32_t> state(kCount);
  const int32_t place[] = {0};

  // Data, of which the place of the first element is overwritten as it is.
  ScatterIntParams scatter{
      .shape = {.elements = kCount, .places = 1, .rank = 1}};
  scatter.shape.dims[0] = kCount;
  scatter.requant = requantOf(DType::I8, 1, 1);
  runKernel("yk_scatter_int", scatter,
            {x.data(), place, x.data(), y.data(), state.data()});
  expectValues(DType::I8, y, kToEven, scatter.requant.zp);
  scatter.floors = 1;
  runKernel("yk_scatter_int", scatter,
            {x.data(), place, x.data(), y.data(), state.data()});
  expectValues(DType::I8, y, kDownwards, scatter.requant.zp);
  // A product with 1 of each element; Halved begins with the rounding.
  constexpr int32_t kOne[] = {1};
  auto ones = stored(DType::I8, kOne);
  scatter.floors = 0;
  scatter.op = ScatterOp::Mul;
  scatter.shape.inner = kCount, scatter.shape.dims[0] = 1;
  scatter.requant = requantOf(DType::I8, 1, 0);
  for (auto [mul, want] : {std::pair{ScatterMul::Rounded, kToEven},
                           std::pair{ScatterMul::Floored, kDownwards}}) {
    scatter.mul = mul, scatter.mulShift = 1;
    runKernel("yk_scatter_int", scatter,
              {x.data(), place, ones.data(), y.data(), state.data()});
    expectValues(DType::I8, y, {want, 8}, scatter.requant.zp);
  }
  scatter.mul = ScatterMul::Halved, scatter.mulShift = 0;
  scatter.dataShift = 1;
  runKernel("yk_scatter_int", scatter,
            {x.data(), place, ones.data(), y.data(), state.data()});
  expectValues(DType::I8, y, kToEven, scatter.requant.zp);

  SlotUpdateParams slots{.inner = kCount, .counts = {1}};
  slots.requant = requantOf(DType::I8, 1, 1);
  runKernel("yk_slot_update", slots, {x.data(), place, y.data(), state.data()});
  expectValues(DType::I8, y, kToEven, slots.requant.zp);
}
