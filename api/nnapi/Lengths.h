//===- Lengths.h - Lengths of which some are open ---------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A model, an execution and a memory may each say some lengths of an operand;
// what they say has to agree. 0 is a length that is open, no lengths at all a
// rank that is open (of tensors).
//
//   std::vector<std::uint32_t> lengths = {0, 4};
//   combineLengths(lengths, {2, 0});       // true: {2, 4}
//   combineLengths(lengths, {2, 5});       // false
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_API_NNAPI_LENGTHS_H
#define YARROW_API_NNAPI_LENGTHS_H

#include <cstdint>
#include <span>
#include <vector>

namespace yarrow::nnapi {

/// Fills in what \p lengths leaves open. False if they do not agree;
/// \p lengths is as it was then.
bool combineLengths(std::vector<std::uint32_t> &lengths,
                    std::span<const std::uint32_t> other);

/// Of a tensor.
bool areKnown(std::span<const std::uint32_t> lengths);

} // namespace yarrow::nnapi

#endif // YARROW_API_NNAPI_LENGTHS_H
