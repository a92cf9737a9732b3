//===- OnnxRecords.cpp - Our records of ONNX beside libonnx's schemas -----===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//   onnx_records
//
// Compares every record of parser/onnx/OperatorRecords.def with the schemas of
// libonnx (Debian: libonnx-dev), version by version up to the newest that it
// knows: since when there is an operator, until when, its attributes with their
// types and whether they must be there, and the types of its tensors. Types may
// be fewer in a schema, as ours are those of all versions. Prints what differs.
// Returns 1 if anything does.
//
//===----------------------------------------------------------------------===//
#include "parser/onnx/OperatorRecords.h"
#include "parser/onnx/TensorReader.h"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <onnx/defs/schema.h>

using namespace yarrow;
namespace ours = yarrow::onnx;
using yarrow::onnx::AttributeRecord;
using yarrow::onnx::OperatorRecord;
using yarrow::onnx::TensorRecord;
using Kind = graph::Attribute::Kind;
using Schema = ::onnx::OpSchema;

namespace {

/// The first version that is read (OnnxReader.h).
constexpr int kFirstVersion = 6;

Kind kindOf(::onnx::AttributeProto::AttributeType type) {
  using Proto = ::onnx::AttributeProto;
  switch (type) {
  case Proto::INT:
    return Kind::Int;
  case Proto::FLOAT:
    return Kind::Float;
  case Proto::STRING:
    return Kind::String;
  case Proto::TENSOR:
    return Kind::Tensor;
  case Proto::GRAPH:
    return Kind::Graph;
  case Proto::INTS:
    return Kind::Ints;
  case Proto::FLOATS:
    return Kind::Floats;
  case Proto::STRINGS:
    return Kind::Strings;
  default:
    return Kind::Other;
  }
}

/// Those that have an ElementType.
ours::TypeSet typesOf(const Schema::FormalParameter &parameter) {
  ours::TypeSet set = 0;
  for (unsigned i = 0; i <= unsigned(ElementType::U64); ++i) {
    auto type = ElementType(i);
    std::string name =
        "tensor(" + ours::elementTypeName(ours::elementNumber(type)) + ")";
    for (const std::string *allowed : parameter.GetTypes())
      if (*allowed == name)
        set |= ours::bitOf(type);
  }
  return set;
}

class Comparison {
public:
  Comparison(const OperatorRecord &record, int version)
      : record(record), version(version) {}

  void compare(const Schema *schema) {
    // What ONNX Runtime writes into older sets.
    bool isLenient = record.name == "LayerNormalization";
    bool isHere = version >= record.since && version < record.until;
    if (bool(schema) != isHere && !(isLenient && !schema))
      return differ(schema ? "there is one" : "there is none");
    if (!schema)
      return;
    for (const auto &[name, attribute] : schema->attributes()) {
      const AttributeRecord *ours = record.attribute(name, version);
      if (!ours)
        differ("the attribute " + name + " is not in the record");
      else if (ours->kind != kindOf(attribute.type) ||
               ours->isNeeded != attribute.required)
        differ("the attribute " + name + " is another one");
    }
    for (const AttributeRecord &ours : record.attributes)
      if (ours.isIn(version) &&
          !schema->attributes().contains(std::string(ours.name)))
        differ("the record alone has the attribute " + std::string(ours.name));
    // libonnx 1.12 has the types of the grid and of the result exchanged; later
    // versions correct it.
    if (record.name == "GridSample")
      return;
    const ours::Signature &signature = record.signature(version);
    compareTensors(signature.inputs, schema->inputs(), "input");
    compareTensors(signature.outputs, schema->outputs(), "output");
    compareVariables(signature, *schema);
  }

  static std::size_t numDifferences;

private:
  void differ(const std::string &what) {
    ++numDifferences;
    std::printf("%s, version %d: %s\n", std::string(record.name).c_str(),
                version, what.c_str());
  }

  void compareTensors(const std::vector<TensorRecord> &ours,
                      const std::vector<Schema::FormalParameter> &theirs,
                      const std::string &what) {
    using Count = TensorRecord::Count;
    if (ours.size() != theirs.size())
      return differ("another number of " + what + "s");
    for (std::size_t i = 0; i < ours.size(); ++i) {
      std::string name = what + " " + theirs[i].GetName();
      Count count = theirs[i].GetOption() == Schema::Single ? Count::One
                    : theirs[i].GetOption() == Schema::Optional
                        ? Count::Optional
                    : theirs[i].GetIsHomogeneous() ? Count::List
                                                   : Count::MixedList;
      if (ours[i].count != count)
        differ(name + " stands for another number of tensors");
      if (typesOf(theirs[i]) & ~ours[i].types)
        differ(name + " takes more types: " +
               ours::typeNames(typesOf(theirs[i]) & ~ours[i].types));
    }
  }

  /// Tensors are of one type in the record where they are in the schema.
  void compareVariables(const ours::Signature &ours, const Schema &schema) {
    struct Pair {
      const TensorRecord *ours;
      const Schema::FormalParameter *theirs;
    };
    std::vector<Pair> pairs;
    auto add = [&](const auto &records, const auto &parameters) {
      for (std::size_t i = 0; i < records.size() && i < parameters.size(); ++i)
        pairs.push_back({&records[i], &parameters[i]});
    };
    add(ours.inputs, schema.inputs());
    add(ours.outputs, schema.outputs());
    for (const Pair &a : pairs)
      for (const Pair &b : pairs) {
        bool isOne = a.theirs->GetTypeStr() == b.theirs->GetTypeStr() &&
                     a.theirs->GetIsHomogeneous() &&
                     b.theirs->GetIsHomogeneous() &&
                     a.theirs->GetTypes().size() > 1;
        // Of what has a single type both say so.
        bool isOurs = a.ours->variable &&
                      a.ours->variable == b.ours->variable &&
                      !std::has_single_bit(a.ours->types);
        if (a.ours != b.ours && isOne != isOurs)
          differ(a.theirs->GetName() + " and " + b.theirs->GetName() +
                 (isOne ? " are of one type" : " may be of two types"));
      }
  }

  const OperatorRecord &record;
  int version;
};

std::size_t Comparison::numDifferences = 0;

} // namespace

int main() {
  int last = ::onnx::OpSchemaRegistry::DomainToVersionRange::Instance()
                 .Map()
                 .at("")
                 .second;
  std::size_t count = 0;
  for (const OperatorRecord &record : ours::allRecords())
    for (int version = kFirstVersion; version <= last; ++version) {
      const Schema *schema = ::onnx::OpSchemaRegistry::Schema(
          std::string(record.name), version, "");
      if (schema && schema->Deprecated())
        schema = nullptr;
      Comparison(record, version).compare(schema);
      ++count;
    }
  std::printf("%zu records of versions %d to %d, %zu differences\n", count,
              kFirstVersion, last, Comparison::numDifferences);
  return Comparison::numDifferences ? 1 : 0;
}
