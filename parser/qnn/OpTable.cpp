//===- OpTable.cpp - The operators of the QNN definitions -----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/qnn/OpTable.h"
#include "support/Unoptimized.h"
#include <algorithm>
#include <utility>

using namespace yarrow;
using namespace yarrow::qnn;

namespace {

/// The type of a parameter that has none in the definitions.
constexpr std::optional<DataType> ANY;

std::string indexed(const char *side, std::size_t first, std::size_t last) {
  std::string text = side + ("[" + std::to_string(first));
  if (last > first)
    text += ".." + std::to_string(last);
  return text + "]";
}

/// The rows of QnnOps.def, one after the other: those behind the row of a
/// tensor or a parameter are of it.
class TableBuilder {
public:
  std::vector<OpEntry> entries;

  void op(OpEntry entry) { entries.push_back(std::move(entry)); }
  OpEntry &last() { return entries.back(); }

  void tensors(std::vector<TensorRow> OpEntry::*side, bool isMandatory,
               std::size_t first, std::size_t end, const char *role,
               const char *shape) {
    const char *prefix = side == &OpEntry::inputs ? "in" : "out";
    add(side, {indexed(prefix, first, end), role, isMandatory, shape});
    tensor().count = end - first + 1;
  }
  void list(std::vector<TensorRow> OpEntry::*side, bool isMandatory,
            const char *name, const char *role, const char *shape) {
    add(side, {name, role, isMandatory, shape});
    tensor().isList = true;
    tensor().count = isMandatory ? 1 : 0;
  }
  void types(std::vector<DataType> types, bool hasOthers) {
    tensor().types = std::move(types);
    tensor().hasOtherTypes = hasOthers;
  }

  void sameType(std::size_t input) { tensor().sameTypeAs = input; }

  void param(const char *name, std::optional<DataType> type, bool isMandatory) {
    last().params.push_back({name, type, isMandatory});
    ofParam = true;
    if (type == DataType::BOOL_8)
      param().bound = {Bound::Kind::Range, 0, 1};
  }
  ParamRow &param() { return last().params.back(); }
  void dims(const char *shape, std::vector<std::int64_t> dims) {
    param().shape = shape;
    param().dims = std::move(dims);
  }
  void value(const char *name, std::int64_t number) {
    param().values.push_back({name, number});
    param().bound.kind = Bound::Kind::OneOf;
  }
  void bound(Bound::Kind kind, double low = 0, double high = 0) {
    param().bound.kind = kind;
    param().bound.low = low;
    param().bound.high = high;
  }

  void where(const char *text) {
    (ofParam ? param().constraints : tensor().constraints) = text;
  }
  void defaultText(const char *text) {
    (ofParam ? param().defaultText : tensor().defaultText) = text;
  }

private:
  std::vector<TensorRow> OpEntry::*side = nullptr;
  bool ofParam = false;

