//===- TensorTypes.h - Values of a GGUF tensor as floats --------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The types of TensorTypes.def. Blocks of integers have one scale, or a scale
// of scales; their values are floats from here on.
//
//   const TensorType *type = findTensorType(12); // Q4_K
//   type->decode(blocks, numBlocks, values);     // 256 floats a block
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PARSER_GGUF_TENSORTYPES_H
#define YARROW_PARSER_GGUF_TENSORTYPES_H

#include <cstddef>
#include <cstdint>
#include <string>

namespace yarrow::gguf {

struct TensorType {
  std::uint32_t number;
  const char *name;
  std::size_t blockElements, blockBytes;
  /// Blocks need not be aligned.
  void (*decode)(const std::byte *blocks, std::size_t numBlocks, float *to);
};

/// Null of a type that is not read.
const TensorType *findTensorType(std::uint32_t number);

/// "Q5_K", or "type 77".
std::string tensorTypeText(std::uint32_t number);

/// "F32, F16, ... or BF16": the types that are read.
std::string readTensorTypesText();

} // namespace yarrow::gguf

#endif // YARROW_PARSER_GGUF_TENSORTYPES_H
