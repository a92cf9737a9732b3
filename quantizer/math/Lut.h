//===- Lut.h - Look-up tables of integer IR -------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Tables that integer layers read instead of computing a function. A table has
// 2^n entries; an input of B bits selects entry h = index >> (B - n) and
// interpolates to the next one by its low bits (docs/operators/activation.md,
// Activation). Entries are therefore sampled at the inputs whose low bits are
// zero, where the look-up returns them unchanged. The reference samples N
// points evenly between qmin and qmax instead, which is the same for a full
// 8-bit table and off by up to one step of the table at 16 bits.
//
//   std::vector<int64_t> table = buildLut(
//       [](double x) { return std::tanh(x); }, input, output, /*items=*/10);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_QUANTIZER_MATH_LUT_H
#define YARROW_QUANTIZER_MATH_LUT_H

#include "quantizer/math/QuantParams.h"

#include <cstdint>
#include <functional>
#include <vector>

namespace yarrow {

/// Where a look-up table is sampled.
enum class LutSampling {
  Index,    ///< at the inputs that select an entry exactly
  Linspace, ///< evenly between qmin and qmax, as the reference does
};

/// f over the whole range of \p input, quantized to \p output:
/// 2^min(input.bits, itemsInBits) entries.
std::vector<int64_t> buildLut(const std::function<double(double)> &f,
                              const LinearParams &input,
                              const LinearParams &output, unsigned itemsInBits,
                              LutSampling sampling = LutSampling::Index);

/// The fewest items, 2^\p least to 2^\p most, with which what is read between
/// entries differs from \p f by less than rounding does: in the root mean
/// square no more than 1/sqrt(12) steps of \p output, both where all inputs are
/// equally frequent and where all magnitudes are. A full table needs no more.
unsigned itemsInBitsFor(const std::function<double(double)> &f,
                        const LinearParams &input, const LinearParams &output,
                        unsigned least, unsigned most);

/// The same of a softmax's exponentials for results of \p resultBits bits: an
/// entry's error is its share of the result's.
unsigned expItemsInBitsFor(const LinearParams &input, unsigned resultBits,
                           unsigned least, unsigned most);

/// \p f where it is finite. At a pole, such as that of a logarithm at 0, all
/// values that round to this input are meant, of which none need be 0: there it
/// is what they have on average, each within the range of \p output.
std::function<double(double)> withoutPoles(std::function<double(double)> f,
                                           const LinearParams &input,
                                           const LinearParams &output);

/// Look-ups round down between entries. This moves the entries of \p table, a
/// part of the inputs of \p inputBits bits, up by what that loses, where they
/// differ by so much that most inputs lie between two values.
void compensateRounding(std::vector<int64_t> &table,
                        const std::function<double(double)> &f,
                        const LinearParams &input, const LinearParams &output);

/// All of these: a table of the items that \p f asks for, 2^\p least to 2^\p
/// most.
std::vector<int64_t> fittedLut(const std::function<double(double)> &f,
                               const LinearParams &input,
                               const LinearParams &output, unsigned least,
                               unsigned most);

/// What a layer reads at run time: entry and interpolation. \p index counts
/// from 0 at the smallest input.
int64_t lookUp(const std::vector<int64_t> &table, int64_t index,
               unsigned inputBits);

/// Softmax by table: exp((q - qmax) / scale) * (2^maxBits - 1) for each
/// difference to the maximum, the last entry being the difference 0. Type
/// uint32 (docs/operators/norm.md, Softmax).
std::vector<int64_t> softmaxExpTable(const LinearParams &input,
                                     unsigned itemsInBits, unsigned maxBits,
                                     LutSampling sampling = LutSampling::Index);

/// 2^15 / sqrt(1 + i / 64) for i = 0 .. 192, saturated to int16: LayerNorm's
/// `lut` (docs/operators/norm.md, LayerNorm).
std::vector<int64_t> inverseSqrtTable();
/// 2^15 * log2(1 + i / 256), 256 entries of int16: Softmax's `log2_lut`.
std::vector<int64_t> log2Table();
/// 2^15 * 2^(i / 256), 256 entries of uint16: Softmax's `pow2_lut`.
std::vector<int64_t> pow2Table();

} // namespace yarrow

#endif // YARROW_QUANTIZER_MATH_LUT_H
