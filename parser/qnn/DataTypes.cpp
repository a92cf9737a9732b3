//===- DataTypes.cpp - The types of QNN's tensors -------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/qnn/DataTypes.h"
#include <algorithm>

using namespace yarrow;
using namespace yarrow::qnn;

static constexpr DataTypeEntry kTypes[] = {
#define DATA_TYPE(NUMBER, NAME, ELEMENT, STORAGE)                              \
  {DataType::NAME, #NAME, ElementType::ELEMENT, Storage::STORAGE},
#include "parser/qnn/DataTypes.def"
};

bool DataTypeEntry::isFloat() const {
  return element == ElementType::F16 || element == ElementType::F32 ||
         element == ElementType::F64;
}

unsigned DataTypeEntry::numBits() const {
  // The last two digits of the number are the width, as decimal digits.
  unsigned low = unsigned(type) & 0xff;
  return (low >> 4) * 10 + (low & 0xf);
}

std::span<const DataTypeEntry> qnn::allDataTypes() { return kTypes; }

const DataTypeEntry *qnn::findDataType(std::uint64_t number) {
  auto it = std::ranges::find(kTypes, number, [](const DataTypeEntry &entry) {
    return std::uint64_t(entry.type);
  });
  return it == std::end(kTypes) ? nullptr : it;
}

const DataTypeEntry *qnn::findDataType(std::string_view name) {
  auto it = std::ranges::find(kTypes, name, &DataTypeEntry::name);
  return it == std::end(kTypes) ? nullptr : it;
}

const DataTypeEntry &qnn::entryOf(DataType type) {
  return *findDataType(std::uint64_t(type));
}
