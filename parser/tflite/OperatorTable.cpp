//===- OperatorTable.cpp - The operators of TFLite ------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/tflite/OperatorTable.h"
#include <algorithm>

using namespace yarrow::tflite;

static constexpr OperatorEntry kEntries[] = {
#define BUILTIN(NUMBER, NAME, OPTIONS, FUNCTION, NODE, BECOMES)                \
  {NUMBER, #NAME, OptionTable::OPTIONS, FUNCTION, NODE, nullptr},
#define REFUSED(NUMBER, NAME, WHY)                                             \
  {NUMBER, #NAME, OptionTable::None, nullptr, nullptr, WHY},
#include "parser/tflite/Operators.def"
};

std::span<const OperatorEntry> yarrow::tflite::allOperatorEntries() {
  return kEntries;
}

const OperatorEntry *yarrow::tflite::findOperator(std::int32_t number) {
  const OperatorEntry *it =
      std::ranges::find(kEntries, number, &OperatorEntry::number);
  return it == std::end(kEntries) ? nullptr : it;
}
