//===- Schema.cpp - The parts of a TFLite model as views ------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/tflite/Schema.h"
#include <cassert>

using namespace yarrow::tflite;

namespace {

enum class FieldKind { Byte, Int, Float, Ints, Text };

struct OptionField {
  OptionTable table;
  std::string_view name;
  unsigned id;
  FieldKind kind;
  std::int32_t fallback;
};
constexpr OptionField kFields[] = {
#define FIELD(TABLE, NAME, ID, KIND, DEFAULT)                                  \
  {OptionTable::TABLE, #NAME, ID, FieldKind::KIND, DEFAULT},
#include "parser/tflite/Options.def"
};

const OptionField *findField(OptionTable table, std::string_view name) {
  for (const OptionField &field : kFields)
    if (field.table == table && field.name == name)
      return &field;
  return nullptr;
}

const OptionField &fieldOf(OptionTable table, std::string_view name,
                           [[maybe_unused]] FieldKind kind) {
  const OptionField *field = findField(table, name);
  assert(field && "the table does not have this field");
  assert((field->kind == kind ||
          (kind == FieldKind::Int && field->kind == FieldKind::Byte)) &&
         "the field is of another kind");
  return *field;
}

} // namespace

std::uint8_t yarrow::tflite::unionNumber(OptionTable table) {
  switch (table) {
  case OptionTable::None:
    return 0;
#define OPTIONS(TABLE, NUMBER)                                                 \
  case OptionTable::TABLE:                                                     \
    return NUMBER;
#include "parser/tflite/Options.def"
  }
  return 0;
}

bool Options::has(std::string_view field) const {
  return findField(kind, field) != nullptr;
}

std::int64_t Options::integer(std::string_view name) const {
  const OptionField &field = fieldOf(kind, name, FieldKind::Int);
  if (field.kind == FieldKind::Byte)
    return table.number<std::int8_t>(field.id, std::int8_t(field.fallback));
  return table.number<std::int32_t>(field.id, field.fallback);
}

float Options::number(std::string_view name) const {
  const OptionField &field = fieldOf(kind, name, FieldKind::Float);
  return table.number<float>(field.id, float(field.fallback));
}

std::string Options::text(std::string_view name) const {
  return std::string(table.text(fieldOf(kind, name, FieldKind::Text).id));
}

std::optional<std::vector<std::int64_t>>
Options::integers(std::string_view name) const {
  const OptionField &field = fieldOf(kind, name, FieldKind::Ints);
  if (!table.has(field.id))
    return std::nullopt;
  return table.list<std::int32_t>(field.id).copy<std::int64_t>();
}

std::map<std::string, yarrow::graph::Attribute, std::less<>>
Options::attributes() const {
  using yarrow::graph::Attribute;
  std::map<std::string, Attribute, std::less<>> all;
  for (const OptionField &field : kFields) {
    if (field.table != kind || field.name == "fused_activation_function")
      continue;
    Attribute &attribute = all[std::string(field.name)];
    if (field.kind == FieldKind::Float)
      attribute = Attribute::of(number(field.name));
    else if (field.kind == FieldKind::Ints)
      attribute = Attribute::of(
          integers(field.name).value_or(std::vector<std::int64_t>()));
    else if (field.kind == FieldKind::Text)
      attribute = Attribute::of(text(field.name));
    else
      attribute = Attribute::of(integer(field.name));
  }
  return all;
}
