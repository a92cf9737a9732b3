//===- OnnxTypes.cpp - ONNX's numbers of element types --------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/graph/OnnxTypes.h"
#include <cassert>

using namespace yarrow;

namespace {
struct Entry {
  ElementType type;
  std::int64_t number;
};
constexpr Entry kTypes[] = {
    {ElementType::F32, 1},  {ElementType::U8, 2},   {ElementType::I8, 3},
    {ElementType::U16, 4},  {ElementType::I16, 5},  {ElementType::I32, 6},
    {ElementType::I64, 7},  {ElementType::Bool, 9}, {ElementType::F16, 10},
    {ElementType::F64, 11}, {ElementType::U32, 12}, {ElementType::U64, 13},
    {ElementType::BF16, 16}};
} // namespace

std::int64_t graph::onnxTypeNumber(ElementType type) {
  for (const Entry &entry : kTypes)
    if (entry.type == type)
      return entry.number;
  assert(false && "ONNX has every element type");
  return 0;
}

std::optional<ElementType> graph::onnxType(std::int64_t number) {
  for (const Entry &entry : kTypes)
    if (entry.number == number)
      return entry.type;
  return std::nullopt;
}
