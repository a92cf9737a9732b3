//===- OperationTable.cpp - The operations of NNAPI -----------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/nnapi/OperationTable.h"
#include "support/Unoptimized.h"
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
  void input(const char *name, OperandClass c, OperandRow::Kind kind, int level,
             bool isConstant = false) {
    if (entries.back().forms.empty())
      form("");
    entries.back().forms.back().inputs.push_back(
        {name, c, kind, level, isConstant});
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
  void flat() { entries.back().isFlat = true; }
};

YARROW_UNOPTIMIZED std::vector<OperationEntry> buildTable() {
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
  b.input(#NAME, OperandClass::CLASS, Kind::One, b.entries.back().level, true);
#define OPTIONAL(NAME, CLASS, LEVEL)                                           \
  b.input(#NAME, OperandClass::CLASS, Kind::Optional, LEVEL);
#define OPTIONAL_CONSTANT(NAME, CLASS, LEVEL)                                  \
  b.input(#NAME, OperandClass::CLASS, Kind::Optional, LEVEL, true);
#define LIST(NAME, CLASS)                                                      \
  b.input(#NAME, OperandClass::CLASS, Kind::List, b.entries.back().level);
#define OUT(NAME, CLASS) b.output(#NAME, OperandClass::CLASS, Kind::One);
#define OPTIONAL_OUT(NAME, CLASS, LEVEL)                                       \
  b.output(#NAME, OperandClass::CLASS, Kind::Optional, LEVEL);
#define OUT_LIST(NAME, CLASS) b.output(#NAME, OperandClass::CLASS, Kind::List);
#define COUNTED b.counted();
#define FLAT b.flat();
#include "parser/nnapi/Operations.def"
  return std::move(b.entries);
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

const std::vector<OperandRow> &nnapi::outputsOf(const OperationEntry &entry,
                                                const OperationForm *form) {
  return form && !form->outputs.empty() ? form->outputs : entry.outputs;
}
