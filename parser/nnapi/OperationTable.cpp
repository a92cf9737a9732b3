//===- OperationTable.cpp - The operations of NNAPI -----------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/nnapi/OperationTable.h"
#include <algorithm>
#include <utility>

using namespace yarrow;
using namespace yarrow::nnapi;

namespace {

/// The rows of Operations.def, one after the other.
class TableBuilder {
public:
  std::vector<OperationEntry> entries;

  void operation(OperationEntry entry) { entries.push_back(std::move(entry)); }
  void axes(unsigned least, unsigned most) {
    entries.back().minAxes = least;
    entries.back().maxAxes = most;
  }
  void type(OperandType type, int level) {
    entries.back().types.push_back({type, level});
  }
  void form(const char *name) { entries.back().forms.push_back({name, {}}); }
  void input(const char *name, OperandClass c, OperandRow::Kind kind,
             int level) {
    if (entries.back().forms.empty())
      form("");
    entries.back().forms.back().inputs.push_back({name, c, kind, level});
  }
  void output(const char *name, OperandClass c, OperandRow::Kind kind) {
    entries.back().outputs.push_back({name, c, kind, entries.back().level});
  }
  void counted() { entries.back().isCounted = true; }
};

std::vector<OperationEntry> buildTable() {
  TableBuilder b;
  using Kind = OperandRow::Kind;
#define OPERATION(CODE, NAME, LEVEL, FUNCTION, NODE, BECOMES)                  \
  b.operation({CODE, #NAME, LEVEL, FUNCTION, NODE, BECOMES});
#define AXES(LEAST, MOST) b.axes(LEAST, MOST);
#define TYPE(NAME, LEVEL) b.type(OperandType::NAME, LEVEL);
#define FORM(NAME) b.form(NAME);
#define IN(NAME, CLASS)                                                        \
  b.input(#NAME, OperandClass::CLASS, Kind::One, b.entries.back().level);
#define CONSTANT(NAME, CLASS)                                                  \
  b.input(#NAME, OperandClass::CLASS, Kind::Constant, b.entries.back().level);
#define OPTIONAL(NAME, CLASS, LEVEL)                                           \
  b.input(#NAME, OperandClass::CLASS, Kind::Optional, LEVEL);
#define LIST(NAME, CLASS)                                                      \
  b.input(#NAME, OperandClass::CLASS, Kind::List, b.entries.back().level);
#define OUT(NAME, CLASS) b.output(#NAME, OperandClass::CLASS, Kind::One);
#define OPTIONAL_OUT(NAME, CLASS)                                              \
  b.output(#NAME, OperandClass::CLASS, Kind::Optional);
#define OUT_LIST(NAME, CLASS) b.output(#NAME, OperandClass::CLASS, Kind::List);
#define COUNTED b.counted();
#include "parser/nnapi/Operations.def"
  return std::move(b.entries);
}

bool isFloat(OperandType type) {
  return type == OperandType::TENSOR_FLOAT32 ||
         type == OperandType::TENSOR_FLOAT16;
}

bool isQuant8(OperandType type) {
  return type == OperandType::TENSOR_QUANT8_ASYMM ||
         type == OperandType::TENSOR_QUANT8_ASYMM_SIGNED;
}

/// The scalar of a tensor's elements.
OperandType scalarOf(OperandType t) {
  return t == OperandType::TENSOR_FLOAT16 ? OperandType::FLOAT16
         : isFloat(t)                     ? OperandType::FLOAT32
                                          : OperandType::INT32;
}

/// The rows of \p form for so many inputs, its list as long as it must be;
/// empty if they cannot be so many.
std::vector<const OperandRow *> rowsFor(const OperationForm &form,
                                        std::size_t count) {
  std::size_t least = 0, lists = 0;
  for (std::size_t i = 0; i < form.inputs.size(); ++i) {
    lists += form.inputs[i].kind == OperandRow::Kind::List;
    // Optional inputs at the end may be missing, others are left out by value.
    if (form.inputs[i].kind != OperandRow::Kind::Optional)
      least = i + 1;
  }
  least -= lists;
  std::size_t listed = lists && count > least ? count - least : 0;
  std::vector<const OperandRow *> rows;
  for (const OperandRow &row : form.inputs) {
    if (row.kind == OperandRow::Kind::List)
      // The first list takes them all (WHILE has several).
      rows.insert(rows.end(), std::exchange(listed, 0), &row);
    else if (rows.size() < count)
      rows.push_back(&row);
  }
  return rows.size() == count && count >= least
             ? rows
             : std::vector<const OperandRow *>();
}

} // namespace

std::span<const OperationEntry> nnapi::allOperations() {
  static const std::vector<OperationEntry> entries = buildTable();
  return entries;
}

const OperationEntry *nnapi::findOperation(std::int32_t code) {
  auto all = allOperations();
  auto it = std::ranges::find(all, code, &OperationEntry::code);
  return it == all.end() ? nullptr : &*it;
}

const OperationEntry *nnapi::findOperation(std::string_view name) {
  auto all = allOperations();
  auto it = std::ranges::find(all, name, &OperationEntry::name);
  return it == all.end() ? nullptr : &*it;
}

bool nnapi::hasCountedResults(std::int32_t code) {
  const OperationEntry *entry = findOperation(code);
  return entry && entry->isCounted;
}

const char *nnapi::textOf(OperandClass operandClass) {
  switch (operandClass) {
#define CLASS(NAME, TEXT)                                                      \
  case OperandClass::NAME:                                                     \
    return TEXT;
#include "parser/nnapi/OperandClasses.def"
#define SCALAR(CODE, NAME, ELEMENT, LEVEL)                                     \
  case OperandClass::NAME:                                                     \
    return #NAME;
#define TENSOR(CODE, NAME, ELEMENT, STORAGE, LEVEL)                            \
  case OperandClass::NAME:                                                     \
    return #NAME;
#include "parser/nnapi/OperandTypes.def"
  }
  return "";
}

bool nnapi::fits(OperandClass operandClass, OperandType type, OperandType t) {
  using Type = OperandType;
  switch (operandClass) {
  case OperandClass::T:
    return type == t;
  case OperandClass::WEIGHTS:
    return type == t ||
           (isQuant8(t) && type == Type::TENSOR_QUANT8_SYMM_PER_CHANNEL);
  case OperandClass::BIAS:
    return type == (isQuant8(t) ? Type::TENSOR_INT32 : t);
  case OperandClass::BOXES:
    return type == (isQuant8(t) ? Type::TENSOR_QUANT16_ASYMM : t);
  case OperandClass::ANCHORS:
    return type == (isQuant8(t) ? Type::TENSOR_QUANT16_SYMM : t);
  case OperandClass::DELTAS:
    return isFloat(t) ? type == t : isQuant8(type);
  case OperandClass::NUMBER:
    return type == (t == Type::TENSOR_FLOAT16 ? Type::FLOAT16 : Type::FLOAT32);
  case OperandClass::REAL:
    // The definition has FLOAT32 alone, recorded cases of float16 have both.
    return type == Type::FLOAT32 ||
           (t == Type::TENSOR_FLOAT16 && type == Type::FLOAT16);
  case OperandClass::VALUE:
    return type == scalarOf(t);
  case OperandClass::FUSE:
  case OperandClass::PADDING:
    return type == Type::INT32;
  case OperandClass::FLOATS:
    return isFloat(type);
  case OperandClass::QUANT8:
    return isQuant8(type);
  case OperandClass::ANY:
    return true;
#define SCALAR(CODE, NAME, ELEMENT, LEVEL)                                     \
  case OperandClass::NAME:                                                     \
    return type == Type::NAME;
#define TENSOR(CODE, NAME, ELEMENT, STORAGE, LEVEL)                            \
  case OperandClass::NAME:                                                     \
    return type == Type::NAME;
#include "parser/nnapi/OperandTypes.def"
  }
  return false;
}

/// Whether the inputs are of the types that \p match.rows say.
static bool matchTypes(const OperationEntry &entry, const NnModel &model,
                       const Operation &operation, FormMatch &match,
                       std::string &why) {
  match.level = entry.level;
  for (std::size_t i = 0; i < match.rows.size() && !match.type; ++i)
    if (match.rows[i]->operandClass == OperandClass::T &&
        model.operands[operation.inputs[i]].lifetime != Lifetime::None)
      match.type = model.operands[operation.inputs[i]].type;
  // FILL has it of its result alone.
  for (std::size_t i = 0;
       i < operation.outputs.size() && !match.type && i < entry.outputs.size();
       ++i)
    if (entry.outputs[i].operandClass == OperandClass::T)
      match.type = model.operands[operation.outputs[i]].type;
  if (match.type) {
    auto it = std::ranges::find(entry.types, *match.type,
                                &OperationEntry::Type::type);
    if (it == entry.types.end()) {
      why = std::string("is not computed in ") + entryOf(*match.type).name;
      return false;
    }
    match.level = std::max(match.level, it->level);
  }
  for (std::size_t i = 0; i < match.rows.size(); ++i) {
    const OperandRow &row = *match.rows[i];
    const Operand &operand = model.operands[operation.inputs[i]];
    if (operand.lifetime == Lifetime::None &&
        row.kind == OperandRow::Kind::Optional)
      continue;
    if (!fits(row.operandClass, operand.type,
              match.type.value_or(OperandType::TENSOR_FLOAT32))) {
      why = std::string("input ") + row.name + " is " + operand.entry().name +
            ", not " + textOf(row.operandClass);
      return false;
    }
    match.level = std::max(match.level, row.level);
  }
  return true;
}

std::optional<FormMatch> nnapi::matchForm(const OperationEntry &entry,
                                          const NnModel &model,
                                          const Operation &operation,
                                          std::string *why) {
  std::string problem =
      "has " + std::to_string(operation.inputs.size()) + " inputs";
  for (const OperationForm &form : entry.forms) {
    FormMatch match{&form, rowsFor(form, operation.inputs.size())};
    if (match.rows.empty()) // every form has an input
      continue;
    if (matchTypes(entry, model, operation, match, problem))
      return match;
  }
  if (why)
    *why = problem;
  return std::nullopt;
}
