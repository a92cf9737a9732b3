//===- KernelCases.cpp - Random calls of every kernel ---------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "test/unit/kernels/KernelCases.h"
#include "kernels/Registry.h"
#include "test/Random.h"
#include "test/unit/kernels/TypeLimits.h"
#include "test/unit/kernels/WinogradAxes.h"

#include <algorithm>
#include <numeric>

using namespace yarrow;
using namespace yarrow::kernels;
using yarrow::testing::KernelCase;
using yarrow::testing::kTableSlot;
using yarrow::testing::Limits;
using yarrow::testing::limitsOf;
using yarrow::testing::winogradAxis;

namespace {

class Builder {
public:
  explicit Builder(uint64_t seed) : random(seed) {}

  std::vector<KernelCase> cases;

  void addProducts();
  void addWinograd(Conv2DIntParams conv, const WinogradAxis &y,
                   const WinogradAxis &x);
  void addElementwise();
  void addNormalizations();
  void addImages();
  void addReductions();
  void addConversions();
  void addMovement();
  void addUnary(UnaryFn fn);
  UnaryFn anyUnary() { return UnaryFn(random.below(kNumUnaryFns)); }

private:
  static constexpr uint32_t kNumUnaryFns = 0
#define UNARY(NAME, VALUE) +1
#include "kernels/UnaryFn.def"
      ;
  testing::Random random;

  /// \p low to \p high, both included.
  uint32_t between(uint32_t low, uint32_t high) {
    return low + random.below(high - low + 1);
  }
  int32_t around(uint32_t most) {
    return int32_t(random.below(2 * most + 1)) - int32_t(most);
  }
  bool flip() { return random.oneIn(2); }
  DType smallInt() {
    return random.of({DType::I8, DType::U8, DType::I16, DType::U16});
  }
  DType signedInt() { return random.of({DType::I8, DType::I16}); }
  DType floating() {
    return random.of({DType::F32, DType::F32, DType::F16, DType::BF16});
  }
  /// Zero points of a type.
  int32_t zeroPoint(DType type) {
    return around(dtypeBytes(type) == 1 ? 128 : 1000);
  }
  float real(float low, float high) {
    return low + (high - low) * float(random.below(1 << 16)) / 65536;
  }

  /// Input i is slot i, except where \p special says (buffer, slot).
  template <typename Params>
  void add(const char *symbol, const Params &params,
           std::initializer_list<std::pair<uint32_t, uint32_t>> special = {},
           uint32_t inputCount = 0, uint32_t outputCount = 1) {
    KernelCase c{.symbol = symbol, .outputCount = outputCount};
    c.params.resize(sizeof(Params));
    std::memcpy(c.params.data(), &params, sizeof(Params));
    if (inputCount == 0)
      inputCount = findKernel(symbol)->bufferCount - 1;
    for (uint32_t k = 0; k < inputCount; ++k)
      c.inputSlots.push_back(k % testing::kNoiseSlots);
    for (auto [buffer, slot] : special)
      c.inputSlots[buffer] = slot;
    cases.push_back(std::move(c));
  }

