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
// A value's lengths are never open: its 0 is a tensor without elements.
//
//   agree({0, 4}, value.dims);             // true if it has rows of 4
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_API_NNAPI_RUN_LENGTHS_H
#define YARROW_API_NNAPI_RUN_LENGTHS_H

#include "parser/nnapi/NnModel.h"

namespace yarrow::nnapi {

/// Far above what the definition's operations take. A count that is wrong is
/// not believed before lengths are read from the client's memory.
inline constexpr std::size_t kMostAxes = 64;

/// Fills in what \p lengths leaves open. False if they do not agree, or \p
/// other has too many, then none is read; \p lengths is as it was then.
bool combineLengths(std::vector<std::uint32_t> &lengths,
                    std::span<const std::uint32_t> other);

/// Whether a value's lengths are among those that \p said leaves open.
bool agree(std::span<const std::uint32_t> stated,
           std::span<const std::uint32_t> actual);

/// Of a tensor.
bool areKnown(std::span<const std::uint32_t> lengths);

/// Of the operand with these lengths, none open. More than a buffer can have
/// are not told apart.
std::uint64_t sizeBytesOf(const Operand &operand,
                          std::span<const std::uint32_t> lengths);

} // namespace yarrow::nnapi

#endif // YARROW_API_NNAPI_RUN_LENGTHS_H
