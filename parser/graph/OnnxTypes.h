//===- OnnxTypes.h - ONNX's numbers of element types ------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The attribute `to` of Cast names a type by its number in TensorProto.
//
//   onnxTypeNumber(ElementType::F32);   // 1
//   onnxType(9);                        // Bool
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PARSER_GRAPH_ONNXTYPES_H
#define YARROW_PARSER_GRAPH_ONNXTYPES_H

#include "support/ElementType.h"
#include <cstdint>
#include <optional>

namespace yarrow::graph {

std::int64_t onnxTypeNumber(ElementType type);
/// nullopt of strings, complex numbers and what has less than 8 bits.
std::optional<ElementType> onnxType(std::int64_t number);

} // namespace yarrow::graph

#endif // YARROW_PARSER_GRAPH_ONNXTYPES_H
