//===- ConvWinograd.cpp - Winograd layers on the tensor engine ------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "passes/lower/describe/ConvWinograd.h"
#include "dialects/compass/conv/Winograd.h"
#include "kernels/conv/Conv.h"
#include "passes/winograd/Weights.h"
#include "llvm/Support/MathExtras.h"

using namespace yarrow;
using namespace yarrow::npu;
using kernels::Conv2DWinogradParams;
using kernels::DType;
using kernels::WinogradAxis;

static_assert(compass::kMaxWinogradTapShift <= isa::kMaxTapShift);

static llvm::ArrayRef<uint8_t> tapShiftsOf(const KernelCall &call,
                                           const Conv2DWinogradParams &p) {
  if (!p.hasTapShifts)
    return {};
  llvm::ArrayRef<char> bytes = call["tapShifts"].view.bytes;
  return {reinterpret_cast<const uint8_t *>(bytes.data()), bytes.size()};
}

/// Bits that int8 or int16 weights need, the sign included.
static unsigned signedBits(const compass::ConstantView &weights) {
  auto [lowest, highest] = weights.extremesWithZero();
  // ~v of a negative v needs as many bits as v.
  return 1 + llvm::bit_width(uint64_t(std::max(~lowest, highest)));
}

/// Makes int16 weights the layer's, as int8 if they all fit.
static void setWeights(ConvLayer &c, const std::vector<int16_t> &values) {
  bool isNarrow =
      llvm::all_of(values, [](int16_t v) { return llvm::isInt<8>(v); });
  c.ownWeights.resize(values.size() * (isNarrow ? 1 : 2));
  if (isNarrow)
    llvm::copy(values, c.ownWeights.begin());
  else
    std::memcpy(c.ownWeights.data(), values.data(), c.ownWeights.size());
  c.weights.dtype = isNarrow ? DType::I8 : DType::I16;
  c.weights.bytes = c.ownWeights;
  c.weightElem = isNarrow ? 1 : 2;
  c.base.weightType = isNarrow ? isa::ElementType::I8 : isa::ElementType::I16;
}

//===----------------------------------------------------------------------===//
// The engine's mode
//===----------------------------------------------------------------------===//

static isa::WinogradMode modeOf(const Conv2DWinogradParams &p) {
  if (p.x.outputs != 2 || p.x.kernel != 3 || p.y.kernel != 3)
    return isa::WinogradMode::None;
  return p.y.outputs == 1   ? isa::WinogradMode::F2_3
         : p.y.outputs == 2 ? isa::WinogradMode::F2x2_3x3
                            : isa::WinogradMode::None;
}

namespace {
/// What the transforms do to a tap.
struct Tap {
  int64_t largest = 0; ///< |V| of inputs in [-128, 127]
  int64_t ofOne = 0;   ///< V of a tile of ones
};
} // namespace

static Tap tapOf(const Conv2DWinogradParams &p, unsigned tapY, unsigned tapX) {
  // Sums of the positive and of the negative factors of a tile's cells.
  int64_t positive = 0, negative = 0;
  for (unsigned y = 0; y < p.y.tile(); ++y)
    for (unsigned x = 0; x < p.x.tile(); ++x) {
      int64_t factor =
          p.y.inputTransform[tapY][y] * p.x.inputTransform[tapX][x];
      (factor > 0 ? positive : negative) += std::abs(factor);
    }
  // V is in [-128 * positive - 127 * negative, 127 * positive + 128 *
  // negative]: [-256, 255] at most with F(2,3), [-512, 511] with F(2x2,3x3).
  return {127 * (positive + negative) + std::max(positive, negative),
          positive - negative};
}

namespace {
/// The sums of one output channel in the mode.
class ModeSums {
public:
  ModeSums(const Conv2DWinogradParams &p, const ConvLayer &layer)
      : p(p), layer(layer) {
    for (unsigned y = 0; y < p.y.tile(); ++y)
      for (unsigned x = 0; x < p.x.tile(); ++x)
        taps.push_back(tapOf(p, y, x));
  }

  /// What inputs that are less by winogradOffset() lack behind the output
  /// transform and its shift. A tile of ones has V = 2 (F(2,3)) or 4 in the
  /// taps that the output transform adds to every result, and 0 in the others:
  /// 128 of them a multiple of 2^8, so that the shift by at most 7 loses
  /// nothing.
  int64_t offset(uint64_t channel) const {
    int64_t perInput = winogradOffset(layer.base), sum = 0;
    for (unsigned t = 0; perInput != 0 && t < taps.size(); ++t)
      if (taps[t].ofOne != 0)
        sum += taps[t].ofOne * (sumOf(channel, t) << shiftOf(channel, t));
    return perInput * sum >> p.outputShift;
  }

