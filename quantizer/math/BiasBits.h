//===- BiasBits.h - How many bits of a bias take part -----------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Hardware that stores biases shifted drops their low bits
// (bias_effective_bits). One large bias of a layer then costs all others their
// precision. A narrower clip range of the biases can be the lesser evil
// (bias_effective_bits_auto_adaption): the bits whose dropped form is nearest,
// by the divergence of softmax(biases), to the form that keeps them.
//
//   unsigned bits = adaptedBiasBits(biases, scales, /*bits=*/32,
//                                   /*effectiveBits=*/16);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_QUANTIZER_MATH_BIASBITS_H
#define YARROW_QUANTIZER_MATH_BIASBITS_H

#include <span>

namespace yarrow {

/// Bits of the range that biases are clipped to: \p bits, unless dropping low
/// bits hurts. \p scales has one scale for each bias.
unsigned adaptedBiasBits(std::span<const float> biases,
                         std::span<const float> scales, unsigned bits,
                         unsigned effectiveBits);

} // namespace yarrow

#endif // YARROW_QUANTIZER_MATH_BIASBITS_H
