//===- OperatorRecords.cpp - ONNX's definition of operators ---------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/onnx/OperatorRecords.h"
#include "parser/onnx/TensorReader.h"
#include <algorithm>
#include <cassert>
#include <map>

using namespace yarrow;
using namespace yarrow::onnx;
using Kind = graph::Attribute::Kind;

namespace {

struct NamedTypes {
  std::string_view name;
  TypeSet types;
};

constexpr TypeSet setOf(std::initializer_list<ElementType> types) {
  TypeSet set = 0;
  for (ElementType type : types)
    set |= bitOf(type);
  return set;
}

using enum ElementType;
constexpr TypeSet kSigned = setOf({I8, I16, I32, I64}),
                  kUnsigned = setOf({U8, U16, U32, U64}),
                  kInteger = kSigned | kUnsigned,
                  kFloat = setOf({F16, F32, F64, BF16});
constexpr NamedTypes kNamedTypes[] = {
    {"any", kInteger | kFloat | bitOf(Bool)},
    {"number", kInteger | kFloat},
    {"float", kFloat},
    {"integer", kInteger},
    {"signed", kSigned},
    {"unsigned", kUnsigned},
    {"large", setOf({I32, I64, U32, U64})},
    {"index", setOf({I32, I64})},
    {"byte", setOf({I8, U8})},
    {"bool", bitOf(Bool)},
    {"f16", bitOf(F16)},
    {"f32", bitOf(F32)},
    {"f64", bitOf(F64)},
    {"bf16", bitOf(BF16)},
    {"i16", bitOf(I16)},
    {"i32", bitOf(I32)},
    {"i64", bitOf(I64)},
    {"u8", bitOf(U8)},
    {"u16", bitOf(U16)},
};

/// What is before \p mark, which goes with it.
std::string_view take(std::string_view &text, char mark) {
  std::size_t end = std::min(text.find(mark), text.size());
  std::string_view part = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return part;
}

TypeSet typesOf(std::string_view text) {
  TypeSet set = 0;
  while (!text.empty()) {
    const auto *named =
        std::ranges::find(kNamedTypes, take(text, '+'), &NamedTypes::name);
    assert(named != std::end(kNamedTypes) && "a record names a type");
    set |= named->types;
  }
  return set;
}

class SignatureParser {
public:
  Signature parse(std::int64_t since, std::string_view text) {
    Signature signature{since, {}, {}};
    auto *tensors = &signature.inputs;
    while (!text.empty()) {
      std::string_view word = take(text, ' ');
      if (word == "->")
        tensors = &signature.outputs;
      else if (!word.empty())
        tensors->push_back(tensor(word));
    }
    return signature;
  }

private:
  TensorRecord tensor(std::string_view word) {
    using Count = TensorRecord::Count;
    TensorRecord record;
    for (auto [mark, count] :
         {std::pair<std::string_view, Count>{"...", Count::MixedList},
          {"*", Count::List},
          {"?", Count::Optional}})
      if (word.ends_with(mark)) {
        record.count = count;
        word.remove_suffix(mark.size());
        break;
      }
    if (!word.starts_with('T')) {
      record.types = typesOf(word);
      return record;
    }
    std::string_view name = take(word, ':');
    auto [it, isNew] = variables.try_emplace(
        name, TensorRecord{Count::One, typesOf(word),
                           unsigned(variables.size()) + 1});
    assert(it->second.types && "a variable has its types where it is first");
    record.types = it->second.types;
    record.variable = it->second.variable;
    return record;
  }

  std::map<std::string_view, TensorRecord> variables;
};

class Table {
public:
  Table() {
#define OPERATOR(NAME, SINCE, TEXT)                                            \
  records.push_back({#NAME, SINCE});                                           \
  addSignature(1, TEXT);
#define GIVEN_UP(VERSION, INSTEAD)                                             \
  records.back().until = VERSION;                                              \
  records.back().instead = INSTEAD;
#define SIGNATURE(VERSION, TEXT) addSignature(VERSION, TEXT);
#define ENTRY(NAME, KIND, SINCE, UNTIL, IS_NEEDED)                             \
  records.back().attributes.push_back(                                         \
      {#NAME, Kind::KIND, SINCE, UNTIL, IS_NEEDED});
#include "parser/onnx/OperatorRecords.def"
    for (const OperatorRecord &record : records)
      index[record.name] = &record;
  }

  std::vector<OperatorRecord> records;
  std::map<std::string_view, const OperatorRecord *> index;

private:
  void addSignature(std::int64_t since, std::string_view text) {
    records.back().signatures.push_back(SignatureParser().parse(since, text));
  }
};

const Table &table() {
  static const Table table;
  return table;
}

} // namespace

std::string onnx::typeNames(TypeSet types) {
  std::string names;
  for (unsigned i = 0; i <= unsigned(ElementType::U64); ++i)
    if (types & bitOf(ElementType(i)))
      names += (names.empty() ? "" : ", ") +
               elementTypeName(elementNumber(ElementType(i)));
  return names;
}

std::string_view onnx::describe(Kind kind) {
  switch (kind) {
  case Kind::Int:
    return "an integer";
  case Kind::Float:
    return "a float";
  case Kind::String:
    return "a string";
  case Kind::Tensor:
    return "a tensor";
  case Kind::Graph:
    return "a graph";
  case Kind::Ints:
    return "a list of integers";
  case Kind::Floats:
    return "a list of floats";
  case Kind::Strings:
    return "a list of strings";
  case Kind::Other:
    return "a type, or a sparse tensor";
  }
  return "";
}

const TensorRecord *onnx::recordAt(const std::vector<TensorRecord> &tensors,
                                   std::size_t i) {
  if (i < tensors.size())
    return &tensors[i];
  return !tensors.empty() && tensors.back().isList() ? &tensors.back()
                                                     : nullptr;
}

const Signature &OperatorRecord::signature(std::int64_t version) const {
  const Signature *last = &signatures.front();
  for (const Signature &signature : signatures)
    if (signature.since <= version)
      last = &signature;
  return *last;
}

const AttributeRecord *OperatorRecord::attribute(std::string_view attributeName,
                                                 std::int64_t version) const {
  for (const AttributeRecord &attribute : attributes)
    if (attribute.name == attributeName && attribute.isIn(version))
      return &attribute;
  return nullptr;
}

const OperatorRecord *onnx::findRecord(std::string_view op) {
  auto it = table().index.find(op);
  return it == table().index.end() ? nullptr : it->second;
}

const std::vector<OperatorRecord> &onnx::allRecords() {
  return table().records;
}