  /// Does everything up to the sum with \p bias fit 32 bits? M of tap t is at
  /// most sum over c of |W[t][c]| * max|V[t]|, its shifted value 2^shift times
  /// that, and results, also of parts of the output transform, at most the sum
  /// over the taps of |A^T| times that.
  bool fit(uint64_t channel, int64_t bias) const {
    constexpr int64_t limit = isa::largestSum(isa::ElementType::I8);
    llvm::SmallVector<int64_t, 16> largest;
    for (unsigned t = 0; t < taps.size(); ++t) {
      // At most 2^15 * 2^9 times the channels, which are 32 bits: below 2^57.
      int64_t product =
          int64_t(layer.weights.magnitudeOf(first(channel, t), layer.inC)) *
          taps[t].largest;
      if (product > limit >> shiftOf(channel, t))
        return false;
      largest.push_back(product << shiftOf(channel, t));
    }
    for (unsigned y = 0; y < p.y.outputs; ++y)
      for (unsigned x = 0; x < p.x.outputs; ++x) {
        int64_t sum = 0;
        for (unsigned t = 0; t < taps.size(); ++t)
          sum += std::abs(p.y.outputTransform[y][t / p.x.tile()] *
                          p.x.outputTransform[x][t % p.x.tile()]) *
                 largest[t];
        int64_t result =
            (sum + (int64_t(1) << p.outputShift) - 1) >> p.outputShift;
        if (sum > limit || result + std::abs(bias) > limit)
          return false;
      }
    return true;
  }

private:
  /// The first weight of a filter's tap.
  int64_t first(uint64_t channel, unsigned tap) const {
    return (channel * taps.size() + tap) * layer.inC;
  }
  int64_t sumOf(uint64_t channel, unsigned tap) const {
    return layer.weights.sumOf(first(channel, tap), layer.inC);
  }
  unsigned shiftOf(uint64_t channel, unsigned tap) const {
    return layer.base.hasTapShifts
               ? uint8_t(layer.tapShifts.bytes[channel * taps.size() + tap])
               : 0;
  }

  const Conv2DWinogradParams &p;
  const ConvLayer &layer;
  llvm::SmallVector<Tap, 16> taps;
};
} // namespace

/// The bias gets what the mode takes off the inputs. False if a sum may not
/// fit.
static bool setBiases(const Conv2DWinogradParams &p, ConvLayer &c) {
  ModeSums sums(p, c);
  c.ownBiases.resize(4 * c.outC);
  for (uint32_t o = 0; o < c.outC; ++o) {
    int64_t bias = c.biases.intAt(o) + sums.offset(o);
    if (!sums.fit(o, bias))
      return false;
    int32_t narrow = int32_t(bias);
    std::memcpy(&c.ownBiases[4 * o], &narrow, 4);
  }
  c.biases.bytes = c.ownBiases;
  return true;
}

bool npu::describeWinogradMode(const KernelCall &call,
                               const isa::Machine &machine, ConvLayer &c) {
  auto p = call.paramsOf<kernels::Conv2DWinogradInt>();
  isa::WinogradMode mode = modeOf(p);
  if (mode == isa::WinogradMode::None || !machine.hasWinograd(mode) ||
      !describeConv(call, c) || c.inElem != 1)
    return false;
  isa::Conv &d = c.base;
  d.winograd = mode;
  int64_t pad = int64_t(d.padValue) - isa::winogradOffset(d);
  unsigned weightBits = signedBits(c.weights);
  if (!llvm::isInt<8>(pad) || !machine.hasWinograd(mode, weightBits))
    return false;
  if (c.weightElem == 2 && weightBits <= 8) {
    std::vector<int16_t> values(c.weights.numElements());
    std::memcpy(values.data(), c.weights.bytes.data(), 2 * values.size());
    setWeights(c, values);
  }
  isa::WinogradTile tile = isa::tileOf(mode);
  d.winogradShift = p.outputShift;
  llvm::ArrayRef<uint8_t> tapShifts = tapShiftsOf(call, p);
  d.hasTapShifts = llvm::any_of(tapShifts, [](uint8_t s) { return s != 0; });
  if (d.hasTapShifts)
    c.tapShifts = call["tapShifts"].view;
  c.filterElements = uint64_t(tile.taps()) * c.inC;
  c.tileRows = c.tileStep = tile.outRows;
  c.tileSpan = tile.rows;
  return setBiases(p, c);
}

//===----------------------------------------------------------------------===//
// Ordinary convolutions
//===----------------------------------------------------------------------===//

/// Does phase i begin at cell i and have the window of the convolution behind
/// the tiles?
static bool isPlain(const WinogradPhases &phases, const WinogradAxis &axis) {
  for (unsigned i = 0; i < phases.count; ++i)
    if (phases.start[i] != i)
      return false;
  return phases.window == axis.kernel;
}

bool npu::describeWinogradPhases(const KernelCall &call, ConvLayer &c) {
  auto p = call.paramsOf<kernels::Conv2DWinogradInt>();
  if (!describeConv(call, c))
    return false;
  WinogradPhases y = phasesOf(winogradMatrices(p.y.outputs, p.y.kernel));
  WinogradPhases x = phasesOf(winogradMatrices(p.x.outputs, p.x.kernel));
  auto weights =
      phaseWeights(y, x, c.weights, tapShiftsOf(call, p), p.outputShift);
  if (!weights)
    return false;
  isa::Conv &d = c.base;
  d.kernelY = y.window, d.kernelX = x.window;
  c.filterElements = uint64_t(y.window) * x.window * c.inC;
  uint64_t phaseSize = c.outC * c.filterElements;
  // From one phase on every weight is that of the phase before.
  if (isPlain(y, p.y) && isPlain(x, p.x) &&
      std::equal(weights->begin() + phaseSize, weights->end(),
                 weights->begin())) {
    weights->resize(phaseSize);
    setWeights(c, *weights);
    return true;
  }
  setWeights(c, *weights);
  d.strideY = y.count, d.strideX = x.count;
  c.tileRows = c.tileStep = c.phaseRows = y.count;
  c.tileSpan = y.tile;
  c.phaseColumns = x.count;
  c.phases.clear();
  for (unsigned row = 0; row < y.count; ++row)
    for (unsigned column = 0; column < x.count; ++column)
      c.phases.push_back({row, column, y.start[row], x.start[column]});
  return true;
}
