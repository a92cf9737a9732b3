//===- OpTable.h - The operators of the QNN definitions ---------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// QnnOps.def as a table: each operator with its inputs, parameters and outputs,
// their types, defaults and bounds, and the function that makes its nodes, or
// why it is refused.
//
//   const OpEntry *entry = findOp("Softmax");
//   entry->params[0].name;               // "axis"
//   entry->params[0].bound.kind;         // Bound::Kind::Axis
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PARSER_QNN_OPTABLE_H
#define YARROW_PARSER_QNN_OPTABLE_H

#include "parser/qnn/QnnModel.h"
#include <optional>
#include <string>

namespace yarrow::qnn {

class OpReader;

/// An input or an output, or several with one meaning.
struct TensorRow {
  std::string name; ///< "in[0]", "in[1..4]", of a list "in[0..m]".
  const char *role; ///< "filters"; may be empty.
  bool isMandatory;
  const char *shape = ""; ///< In the definition's words.
  /// Empty: the definitions leave it to those who compute.
  std::vector<DataType> types = {};
  /// Beside \ref types those who compute may have others.
  bool hasOtherTypes = true;
  /// The input whose type it has.
  std::optional<std::size_t> sameTypeAs = {};
  const char *constraints = "", *defaultText = "";
  bool isList = false;   ///< Any number of tensors.
  std::size_t count = 1; ///< Of a range; of a list the least number.
};

/// What the values of a parameter may be, as far as a machine can tell.
struct Bound {
  enum class Kind {
    Any,
    AtLeast, ///< low
    Above,   ///< low
    Range,   ///< low to high, both included.
    Axis,    ///< 0 to rank(in[0]) - 1
    EndAxis, ///< 0 to rank(in[0])
    OutAxis, ///< 0 to rank(out[0]) - 1
    OneOf,   ///< The numbers of ParamRow::values.
  } kind = Kind::Any;
  double low = 0, high = 0;
  bool isUnique = false;    ///< Of a list: each value once.
  bool isAscending = false; ///< Of a list: each value above the one before.
};

/// What a parameter is to another one, number by number.
struct Relation {
  enum class Kind {
    Below,
    AtMost,
    Without, ///< Not both are set.
  } kind;
  const char *other;
};

/// Lengths that are known with the node alone.
inline constexpr std::int64_t kAnyLength = -1, kRank = -2;

struct ParamRow {
  struct Value {
    const char *name; ///< "BILINEAR"
    std::int64_t number;
  };
  const char *name;
  /// Null: the definitions leave it to those who compute.
  std::optional<DataType> type;
  bool isMandatory;
  /// The lengths of a tensor, perhaps kAnyLength or kRank, which is
  /// rank(in[0]); empty: a scalar.
  std::vector<std::int64_t> dims = {};
  /// Empty where there is none, or where only code can tell (defaultText).
  std::vector<double> defaults = {};
  Bound bound = {};
  std::optional<Relation> relation = {};
  std::vector<Value> values = {};
  const char *shape = "scalar", *constraints = "", *defaultText = "";

  bool isScalar() const { return dims.empty(); }
};

struct OpEntry {
  const char *name;         ///< "Conv2d"
  bool (*read)(OpReader &); ///< Null if it is refused.
  const char
      *node; ///< Of the import graph, for functions of several operators.
  const char *becomes; ///< Layers, for the documentation; or why it is refused.
  const char *means = "", *constraints = "";
  const char *replacement = ""; ///< Of a deprecated operator.
  bool isDeprecated = false;
  std::vector<TensorRow> inputs = {}, outputs = {};
  std::vector<ParamRow> params = {};

  const ParamRow *param(std::string_view paramName) const;
};

/// In the order of their names.
std::span<const OpEntry> allOps();
/// Null if the definitions have none of the name.
const OpEntry *findOp(std::string_view name);

#define OP(NAME, FUNCTION, NODE, BECOMES) bool FUNCTION(OpReader &r);
#include "parser/qnn/QnnOps.def"

} // namespace yarrow::qnn

#endif // YARROW_PARSER_QNN_OPTABLE_H
