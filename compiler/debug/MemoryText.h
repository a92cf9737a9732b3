//===- MemoryText.h - Tensors and bytes as a debugger shows them *- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//   os << tensorText(tensor, contents, ranges);
//   os << memoryText(bytes, address, {.count = 4, .format = 'x'});
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_DEBUG_MEMORYTEXT_H
#define YARROW_COMPILER_DEBUG_MEMORYTEXT_H

#include "compiler/debug/CommandLanguage.h"
#include "runtime/RunTensors.h"
#include "support/Npy.h"

namespace yarrow {

/// What its elements are in a .npy file; bfloat16 as its bits.
NpyType storedType(const runtime::RunTensor &tensor);

/// "uint8[1,8,8,16]"
std::string typeText(const runtime::RunTensor &tensor);
/// "whole", "not computed yet"
std::string_view stateText(runtime::RunTensors::State state);

/// Name, type, meaning and place, and a line for each eight elements that were
/// chosen, with the real numbers below if they are others.
std::string tensorText(const runtime::RunTensor &tensor,
                       const runtime::RunTensors::Contents &contents,
                       const IndexRanges &ranges);
/// The state, bounds and first elements in one line.
std::string tensorSummary(const runtime::RunTensor &tensor,
                          const runtime::RunTensors::Contents &contents);

/// \p bytes are as many as \p how asks for.
std::string memoryText(std::span<const std::byte> bytes, uint32_t address,
                       const ExamineFormat &how);

} // namespace yarrow

#endif // YARROW_COMPILER_DEBUG_MEMORYTEXT_H
