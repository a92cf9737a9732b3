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
  void means(const char *text) { entries.back().means = text; }
  void type(OperandType type, int level) {
    entries.back().types.push_back({type, level});
  }
  void form(const char *name) { form(name, entries.back().level); }
  void form(const char *name, int level) {
    entries.back().forms.push_back({name, level});
  }
  void input(const char *name, OperandClass c, OperandRow::Kind kind,
             int level) {
    if (entries.back().forms.empty())
      form("");
    entries.back().forms.back().inputs.push_back({name, c, kind, level});
  }
  void output(const char *name, OperandClass c, OperandRow::Kind kind) {
    output(name, c, kind, entries.back().level);
  }
  void output(const char *name, OperandClass c, OperandRow::Kind kind,
              int level) {
    entries.back().outputs.push_back({name, c, kind, level});
  }
  void formOutput(const char *name, OperandClass c) {
    OperationForm &form = entries.back().forms.back();
    form.outputs.push_back({name, c, OperandRow::Kind::One, form.level});
  }
  void counted() { entries.back().isCounted = true; }
};

std::vector<OperationEntry> buildTable() {
  TableBuilder b;
  using Kind = OperandRow::Kind;
#define OPERATION(CODE, NAME, LEVEL, FUNCTION, NODE, BECOMES)                  \
  b.operation({CODE, #NAME, LEVEL, FUNCTION, NODE, BECOMES});
#define AXES(LEAST, MOST) b.axes(LEAST, MOST);
#define MEANS(TEXT) b.means(TEXT);
#define TYPE(NAME, LEVEL) b.type(OperandType::NAME, LEVEL);
#define FORM(NAME) b.form(NAME);
#define FORM_SINCE(NAME, LEVEL) b.form(NAME, LEVEL);
#define FORM_OUT(NAME, CLASS) b.formOutput(#NAME, OperandClass::CLASS);
#define IN(NAME, CLASS)                                                        \
  b.input(#NAME, OperandClass::CLASS, Kind::One, b.entries.back().level);
#define CONSTANT(NAME, CLASS)                                                  \
  b.input(#NAME, OperandClass::CLASS, Kind::Constant, b.entries.back().level);
#define OPTIONAL(NAME, CLASS, LEVEL)                                           \
  b.input(#NAME, OperandClass::CLASS, Kind::Optional, LEVEL);
#define LIST(NAME, CLASS)                                                      \
  b.input(#NAME, OperandClass::CLASS, Kind::List, b.entries.back().level);
#define OUT(NAME, CLASS) b.output(#NAME, OperandClass::CLASS, Kind::One);
#define OPTIONAL_OUT(NAME, CLASS, LEVEL)                                       \
  b.output(#NAME, OperandClass::CLASS, Kind::Optional, LEVEL);
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

/// Whether CAST makes others of it.
bool isCast(OperandType type) {
  return isFloat(type) || type == OperandType::TENSOR_INT32 ||
         type == OperandType::TENSOR_QUANT8_ASYMM;
}

/// The scalar of a tensor's elements.
OperandType scalarOf(OperandType t) {
  return t == OperandType::TENSOR_FLOAT16 ? OperandType::FLOAT16
         : isFloat(t)                     ? OperandType::FLOAT32
                                          : OperandType::INT32;
}

/// The rows of \p form for so many inputs, its list as long as it must be; none
/// if they cannot be so many.
std::optional<std::vector<const OperandRow *>>
rowsFor(const OperationForm &form, std::size_t count) {
  std::size_t least = 0, lists = 0;
  for (std::size_t i = 0; i < form.inputs.size(); ++i) {
    lists += form.inputs[i].kind == OperandRow::Kind::List;
    // Optional inputs at the end may be missing, others are left out by value.
    if (form.inputs[i].kind != OperandRow::Kind::Optional)
      least = i + 1;
  }
  least -= lists;
  if (count < least)
    return std::nullopt;
  std::size_t listed = lists ? count - least : 0;
  std::vector<const OperandRow *> rows;
  for (const OperandRow &row : form.inputs) {
    if (row.kind == OperandRow::Kind::List)
      // The first list takes them all (WHILE has several).
      rows.insert(rows.end(), std::exchange(listed, 0), &row);
    else if (rows.size() < count)
      rows.push_back(&row);
  }
  if (rows.size() != count)
    return std::nullopt;
  return rows;
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

const char *nnapi::nameOf(OperandClass operandClass) {
  switch (operandClass) {
#define CLASS(NAME, TEXT)                                                      \
  case OperandClass::NAME:                                                     \
    return #NAME;
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
  case OperandClass::SIZES:
    return isQuant8(t) ? type == Type::TENSOR_QUANT16_SYMM ||
                             type == Type::TENSOR_QUANT16_ASYMM
                       : type == t;
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
  case OperandClass::CASTED:
    return type == t || (isCast(type) && isCast(t));
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

const std::vector<OperandRow> &nnapi::outputsOf(const OperationEntry &entry,
                                                const OperationForm *form) {
  return form && !form->outputs.empty() ? form->outputs : entry.outputs;
}

/// The operand that says what T is: the first input that has it, or the output
/// of operations that make one of nothing (FILL). Null if none has it.
static const Operand *operandOfT(const OperationEntry &entry,
                                 const NnModel &model,
                                 const Operation &operation,
                                 const FormMatch &match) {
  for (std::size_t i = 0; i < match.rows.size(); ++i) {
    const Operand &operand = model.operands[operation.inputs[i]];
    if (match.rows[i]->operandClass == OperandClass::T &&
        operand.lifetime != Lifetime::None)
      return &operand;
  }
  const std::vector<OperandRow> &outputs = outputsOf(entry, match.form);
  for (std::size_t i = 0; i < operation.outputs.size() && i < outputs.size();
       ++i)
    if (outputs[i].operandClass == OperandClass::T)
      return &model.operands[operation.outputs[i]];
  return nullptr;
}

/// Whether \p operand has as many axes as the operation takes; where the rank
/// is not known yet it may.
static bool checkAxes(const OperationEntry &entry, const Operand &operand,
                      std::string &why) {
  std::size_t axes = operand.dims.size();
  if (axes == 0 ||
      (axes >= entry.minAxes && (entry.maxAxes == 0 || axes <= entry.maxAxes)))
    return true;
  std::string least = std::to_string(entry.minAxes);
  why = "has " + std::to_string(axes) + " axes, not " +
        (entry.maxAxes == 0 ? least + " or more"
         : entry.maxAxes == entry.minAxes
             ? least
             : least + " to " + std::to_string(entry.maxAxes));
  return false;
}

/// Whether the inputs are of the types that \p match.rows say.
static bool matchTypes(const OperationEntry &entry, const NnModel &model,
                       const Operation &operation, FormMatch &match,
                       std::string &why) {
  match.level = match.form->level;
  if (const Operand *of = operandOfT(entry, model, operation, match)) {
    match.type = of->type;
    auto it =
        std::ranges::find(entry.types, of->type, &OperationEntry::Type::type);
    if (it == entry.types.end()) {
      why = std::string("is not computed in ") + of->entry().name;
      return false;
    }
    match.level = std::max(match.level, it->level);
    if (!checkAxes(entry, *of, why))
      return false;
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
    match.level = std::max({match.level, row.level, operand.entry().level});
  }
  const std::vector<OperandRow> &outputs = outputsOf(entry, match.form);
  for (std::size_t i = 0; i < operation.outputs.size() && i < outputs.size();
       ++i)
    match.level =
        std::max({match.level, outputs[i].level,
                  model.operands[operation.outputs[i]].entry().level});
  return true;
}

std::optional<FormMatch> nnapi::matchForm(const OperationEntry &entry,
                                          const NnModel &model,
                                          const Operation &operation,
                                          std::string *why) {
  std::string problem =
      "has " + std::to_string(operation.inputs.size()) + " inputs";
  for (const OperationForm &form : entry.forms) {
    auto rows = rowsFor(form, operation.inputs.size());
    if (!rows)
      continue;
    FormMatch match{&form, std::move(*rows)};
    if (matchTypes(entry, model, operation, match, problem))
      return match;
  }
  if (why)
    *why = problem;
  return std::nullopt;
}
