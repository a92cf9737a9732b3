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
#define CUSTOM(NAME, FUNCTION, NODE, BECOMES)                                  \
  {kCustom, #NAME, OptionTable::None, FUNCTION, NODE, nullptr},
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

const OperatorEntry *yarrow::tflite::findCustom(std::string_view name) {
  const OperatorEntry *it =
      std::ranges::find_if(kEntries, [&](const OperatorEntry &entry) {
        return entry.number == kCustom && entry.name == name;
      });
  return it == std::end(kEntries) ? nullptr : it;
}
