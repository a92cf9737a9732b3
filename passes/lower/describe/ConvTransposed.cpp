//===- ConvTransposed.cpp - Transposed convolutions as direct ones --------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "passes/lower/describe/ConvTransposed.h"
#include "kernels/conv/Conv.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>

using namespace yarrow;
using namespace yarrow::npu;

/// More commands than this for one tile are not worth it.
static constexpr uint64_t kMostPhases = 256;

namespace {

/// What reaches the outputs at one place of the strides along an axis.
struct AxisPhase {
  int64_t start = 0; ///< First input of the window of output 0.
  /// In the order of the inputs. Without any, the window is one input whose
  /// weights are 0.
  llvm::SmallVector<uint32_t, 8> taps;

  uint32_t length() const { return std::max<size_t>(1, taps.size()); }
};

struct TransposedAxis {
  llvm::SmallVector<AxisPhase, 4> phases;
  uint32_t dilation; ///< Inputs from one tap of a phase to the next.
  int64_t start = 0; ///< Of the phase that begins first.
  int64_t span = 1;  ///< Inputs that the windows of all phases cover.

  TransposedAxis(uint32_t kernel, uint32_t stride, uint32_t tapStep,
                 int64_t crop, uint32_t outLength)
      : dilation(tapStep / std::gcd(stride, tapStep)) {
    for (int64_t place = 0; place < std::min(stride, outLength); ++place) {
      AxisPhase phase;
      // The last tap reads the first input.
      for (uint32_t k = kernel; k-- > 0;) {
        int64_t offset = place + crop - int64_t(k) * tapStep;
        if (offset % int64_t(stride) != 0)
          continue;
        if (phase.taps.empty())
          phase.start = offset / int64_t(stride);
        phase.taps.push_back(k);
      }
      phases.push_back(phase);
    }
    auto hasTaps = [](const AxisPhase &p) { return !p.taps.empty(); };
    auto first = llvm::find_if(phases, hasTaps);
    start = first == phases.end() ? 0 : first->start;
    for (AxisPhase &p : phases)
      if (hasTaps(p))
        start = std::min(start, p.start);
    for (AxisPhase &p : phases) {
      p.start = hasTaps(p) ? p.start : start;
      span = std::max(span,
                      p.start - start + int64_t(p.length() - 1) * dilation + 1);
    }
  }
};

/// Weights and biases of the phases.
class PhaseConstants {
public:
  PhaseConstants(const kernels::Conv2DIntParams &p, const ConvLayer &layer)
      : p(p), s(p.shape), layer(layer), cellElements(s.inC / s.groups),
        taps(s.kernelH * s.kernelW) {}

  /// Appends those of a phase; false if a bias does not fit.
  bool add(const AxisPhase &y, const AxisPhase &x) {
    for (uint32_t o = 0; o < s.outC; ++o) {
      int64_t phaseSum = 0, wholeSum = 0;
      addWeights(o, y, x, phaseSum);
      for (uint32_t tap = 0; tap < taps && p.inZp != 0; ++tap)
        wholeSum += sumOf(cell(o, tap));
      // The bias holds the input's zero point times all weights; a phase needs
      // it times its own, its padding included (docs/operators/conv.md,
      // ConvTranspose).
      int64_t bias = layer.biases.intAt(o) + p.inZp * (phaseSum - wholeSum);
      if (!llvm::isInt<32>(bias))
        return false;
      biases.push_back(int32_t(bias));
    }
    return true;
  }

  std::vector<char> weights;
  std::vector<int32_t> biases;

private:
  void addWeights(uint32_t o, const AxisPhase &y, const AxisPhase &x,
                  int64_t &sum) {
    if (y.taps.empty() || x.taps.empty()) {
      weights.resize(weights.size() + uint64_t(y.length()) * x.length() *
                                          cellElements * layer.weightElem);
      return;
    }
    for (uint32_t ky : y.taps)
      for (uint32_t kx : x.taps) {
        uint64_t first = cell(o, ky * s.kernelW + kx);
        if (p.inZp != 0)
          sum += sumOf(first);
        llvm::ArrayRef<char> from = layer.weights.bytes.slice(
            first * layer.weightElem, cellElements * layer.weightElem);
        weights.insert(weights.end(), from.begin(), from.end());
      }
  }
  /// Where the weights of output channel \p o for a tap begin, in [outC /
  /// groups, kh, kw, inC].
  uint64_t cell(uint32_t o, uint32_t tap) const {
    uint32_t perGroup = s.outC / s.groups;
    return (uint64_t(o % perGroup) * taps + tap) * s.inC +
           uint64_t(o / perGroup) * cellElements;
  }
  int64_t sumOf(uint64_t first) const {
    return layer.weights.sumOf(int64_t(first), cellElements);
  }

  const kernels::Conv2DIntParams &p;
  const kernels::Conv2DShape &s;
  const ConvLayer &layer;
  uint32_t cellElements, taps;
};

} // namespace

bool npu::describeTransposed(const KernelCall &call, ConvLayer &c) {
  auto p = call.paramsOf<kernels::ConvTranspose2DInt>();
  if (!describeConv(call, c))
    return false;
  const kernels::Conv2DShape &s = p.shape;
  TransposedAxis y(s.kernelH, s.strideH, s.dilationH, s.padTop, s.outH),
      x(s.kernelW, s.strideW, s.dilationW, s.padLeft, s.outW);
  // Pads of commands have 16 bits.
  auto isWide = [](const TransposedAxis &axis) {
    return !llvm::isInt<16>(axis.start) || axis.span > INT16_MAX;
  };
  if (y.phases.size() * uint64_t(x.phases.size()) > kMostPhases || isWide(y) ||
      isWide(x))
    return false;
  isa::Conv &d = c.base;
  d.strideY = d.strideX = 1;
  d.dilationY = y.dilation, d.dilationX = x.dilation;
  d.padTop = int32_t(-y.start), d.padLeft = int32_t(-x.start);
  c.tileRows = c.phaseRows = s.strideH;
  c.phaseColumns = s.strideW;
  c.tileStep = 1;
  c.tileSpan = uint32_t(y.span);
  c.hasPhaseBiases = true;
  c.phases.clear();
  PhaseConstants constants(p, c);
  for (auto [row, phaseY] : llvm::enumerate(y.phases))
    for (auto [column, phaseX] : llvm::enumerate(x.phases)) {
      c.phases.push_back({.row = uint32_t(row),
                          .column = uint32_t(column),
                          .startY = uint32_t(phaseY.start - y.start),
                          .startX = uint32_t(phaseX.start - x.start),
                          .kernelY = phaseY.length(),
                          .kernelX = phaseX.length()});
      if (!constants.add(phaseY, phaseX))
        return false;
    }
  c.ownWeights = std::move(constants.weights);
  c.weights.bytes = c.ownWeights;
  c.ownBiases.resize(4 * constants.biases.size());
  std::memcpy(c.ownBiases.data(), constants.biases.data(), c.ownBiases.size());
  c.biases.bytes = c.ownBiases, c.biases.dtype = kernels::DType::I32;
  c.base.wideBias = false;
  return true;
}
