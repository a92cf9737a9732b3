//===- OperandTypes.cpp - The types of NNAPI's operands -------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/nnapi/OperandTypes.h"
#include <algorithm>
#include <cassert>

using namespace yarrow;
using namespace yarrow::nnapi;

static constexpr OperandTypeEntry kTypes[] = {
#define SCALAR(CODE, NAME, ELEMENT, LEVEL)                                     \
  {OperandType::NAME, #NAME, ElementType::ELEMENT, false,                      \
   Storage::Plain,    LEVEL},
#define TENSOR(CODE, NAME, ELEMENT, STORAGE, LEVEL)                            \
  {OperandType::NAME, #NAME, ElementType::ELEMENT, true,                       \
   Storage::STORAGE,  LEVEL},
#include "parser/nnapi/OperandTypes.def"
};

std::span<const OperandTypeEntry> nnapi::allOperandTypes() { return kTypes; }

const OperandTypeEntry *nnapi::findOperandType(std::int32_t code) {
  auto it =
      std::ranges::find(kTypes, OperandType(code), &OperandTypeEntry::type);
  return it == std::end(kTypes) ? nullptr : it;
}

const OperandTypeEntry *nnapi::findOperandType(std::string_view name) {
  auto it = std::ranges::find(kTypes, name, &OperandTypeEntry::name);
  return it == std::end(kTypes) ? nullptr : it;
}

const OperandTypeEntry &nnapi::entryOf(OperandType type) {
  const OperandTypeEntry *entry = findOperandType(std::int32_t(type));
  assert(entry && "a type that was checked");
  return *entry;
}
