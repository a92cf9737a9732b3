//===- OperatorRecords.h - ONNX's definition of operators -------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The definition of each operator that is imported: the version of the operator
// set that added it, its tensors and attributes with their types
// (OperatorRecords.def). Operators of other domains have no record.
//
//   const OperatorRecord *clip = findRecord("Clip");
//   clip->signature(17).inputs.size(); // 3
//   clip->attribute("min", 17);        // null: an input since version 11
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PARSER_ONNX_OPERATORRECORDS_H
#define YARROW_PARSER_ONNX_OPERATORRECORDS_H

#include "parser/graph/ImportGraph.h"
#include <limits>

namespace yarrow::onnx {

/// The version that ends what has not ended.
inline constexpr std::int64_t kStays = std::numeric_limits<std::int64_t>::max();

/// A bit for each ElementType.
using TypeSet = std::uint32_t;
constexpr TypeSet bitOf(ElementType type) { return 1u << unsigned(type); }
/// "int32, int64"
std::string typeNames(TypeSet types);

struct AttributeRecord {
  std::string_view name;
  graph::Attribute::Kind kind;
  std::int64_t since, until; ///< Versions [since, until).
  bool isNeeded;

  bool isIn(std::int64_t version) const {
    return version >= since && version < until;
  }
};

/// "an integer"
std::string_view describe(graph::Attribute::Kind kind);

/// An input or an output.
struct TensorRecord {
  enum class Count { One, Optional, List, MixedList } count = Count::One;
  TypeSet types = 0;
  /// Tensors of the same variable have the same type; 0: of none.
  unsigned variable = 0;

  bool isList() const {
    return count == Count::List || count == Count::MixedList;
  }
};

struct Signature {
  std::int64_t since;
  std::vector<TensorRecord> inputs, outputs;
};

/// Of the i-th tensor, where the last may stand for many; null beyond.
const TensorRecord *recordAt(const std::vector<TensorRecord> &tensors,
                             std::size_t i);

struct OperatorRecord {
  std::string_view name;
  std::int64_t since, until = kStays;
  std::string_view instead = {}; ///< Of one that ended.
  std::vector<Signature> signatures = {};
  std::vector<AttributeRecord> attributes = {};

  const Signature &signature(std::int64_t version) const;
  /// Null if that version has none of the name.
  const AttributeRecord *attribute(std::string_view attributeName,
                                   std::int64_t version) const;
};

/// Of ONNX's own domain; null of others.
const OperatorRecord *findRecord(std::string_view op);
const std::vector<OperatorRecord> &allRecords();

} // namespace yarrow::onnx

#endif // YARROW_PARSER_ONNX_OPERATORRECORDS_H