  Requant requant(bool hasActivation = false, bool hasPRelu = false,
                  uint32_t channels = 0);
  FloatAct floatAct(uint32_t channels);
  BroadcastShape broadcast();
  Conv2DShape conv();
  Conv2DShape transposed();
  ReduceShape reduceShape();
  std::vector<uint32_t> dims(uint32_t elements);
};

/// Per channel if \p channels is not zero and chance has it so.
Requant Builder::requant(bool hasActivation, bool hasPRelu, uint32_t channels) {
  Requant r;
  r.outType = random.oneIn(8) ? DType::I32 : smallInt();
  Limits limits = limitsOf(r.outType);
  r.lo = limits.low;
  r.hi = limits.high;
  r.perChannel = channels && flip();
  r.scaleType = random.of({DType::U8, DType::U16});
  r.scale = int32_t(random.below(65536));
  r.shift = int32_t(between(0, 32)) - 4;
  r.zp = r.outType == DType::I32 ? 0 : zeroPoint(r.outType);
  if (!hasActivation)
    return r;
  r.act =
      random.of({Act::None, Act::Relu, Act::Relu6, Act::Clip, Act::LeakyRelu});
  if (hasPRelu && random.oneIn(4))
    r.act = Act::PRelu;
  // Slopes are below 1.
  r.slopeShift = int32_t(between(7, 15));
  r.slope = int32_t(random.below(1u << r.slopeShift));
  r.slopeType = r.slopeShift == 15 ? DType::I16 : DType::I8;
  r.slopeCount = channels && flip() ? channels : 1;
  r.clipMin = around(5000);
  r.clipMax = r.clipMin + int32_t(random.below(30000));
  return r;
}

FloatAct Builder::floatAct(uint32_t channels) {
  FloatAct act;
  act.act = random.of({Act::None, Act::Relu, Act::Relu6, Act::Clip,
                       Act::LeakyRelu, Act::PRelu});
  act.slope = real(0, 1);
  act.clipMin = real(-2, 0);
  act.clipMax = real(0, 3);
  act.slopeCount = flip() ? channels : 1;
  act.slopeType = floating();
  return act;
}

/// One to four sizes whose product is at most \p elements.
std::vector<uint32_t> Builder::dims(uint32_t elements) {
  std::vector<uint32_t> sizes(between(1, 4));
  for (uint32_t &size : sizes) {
    size = between(1, std::min(elements, sizes.size() == 1 ? 2000u : 40u));
    elements = std::max(1u, elements / size);
  }
  return sizes;
}

BroadcastShape Builder::broadcast() {
  std::vector<uint32_t> sizes = dims(1500);
  BroadcastShape shape;
  shape.rank = uint32_t(sizes.size());
  int32_t strideA = 1, strideB = 1;
  for (uint32_t d = shape.rank; d-- > 0;) {
    shape.dims[d] = sizes[d];
    bool repeatsA = random.oneIn(4), repeatsB = random.oneIn(4);
    shape.strideA[d] = repeatsA ? 0 : strideA;
    shape.strideB[d] = repeatsB ? 0 : strideB;
    strideA *= repeatsA ? 1 : int32_t(sizes[d]);
    strideB *= repeatsB ? 1 : int32_t(sizes[d]);
  }
  return shape;
}

Conv2DShape Builder::conv() {
  Conv2DShape s;
  s.batch = between(1, 2);
  s.groups = between(1, 3);
  s.inC = s.groups * between(1, 6);
  s.outC = s.groups * between(1, 8);
  s.kernelH = between(1, 3);
  s.kernelW = between(1, 3);
  s.strideH = between(1, 2);
  s.strideW = between(1, 2);
  s.dilationH = between(1, 2);
  s.dilationW = between(1, 2);
  s.padTop = int32_t(random.below(s.kernelH));
  s.padLeft = int32_t(random.below(s.kernelW));
  uint32_t reachH = s.dilationH * (s.kernelH - 1) + 1;
  uint32_t reachW = s.dilationW * (s.kernelW - 1) + 1;
  s.inH = reachH + random.below(5);
  s.inW = reachW + random.below(7);
  // Some padding at the other end.
  s.outH =
      (s.inH + uint32_t(s.padTop) + random.below(2) - reachH) / s.strideH + 1;
  s.outW =
      (s.inW + uint32_t(s.padLeft) + random.below(2) - reachW) / s.strideW + 1;
  return s;
}

Conv2DShape Builder::transposed() {
  Conv2DShape s = conv();
  uint32_t fullH = (s.inH - 1) * s.strideH + s.dilationH * (s.kernelH - 1) + 1;
  uint32_t fullW = (s.inW - 1) * s.strideW + s.dilationW * (s.kernelW - 1) + 1;
  s.outH = fullH - uint32_t(s.padTop);
  s.outW = fullW - uint32_t(s.padLeft) + random.below(2);
  return s;
}

/// \p conv with a geometry for these tiles.
void Builder::addWinograd(Conv2DIntParams conv, const WinogradAxis &y,
                          const WinogradAxis &x) {
  // Some padding at all ends; 4 channels of 6x6 tiles fit a slot.
  Conv2DShape &s = conv.shape;
  s = {.batch = s.batch, .inC = between(1, 14), .outC = between(1, 8)};
  s.kernelH = y.kernel, s.kernelW = x.kernel;
  s.padTop = int32_t(random.below(y.kernel));
  s.padLeft = int32_t(random.below(x.kernel));
  s.inH = y.kernel + random.below(5), s.inW = x.kernel + random.below(5);
  s.outH = s.inH + uint32_t(s.padTop) + random.below(2) - (y.kernel - 1);
  s.outW = s.inW + uint32_t(s.padLeft) + random.below(2) - (x.kernel - 1);
  conv.weightZp = 0;
  add("yk_conv2d_winograd_int",
      Conv2DWinogradParams{.conv = conv,
                           .y = y,
                           .x = x,
                           .hasTapShifts = flip(),
                           .outputShift = random.below(8)},
      {{2, testing::kBiasSlot},
       {4, testing::kShiftSlot},
       {6, testing::kTapShiftSlot}});
}

void Builder::addProducts() {
  using testing::kBiasSlot;
  using testing::kShiftSlot;
  // Of elements of four bytes.
  auto fits = [](const Conv2DShape &s) {
    uint32_t most = std::max({s.batch * s.inH * s.inW * s.inC,
                              s.batch * s.outH * s.outW * s.outC,
                              s.outC * s.kernelH * s.kernelW * s.inC});
    return most * 4 <= testing::kCaseBytes;
  };
  auto fitting = [&](auto make) {
    Conv2DShape shape = make();
    while (!fits(shape))
      shape = make();
    return shape;
  };
  auto anyConv = [&] { return fitting([&] { return conv(); }); };
  auto anyTransposed = [&] { return fitting([&] { return transposed(); }); };
  auto intConv = [&](const Conv2DShape &shape) {
    Conv2DIntParams p;
    p.shape = shape;
    p.inType = smallInt();
    p.weightType = signedInt();
    p.padValue = -zeroPoint(p.inType);
    p.inZp = zeroPoint(p.inType);
    p.weightZp = flip() ? 0 : around(8);
    p.requant = requant(true, true, shape.outC);
    return p;
  };
  auto floatConv = [&](const Conv2DShape &shape) {
    return Conv2DFloatParams{.shape = shape,
                             .inType = floating(),
                             .weightType = floating(),
                             .biasType = floating(),
                             .outType = floating(),
                             .act = floatAct(shape.outC)};
  };
  Conv2DShape depthwise = fitting([&] {
    Conv2DShape shape = conv();
    shape.outC = shape.inC * between(1, 2);
    return shape;
  });
  add("yk_conv2d_int", intConv(anyConv()), {{2, kBiasSlot}, {4, kShiftSlot}});
  add("yk_conv2d_float", floatConv(anyConv()));
  add("yk_depthwise_conv2d_int", intConv(depthwise),
      {{2, kBiasSlot}, {4, kShiftSlot}});
  add("yk_depthwise_conv2d_float", floatConv(depthwise));
  add("yk_conv_transpose2d_int", intConv(anyTransposed()),
      {{2, kBiasSlot}, {4, kShiftSlot}});
  add("yk_conv_transpose2d_float", floatConv(anyTransposed()));
  addWinograd(intConv(conv()), winogradAxis(1, between(1, 3)),
              winogradAxis(between(1, 4), between(2, 3)));
  addWinograd(intConv(conv()), winogradAxis(2, 3), winogradAxis(2, 3));
  addWinograd(intConv(conv()), winogradAxis(between(1, 4), 3),
              winogradAxis(between(2, 3), between(1, 3)));

  uint32_t outFeatures = between(1, 150), inFeatures = between(1, 50);
  add("yk_fully_connected_int",
      FullyConnectedIntParams{.rows = between(1, 4),
                              .inFeatures = inFeatures,
                              .outFeatures = outFeatures,
                              .inType = smallInt(),
                              .weightType = signedInt(),
                              .weightZp = flip() ? 0 : around(8),
                              .requant = requant(true, true, outFeatures)},
      {{2, kBiasSlot}, {4, kShiftSlot}});
  add("yk_fully_connected_float",
      FullyConnectedFloatParams{.rows = between(1, 4),
                                .inFeatures = inFeatures,
                                .outFeatures = between(1, 80),
                                .inType = floating(),
                                .weightType = floating(),
                                .biasType = floating(),
                                .outType = floating(),
                                .act = floatAct(1)});
  MatMulShape shape;
  shape.m = between(1, 8);
  shape.n = between(1, 20);
  shape.k = between(1, 60);
  shape.transA = flip();
  shape.transB = flip();
  shape.batchRank = between(0, 1);
  shape.batchDims[0] = between(1, 3);
  shape.batchStrideA[0] = flip() ? shape.m * shape.k : 0;
  shape.batchStrideB[0] = flip() ? shape.n * shape.k : 0;
  MatMulIntParams product{.shape = shape,
                          .typeA = smallInt(),
                          .typeB = smallInt(),
                          .requant = requant()};
  product.zpA = zeroPoint(product.typeA);
  product.zpB = zeroPoint(product.typeB);
  add("yk_matmul_int", product);
  add("yk_matmul_float", MatMulFloatParams{.shape = shape,
                                           .typeA = floating(),
                                           .typeB = floating(),
                                           .outType = floating()});
}

void Builder::addUnary(UnaryFn fn) {
  add("yk_unary_float", UnaryFloatParams{.count = between(1, 999),
                                         .inType = floating(),
                                         .outType = floating(),
                                         .fn = fn,
                                         .args = {.alpha = real(0.1f, 2),
                                                  .beta = real(0.1f, 2),
                                                  .gamma = real(0.5f, 1.5f),
                                                  .clipMin = real(-1, 0),
                                                  .clipMax = real(0, 2)}});
}

void Builder::addElementwise() {
  for (int k = 0; k < 3; ++k) {
    EltwiseIntParams p{
        .shape = broadcast(),
        .op = random.of({BinaryOp::Add, BinaryOp::Sub, BinaryOp::Mul,
                         BinaryOp::Max, BinaryOp::Min}),
        .typeA = smallInt(),
        .typeB = smallInt()};
    p.zpA = zeroPoint(p.typeA);
    p.zpB = zeroPoint(p.typeB);
    if (p.op != BinaryOp::Mul) {
      p.scaleA = int32_t(random.below(65536));
      p.scaleB = int32_t(random.below(65536));
    }
    p.requant = requant(true, true, p.shape.dims[p.shape.rank - 1]);
    p.requant.perChannel = 0;
    add("yk_eltwise_int", p);
    add("yk_eltwise_float",
        EltwiseFloatParams{
            .shape = broadcast(),
            .op = BinaryOp(random.below(uint32_t(BinaryOp::Pow) + 1)),
            .typeA = floating(),
            .typeB = floating(),
            .outType = floating(),
            .act = floatAct(1)});
  }
  DivIntParams div{.shape = broadcast(),
                   .typeA = smallInt(),
                   .typeB = smallInt(),
                   .requant = requant()};
  div.zpA = zeroPoint(div.typeA);
  div.zpB = zeroPoint(div.typeB);
  div.inBits = dtypeBytes(div.typeB) * 8;
  add("yk_div_int", div);
  PReluIntParams prelu{.shape = broadcast(), .inType = smallInt()};
  prelu.inZp = zeroPoint(prelu.inType);
  prelu.requant = requant(true);
  add("yk_prelu_int", prelu);
  add("yk_prelu_float", PReluFloatParams{.shape = broadcast(),
                                         .inType = floating(),
                                         .slopeType = floating(),
                                         .outType = floating()});
  ActivationIntParams activation{.count = between(1, 1500),
                                 .inType =
                                     random.oneIn(4) ? DType::I32 : smallInt()};
  activation.inZp = zeroPoint(activation.inType);
  activation.op = UnaryIntOp(random.below(uint32_t(UnaryIntOp::Sign) + 1));
  activation.requant = requant(true, true, 0);
  if (activation.op >= UnaryIntOp::Negative) {
    activation.requant.scale = 1;
    activation.requant.shift = 0;
  }
  add("yk_activation_int", activation);
  for (DType type : {DType::I8, DType::U8, DType::I16, DType::U16}) {
    LutParams lut{.count = between(1, 1500),
                  .inType = type,
                  .tableType = smallInt(),
                  .indexMin = limitsOf(type).low};
    lut.inBits = dtypeBytes(type) * 8;
    lut.log2Size = lut.inBits == 8 ? 8 : between(8, 12);
    add("yk_lut", lut);
  }
  PeriodicLutParams periodic{
      .count = between(1, 1500), .inType = smallInt(), .tableType = smallInt()};
  periodic.inZp = zeroPoint(periodic.inType);
  periodic.scale = int32_t(random.below(65536));
  periodic.shift = int32_t(between(0, 16));
  add("yk_periodic_lut", periodic);
  for (int k = 0; k < 3; ++k)
    addUnary(anyUnary());
}

void Builder::addNormalizations() {
  using testing::kBiasSlot;
  using testing::kShiftSlot;
  uint32_t channels = between(1, 40);
  add("yk_batch_norm_int",
      BatchNormIntParams{.outer = between(1, 5),
                         .channels = channels,
                         .inner = between(1, 9),
                         .inType = smallInt(),
                         .weightType = signedInt(),
                         .requant = requant(true, true, channels)},
      {{2, kBiasSlot}, {4, kShiftSlot}});
  add("yk_batch_norm_float", BatchNormFloatParams{.outer = between(1, 5),
                                                  .channels = channels,
                                                  .inner = between(1, 9),
                                                  .inType = floating(),
                                                  .weightType = floating(),
                                                  .biasType = floating(),
                                                  .outType = floating()});
  NormShape shape{.outer = between(1, 3),
                  .reduced = between(1, 6),
                  .groups = between(1, 4),
                  .groupInner = between(1, 9)};
  shape.affineCount = shape.groups * shape.groupInner;
  LayerNormIntParams norm{.shape = shape,
                          .inType = smallInt(),
                          .weightType = signedInt(),
                          .normType = smallInt(),
                          .varShift = int32_t(random.below(8)),
                          .normScale = int32_t(random.below(65536)),
                          .normShift = int32_t(random.below(20)),
                          .requant = requant(false, false, shape.affineCount)};
  add("yk_layer_norm_int", norm,
      {{2, kBiasSlot}, {4, kShiftSlot}, {5, kTableSlot}});
  add("yk_layer_norm_float", LayerNormFloatParams{.shape = shape,
                                                  .inType = floating(),
                                                  .weightType = floating(),
                                                  .biasType = floating(),
                                                  .outType = floating()});
  SoftmaxShape softmax{between(1, 4), between(1, 40), between(1, 9)};
  SoftmaxLutParams lut{.shape = softmax, .inType = smallInt()};
  lut.tableType = random.of({DType::U8, DType::U16});
  lut.inBits = dtypeBytes(lut.inType) * 8;
  lut.log2Size = 8;
  lut.numeratorFirst = flip();
  lut.scale = int32_t(between(1, 255));
  lut.extraBits =
      31 - (lut.numeratorFirst && lut.tableType == DType::U16 ? 16 : 8);
  lut.shift = int32_t(random.below(12)) - 4;
  lut.outType = smallInt();
  lut.lo = limitsOf(lut.outType).low;
  lut.hi = limitsOf(lut.outType).high;
  lut.zp = zeroPoint(lut.outType);
  add("yk_softmax_lut_int", lut);
  SoftmaxExpParams exp{.shape = softmax,
                       .inType = smallInt(),
                       .outType = smallInt(),
                       .inputScale = int32_t(between(1, 8191)),
                       .inputShift = int32_t(between(10, 17)),
                       .pow2OutQ = int32_t(between(20, 28)),
                       .adjustQ = int32_t(random.below(2))};
  exp.lo = limitsOf(exp.outType).low;
  exp.hi = limitsOf(exp.outType).high;
  add("yk_softmax_exp_int", exp);
  add("yk_softmax_float", SoftmaxFloatParams{.shape = softmax,
                                             .inType = floating(),
                                             .outType = floating(),
                                             .isLog = flip()});
}

void Builder::addImages() {
  PoolShape pool;
  pool.batch = between(1, 2);
  pool.channels = between(1, 40);
  pool.kernelH = between(1, 3);
  pool.kernelW = between(1, 3);
  pool.strideH = between(1, 3);
  pool.strideW = between(1, 3);
  pool.padTop = int32_t(random.below(pool.kernelH));
  pool.padLeft = int32_t(random.below(pool.kernelW));
  pool.inH = pool.kernelH + random.below(4);
  pool.inW = pool.kernelW + random.below(5);
  pool.outH =
      (pool.inH + uint32_t(pool.padTop) - pool.kernelH) / pool.strideH + 1;
  pool.outW =
      (pool.inW + uint32_t(pool.padLeft) - pool.kernelW) / pool.strideW + 1;
  pool.countIncludePad = flip();
  PoolIntParams poolInt{.shape = pool,
                        .inType = smallInt(),
                        .outType = smallInt(),
                        .scaleRatio = real(0.1f, 3)};
  poolInt.inZp = zeroPoint(poolInt.inType);
  poolInt.zp = zeroPoint(poolInt.outType);
  poolInt.lo = limitsOf(poolInt.outType).low;
  poolInt.hi = limitsOf(poolInt.outType).high;
  for (PoolMethod method : {PoolMethod::Avg, PoolMethod::Max}) {
    poolInt.shape.method = method;
    add("yk_pool_int", poolInt);
  }
  pool.method = PoolMethod(random.below(uint32_t(PoolMethod::L2) + 1));
  add("yk_pool_float", PoolFloatParams{.shape = pool,
                                       .inType = floating(),
                                       .outType = floating()});
  ResizeShape resize{
      .batch = between(1, 2),
      .inH = between(1, 8),
      .inW = between(1, 8),
      .channels = between(1, 12),
      .outH = between(1, 10),
      .outW = between(1, 10),
      .method = ResizeMethod(random.below(2)),
      .coordMode = CoordMode(random.below(uint32_t(CoordMode::Asymmetric) + 1)),
      .nearestMode =
          NearestMode(random.below(uint32_t(NearestMode::Simple) + 1))};
  ResizeIntParams resizeInt{.shape = resize, .inType = smallInt()};
  resizeInt.outType = resizeInt.inType;
  resizeInt.weightShift = int32_t(between(0, 16));
  resizeInt.lo = limitsOf(resizeInt.outType).low;
  resizeInt.hi = limitsOf(resizeInt.outType).high;
  add("yk_resize_int", resizeInt);
  add("yk_resize_float", ResizeFloatParams{.shape = resize,
                                           .inType = floating(),
                                           .outType = floating()});
}

ReduceShape Builder::reduceShape() {
  std::vector<uint32_t> sizes = dims(1500);
  ReduceShape shape{.rank = uint32_t(sizes.size())};
  std::ranges::copy(sizes, shape.dims);
  shape.reducedMask = between(1, (1u << shape.rank) - 1);
  // A variance needs two terms.
  shape.dims[__builtin_ctz(shape.reducedMask)] += 1;
  return shape;
}

void Builder::addReductions() {
  for (ReduceOp op : {ReduceOp::Sum, ReduceOp::Mean, ReduceOp::Min,
                      ReduceOp::Max, ReduceOp::All, ReduceOp::Any,
                      ReduceOp::Variance, ReduceOp::UnbiasedVariance}) {
    bool isVariance = op >= ReduceOp::Variance;
    ReduceIntParams p{.shape = reduceShape(),
                      .op = op,
                      .inType = !isVariance && random.oneIn(6) ? DType::I32
                                                               : smallInt(),
                      .requant = requant()};
    p.inZp = zeroPoint(p.inType);
    if (op >= ReduceOp::Min && op <= ReduceOp::Any)
      p.requant.outType = p.inType;
    add("yk_reduce_int", p);
  }
  for (ReduceOp op : {ReduceOp::L1, ReduceOp::L2}) {
    ReduceNormIntParams p{.shape = reduceShape(),
                          .op = op,
                          .inType = smallInt(),
                          .tableType = smallInt(),
                          .log2TableSize = between(8, 12),
                          .requant = requant()};
    p.inZp = zeroPoint(p.inType);
    add("yk_reduce_norm_int", p);
  }
  for (int k = 0; k < 4; ++k)
    add("yk_reduce_float",
        ReduceFloatParams{.shape = reduceShape(),
                          .op = ReduceOp(random.below(
                              uint32_t(ReduceOp::UnbiasedVariance) + 1)),
                          .inType = floating(),
                          .outType = floating()});
}

void Builder::addConversions() {
  uint32_t count = between(1, 1500);
  QuantizeParams quantize{.count = count,
                          .inType = floating(),
                          .outType = random.oneIn(4) ? DType::I32 : smallInt(),
                          .scale = real(1, 300)};
  quantize.zp =
      quantize.outType == DType::I32 ? 0 : zeroPoint(quantize.outType);
  quantize.lo = limitsOf(quantize.outType).low;
  quantize.hi = limitsOf(quantize.outType).high;
  add("yk_quantize", quantize);
  DequantizeParams dequantize{.count = count,
                              .inType =
                                  random.oneIn(4) ? DType::I32 : smallInt(),
                              .outType = floating(),
                              .scale = real(1, 300)};
  dequantize.zp = zeroPoint(dequantize.inType);
  add("yk_dequantize", dequantize);
  for (CastMode mode :
       {CastMode::Requantize, CastMode::Saturate, CastMode::Wrap,
        CastMode::Float, CastMode::RequantizeTowardsZero}) {
    bool isFloat = mode == CastMode::Float;
    CastParams cast{.count = count,
                    .inType = isFloat && flip() ? floating() : smallInt(),
                    .outType = smallInt(),
                    .mode = mode,
                    .scale = int32_t(random.below(65536)),
                    .shift = int32_t(random.below(24))};
    if (isFloat && (dtypeBytes(cast.inType) < 4 || flip()))
      cast.outType = floating();
    cast.inZp = isFloat ? 0 : zeroPoint(cast.inType);
    cast.zp = isFloat ? 0 : zeroPoint(cast.outType);
    cast.lo = limitsOf(cast.outType).low;
    cast.hi = limitsOf(cast.outType).high;
    add("yk_cast", cast);
  }
  ConcatParams concat{.outer = between(1, 9),
                      .inputCount = between(1, 5),
                      .outType = smallInt()};
  concat.zp = zeroPoint(concat.outType);
  concat.lo = limitsOf(concat.outType).low;
  concat.hi = limitsOf(concat.outType).high;
  for (uint32_t k = 0; k < concat.inputCount; ++k) {
    ConcatBranch &branch = concat.branches[k];
    branch = {between(1, 50), smallInt(), 0, int32_t(random.below(65536)),
              int32_t(random.below(20))};
    branch.inZp = zeroPoint(branch.inType);
    concat.outInner += branch.inner;
  }
  add("yk_concat", concat, {}, concat.inputCount);
}

void Builder::addMovement() {
  SplitParams split{.elemBytes = random.of({1u, 2u, 4u, 8u}),
                    .outer = between(1, 9),
                    .outputCount = between(1, 4)};
  for (uint32_t k = 0; k < split.outputCount; ++k)
    split.inInner += split.inner[k] = between(1, 40);
  add("yk_split", split, {}, 1, split.outputCount);
  for (uint32_t elemBytes : {1u, 2u, 4u, 8u}) {
    std::vector<uint32_t> sizes = dims(1800);
    CopyParams copy{.elemBytes = elemBytes, .rank = uint32_t(sizes.size())};
    std::ranges::copy(sizes, copy.dims);
    std::vector<uint32_t> order(sizes.size());
    std::iota(order.begin(), order.end(), 0);
    // Both sides are dense in an order of their own; sources may run backwards
    // or stand still.
    for (int32_t *strides : {copy.srcStride, copy.dstStride}) {
      for (size_t k = order.size(); k > 1; --k)
        std::swap(order[k - 1], order[random.below(uint32_t(k))]);
      int32_t stride = 1;
      for (uint32_t d : order) {
        strides[d] = stride;
        stride *= int32_t(sizes[d]);
      }
    }
    for (uint32_t d = 0; d < copy.rank; ++d)
      if (random.oneIn(4)) {
        copy.srcOffset += (int32_t(sizes[d]) - 1) * copy.srcStride[d];
        copy.srcStride[d] = -copy.srcStride[d];
      } else if (random.oneIn(6)) {
        copy.srcStride[d] = 0;
      }
    add("yk_copy", copy);
  }
  for (PadMode mode : {PadMode::Constant, PadMode::Reflect, PadMode::Symmetric,
                       PadMode::Edge}) {
    PadParams pad{.elemBytes = random.of({1u, 2u, 4u, 8u}),
                  .rank = between(1, 3),
                  .mode = mode};
    for (uint32_t d = 0; d < pad.rank; ++d) {
      pad.inDims[d] = between(2, pad.rank == 3 ? 4 : 9);
      // Reflection reaches the last element but one.
      uint32_t before = random.below(pad.inDims[d]);
      pad.padBefore[d] = int32_t(before);
      pad.outDims[d] = pad.inDims[d] + before + random.below(pad.inDims[d]);
      if (random.oneIn(6)) { // crops
        pad.padBefore[d] = -int32_t(random.below(pad.inDims[d]));
        pad.outDims[d] = pad.inDims[d] - uint32_t(-pad.padBefore[d]);
      }
    }
    pad.fill[0] = uint32_t(random.next());
    pad.fill[1] = uint32_t(random.next());
    add("yk_pad", pad);
  }
  GatherParams gather{.elemBytes = random.of({1u, 2u, 4u, 8u}),
                      .batch = between(1, 2),
                      .outer = between(1, 4),
                      .axisSize = between(1, 40),
                      .inner = between(1, 6),
                      .indexCount = between(1, 20),
                      .indexType = random.of({DType::I8, DType::U8, DType::I16,
                                              DType::U16, DType::I32})};
  add("yk_gather", gather);
}

} // namespace