  TensorRow &tensor() { return (last().*side).back(); }
  void add(std::vector<TensorRow> OpEntry::*to, TensorRow row) {
    side = to;
    ofParam = false;
    (last().*side).push_back(std::move(row));
  }
};

YARROW_UNOPTIMIZED std::vector<OpEntry> buildTable() {
  using enum DataType;
  TableBuilder b;
#define OP(NAME, FUNCTION, NODE, BECOMES)                                      \
  b.op({#NAME, FUNCTION, NODE, BECOMES});
#define REFUSED(NAME, WHY) b.op({#NAME, nullptr, "", WHY});
#define NOT_YET(NAME) b.op({#NAME, nullptr, "", "not yet"});
#define MEANS(TEXT) b.last().means = TEXT;
#define CONSTRAINTS(TEXT) b.last().constraints = TEXT;
#define DEPRECATED(REPLACEMENT)                                                \
  b.last().isDeprecated = true;                                                \
  b.last().replacement = #REPLACEMENT;
#define IN(I, ROLE, SHAPE) b.tensors(&OpEntry::inputs, true, I, I, ROLE, SHAPE);
#define OPTIONAL_IN(I, ROLE, SHAPE)                                            \
  b.tensors(&OpEntry::inputs, false, I, I, ROLE, SHAPE);
#define OPTIONAL_IN_RANGE(I, LAST, ROLE, SHAPE)                                \
  b.tensors(&OpEntry::inputs, false, I, LAST, ROLE, SHAPE);
#define IN_LIST(NAME, ROLE, SHAPE)                                             \
  b.list(&OpEntry::inputs, true, NAME, ROLE, SHAPE);
#define OPTIONAL_IN_LIST(NAME, ROLE, SHAPE)                                    \
  b.list(&OpEntry::inputs, false, NAME, ROLE, SHAPE);
#define OUT(I, ROLE, SHAPE)                                                    \
  b.tensors(&OpEntry::outputs, true, I, I, ROLE, SHAPE);
#define OPTIONAL_OUT(I, ROLE, SHAPE)                                           \
  b.tensors(&OpEntry::outputs, false, I, I, ROLE, SHAPE);
#define OPTIONAL_OUT_RANGE(I, LAST, ROLE, SHAPE)                               \
  b.tensors(&OpEntry::outputs, false, I, LAST, ROLE, SHAPE);
#define OUT_LIST(NAME, ROLE, SHAPE)                                            \
  b.list(&OpEntry::outputs, true, NAME, ROLE, SHAPE);
#define OPTIONAL_OUT_LIST(NAME, ROLE, SHAPE)                                   \
  b.list(&OpEntry::outputs, false, NAME, ROLE, SHAPE);
#define TYPES(...) b.types({__VA_ARGS__}, false);
#define SAME_TYPE(I) b.sameType(I);
#define TYPES_OR_OTHERS(...) b.types({__VA_ARGS__}, true);
#define PARAM(NAME, TYPE) b.param(#NAME, TYPE, true);
#define OPTIONAL_PARAM(NAME, TYPE) b.param(#NAME, TYPE, false);
#define DIMS(SHAPE, ...) b.dims(SHAPE, {__VA_ARGS__});
#define DEFAULT(...) b.param().defaults = {__VA_ARGS__};
#define DEFAULT_TEXT(TEXT) b.defaultText(TEXT);
#define VALUE(NAME, NUMBER) b.value(#NAME, NUMBER);
#define WHERE(TEXT) b.where(TEXT);
#define AT_LEAST(LOW) b.bound(Bound::Kind::AtLeast, LOW);
#define ABOVE(LOW) b.bound(Bound::Kind::Above, LOW);
#define RANGE(LOW, HIGH) b.bound(Bound::Kind::Range, LOW, HIGH);
#define AXIS b.bound(Bound::Kind::Axis);
#define END_AXIS b.bound(Bound::Kind::EndAxis);
#define OUT_AXIS b.bound(Bound::Kind::OutAxis);
#define NONZERO b.bound(Bound::Kind::Any);
#define UNIQUE b.param().bound.isUnique = true;
#define ASCENDING b.param().bound.isAscending = true;
#define RELATION(KIND, OTHER)                                                  \
  b.param().relation = Relation{Relation::Kind::KIND, #OTHER};
#include "parser/qnn/QnnOps.def"
  std::ranges::sort(b.entries, {}, [](const OpEntry &entry) {
    return std::string_view(entry.name);
  });
  return std::move(b.entries);
}

} // namespace

const ParamRow *OpEntry::param(std::string_view paramName) const {
  auto it = std::ranges::find(params, paramName, [](const ParamRow &row) {
    return std::string_view(row.name);
  });
  return it == params.end() ? nullptr : &*it;
}

std::span<const OpEntry> qnn::allOps() {
  static const std::vector<OpEntry> entries = buildTable();
  return entries;
}

const OpEntry *qnn::findOp(std::string_view name) {
  auto all = allOps();
  auto nameOf = [](const OpEntry &entry) {
    return std::string_view(entry.name);
  };
  auto it = std::ranges::lower_bound(all, name, {}, nameOf);
  return it == all.end() || nameOf(*it) != name ? nullptr : &*it;
}
