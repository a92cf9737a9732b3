//===- IrElementType.cpp - Element types of Compass IR text ---------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/compass/IrElementType.h"

using namespace yarrow::compass;

static constexpr IrElementType elementTypes[] = {
#define ELEMENT(WORD, KIND, BITS, BYTES)                                       \
  {#WORD, IrElementType::Kind::KIND, BITS, BYTES},
#include "parser/compass/ElementTypes.def"
};

static constexpr struct {
  std::string_view word, type;
} synonyms[] = {
#define SYNONYM(WORD, TYPE) {#WORD, #TYPE},
#include "parser/compass/ElementTypes.def"
};

const IrElementType *yarrow::compass::findElementType(std::string_view word) {
  std::string name(word);
  for (char &c : name)
    if (c >= 'A' && c <= 'Z')
      c = static_cast<char>(c - 'A' + 'a');
  constexpr std::string_view prefix = "dtype.";
  if (name.starts_with(prefix))
    name.erase(0, prefix.size());
  for (const auto &synonym : synonyms)
    if (synonym.word == name)
      name = synonym.type;
  for (const IrElementType &type : elementTypes)
    if (type.word == name)
      return &type;
  return nullptr;
}

std::vector<std::string> yarrow::compass::elementTypeWords() {
  std::vector<std::string> words;
  for (const IrElementType &type : elementTypes)
    words.emplace_back(type.word);
  return words;
}
