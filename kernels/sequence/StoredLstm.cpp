//===- StoredLstm.cpp - An LSTM cell in integers --------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "kernels/sequence/StoredLstm.h"
#include "kernels/Math.h"
#include "kernels/sequence/FixedFunctions.h"

using namespace yarrow;
using namespace yarrow::kernels;

namespace {

/// Of the arguments of gates.
constexpr int32_t kGateIntegerBits = 3;

int64_t scaled(int64_t x, const StoredScale &s) {
  return requantizeTwice(x, s.multiplier, makeTwiceShift(s.shift));
}

/// x / 2^shift, ties away from zero.
int64_t roundedShift(int64_t x, int32_t shift) {
  int64_t half = int64_t(1) << (shift - 1);
  return (x + half - (x < 0)) >> shift; // |x| <= 2^31
}

/// The sum of (x - zero) * w: up to 2^16 products of at most 255 * 128, below
/// 2^31.
int32_t product(const int8_t *x, int32_t zero, const int8_t *w, uint32_t n) {
  int32_t sum = 0;
  for (uint32_t i = 0; i < n; ++i)
    sum += (x[i] - zero) * w[i];
  return sum;
}

/// 1 / sqrt(variance) as a multiplier: 28 bits at most and a shift that makes
/// pairs of bits of it, so that products round twice as they were recorded.
StoredScale inverseRoot(int64_t variance) {
  if (variance <= 1)
    return {INT32_MAX, 31};
  int32_t pairs = (30 - floorLog2(uint64_t(variance))) / 2 - 1; // -1 .. 13
  int32_t shift = 11 - pairs;
  double root = math::sqrt(double(variance));
  auto m = int32_t(
      math::roundEven(2147483648.0 * double(1 << (shift > 0 ? shift : 0)) /
                      double(1 << (shift < 0 ? -shift : 0)) / root));
  return shift < 0 ? StoredScale{m << -shift, 31} : StoredScale{m, 31 + shift};
}

/// Sums of one batch with mean 0 and variance 1, times the weights and plus the
/// bias, whose scale is the weights' / 2^10.
void normalize(int16_t *sums, uint32_t n, const int16_t *weights,
               const int32_t *bias, const StoredScale &toArgument) {
  int64_t total = 0, squares = 0; // < 2^31 and < 2^46
  for (uint32_t i = 0; i < n; ++i) {
    total += sums[i];
    squares += int64_t(sums[i]) * sums[i];
  }
  // 10 fractional bits; the variance has 20 at first. squares * (2^20 / n) is
  // at most 2^50 for any n.
  int64_t mean = total * 1024 / int64_t(n);
  int64_t variance = squares * ((1 << 20) / int64_t(n)) - mean * mean;
  StoredScale inverse = inverseRoot(variance / (1 << 20));
  for (uint32_t i = 0; i < n; ++i) {
    int64_t normal = scaled(int64_t(sums[i]) * 1024 - mean, inverse);
    int64_t y = normal * weights[i] + bias[i];
    y = (y > 0 ? y + 512 : y - 512) / 1024;
    sums[i] = int16_t(saturateToI16(scaled(y, toArgument)));
  }
}

} // namespace