std::vector<KernelCase> testing::randomKernelCases(uint64_t seed) {
  Builder builder(seed);
  builder.addProducts();
  builder.addElementwise();
  builder.addNormalizations();
  builder.addImages();
  builder.addReductions();
  builder.addConversions();
  builder.addMovement();
  return builder.cases;
}

std::vector<KernelCase> testing::unaryFloatCases(uint64_t seed) {
  Builder builder(seed);
#define UNARY(NAME, VALUE) builder.addUnary(UnaryFn::NAME);
#include "kernels/UnaryFn.def"
  return builder.cases;
}

std::vector<uint8_t> testing::caseInputs(uint64_t seed) {
  Random random(seed ^ 0x5eed);
  std::vector<uint8_t> bytes(kCaseSlots * kCaseBytes);
  auto slot = [&](uint32_t index) { return bytes.data() + index * kCaseBytes; };
  auto fill = [&](uint32_t index, auto value) {
    decltype(value()) x;
    for (uint32_t at = 0; at < kCaseBytes; at += sizeof x) {
      x = value();
      std::memcpy(slot(index) + at, &x, sizeof x);
    }
  };
  for (uint32_t k = 0; k < kNoiseSlots; ++k)
    fill(k, [&] {
      // Half-words and words between 1 and 2 of F16 and F32, or anything.
      uint64_t any = random.next();
      return any >> 63 ? any : (any & ~0xff00ff00ff00ff00) | 0x3f003c003f003c00;
    });
  fill(kBiasSlot, [&] { return int32_t(random.below(1 << 21)) - (1 << 20); });
  fill(kShiftSlot, [&] { return int8_t(random.below(24)); });
  fill(kTableSlot, [&] { return int16_t(random.below(1 << 14)); });
  fill(kTapShiftSlot, [&] { return uint8_t(random.below(6)); });
  return bytes;
}