YARROW_KERNEL(yk_stored_lstm_gate, StoredLstmGate) {
  auto *x = static_cast<const int8_t *>(buffers.x());
  auto *h = static_cast<const int8_t *>(buffers.h());
  auto *wx = static_cast<const int8_t *>(buffers.x_weights());
  auto *wh = static_cast<const int8_t *>(buffers.h_weights());
  auto *bias = static_cast<const int32_t *>(buffers.bias());
  auto *cell = static_cast<const int16_t *>(buffers.cell());
  auto *peephole = static_cast<const int16_t *>(buffers.peephole());
  auto *norm = static_cast<const int16_t *>(buffers.norm());
  // A norm reads all sums of a batch; without one every unit is for itself.
  uint32_t perBatch = norm ? p.units : 1;
  Share share = shareOf(p.batches * p.units / perBatch, task, taskCount);
  auto *y = static_cast<int16_t *>(buffers.output());
  for (uint32_t i = share.begin * perBatch; i < share.end * perBatch; ++i) {
    uint32_t b = i / p.units, u = i % p.units;
    int64_t ofX =
        product(x + b * p.inputs, p.zeroX, wx + u * p.inputs, p.inputs);
    int64_t sum = saturateToI16(scaled(norm ? ofX : ofX + bias[u], p.x));
    int64_t ofH =
        product(h + b * p.outputs, p.zeroH, wh + u * p.outputs, p.outputs);
    sum = saturateToI16(sum + scaled(ofH, p.h));
    if (peephole)
      sum = saturateToI16(sum + scaled(cell[i] * peephole[u], p.peephole));
    y[i] = int16_t(sum);
  }
  for (uint32_t b = share.begin; norm && b < share.end; ++b)
    normalize(y + b * p.units, p.units, norm, bias, p.norm);
  for (uint32_t i = share.begin * perBatch; i < share.end * perBatch; ++i)
    y[i] = int16_t(p.isTanh ? fixedTanh(y[i], kGateIntegerBits)
                            : fixedSigmoid(y[i], kGateIntegerBits));
}

YARROW_KERNEL(yk_stored_lstm_cell, StoredLstmCell) {
  auto *forget = static_cast<const int16_t *>(buffers.forget());
  auto *input = static_cast<const int16_t *>(buffers.input());
  auto *candidate = static_cast<const int16_t *>(buffers.candidate());
  auto *cell = static_cast<const int16_t *>(buffers.cell());
  auto *y = static_cast<int16_t *>(buffers.output());
  Share share = shareOf(p.count, task, taskCount);
  for (uint32_t i = share.begin; i < share.end; ++i) {
    int32_t let = input ? input[i] : INT16_MAX - forget[i];
    int64_t kept = roundedShift(forget[i] * cell[i], 15);
    // Products of gates have 30 fractional bits.
    int64_t added = saturateToI16(
        roundedShift(int64_t(let) * candidate[i], 30 - p.fractionBits));
    y[i] = int16_t(clamp<int64_t>(kept + added, p.lo, p.hi));
  }
}

YARROW_KERNEL(yk_stored_lstm_hidden, StoredLstmHidden) {
  auto *gate = static_cast<const int16_t *>(buffers.gate());
  auto *cell = static_cast<const int16_t *>(buffers.cell());
  auto *y = static_cast<int8_t *>(buffers.output());
  Share share = shareOf(p.count, task, taskCount);
  for (uint32_t i = share.begin; i < share.end; ++i) {
    int32_t seen = fixedTanh(cell[i], 15 - p.fractionBits);
    y[i] = int8_t(clamp<int64_t>(scaled(seen * gate[i], p.scale) + p.zero,
                                 INT8_MIN, INT8_MAX));
  }
}

YARROW_KERNEL(yk_stored_lstm_projection, StoredLstmProjection) {
  auto *x = static_cast<const int8_t *>(buffers.input());
  auto *w = static_cast<const int8_t *>(buffers.weights());
  auto *bias = static_cast<const int32_t *>(buffers.bias());
  auto *y = static_cast<int8_t *>(buffers.output());
  Share share = shareOf(p.batches * p.outputs, task, taskCount);
  for (uint32_t i = share.begin; i < share.end; ++i) {
    uint32_t b = i / p.outputs, r = i % p.outputs;
    int64_t sum = product(x + b * p.units, p.zeroIn, w + r * p.units, p.units);
    if (bias)
      sum += bias[r];
    y[i] = int8_t(clamp<int64_t>(scaled(sum, p.scale) + p.zeroOut, p.lo, p.hi));
  }
}
