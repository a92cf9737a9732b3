//===- OperationRules.h - NNAPI's rules for operations ----------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// OperationRules.def as a table: the definition's rules for the operands of an
// operation, beyond their types. CheckRules.cpp checks them, the documentation
// prints them.
//
//   for (const OperationRule &rule : rulesOf("LOGISTIC"))
//     textOf(rule);   // "output of TENSOR_QUANT8_ASYMM has scale 1/256 and
//                     //  zero point 0"
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PARSER_NNAPI_OPERATIONRULES_H
#define YARROW_PARSER_NNAPI_OPERATIONRULES_H

#include "parser/nnapi/OperandTypes.h"
#include <optional>
#include <string>
#include <vector>

namespace yarrow::nnapi {

/// An operand in a rule: names of inputs and outputs may be the same.
struct RuleOperand {
  std::string name;
  bool isOutput = false;
};

struct OperationRule {
  enum class Kind {
    Shape,          ///< operands[0] has the lengths of `axes`.
    Image,          ///< The same; the last axis is second if nchw is true.
    Series,         ///< The same; the first two change places without
                    ///< time_major.
    Storage,        ///< operands[0] of `type` has `scale` and `least` as its
                    ///< zero point.
    SameStorage,    ///< operands[0] is stored as operands[1] is.
    ScaleAbove,     ///< Scale of [0] above the product of those of [1] and [2].
    ScaleOfProduct, ///< Scale of [0] is that product.
    Channels,       ///< Channels of [0] are along axis `least`.
    Range,          ///< The values of [0] are from `least` to `most`.
    OneOf,          ///< They are among `values`.
    Axis,           ///< They are axes of [1], which has `most` more.
    Default,        ///< [0] is `least` where it is left out.
    Together,       ///< All are there, or none.
    NotBoth,        ///< Not both are true.
    Unfused,        ///< [0] is NONE in operations of `type`.
    Some,           ///< The list [0] is not empty.
    AsMany,         ///< The outputs [0] are as many as [1] says.
    Broadcast,      ///< [0] has the lengths of [1] and [2], with 1 for any.
    RankBefore,     ///< [0] has one of `values` axes.
    Shrunk,         ///< STRIDED_SLICE: axes that vanish have one element.
  };
  Kind kind;
  std::vector<RuleOperand> operands = {};
  /// Of a shape: a number, a name that stands for the same length wherever it
  /// is, "rest..." for any number of axes at the end, or another expression,
  /// whose length the operation itself tells.
  std::vector<std::string> axes = {};
  std::optional<OperandType> type = {};
  float scale = 0;
  std::int64_t least = 0, most = 0;
  std::vector<std::int64_t> values = {};
  int before = 0; ///< Holds below this feature level alone; 0: always.
};

/// In the order of the file.
const std::vector<OperationRule> &rulesOf(std::string_view operation);
/// Names in the file, whether or not there are such operations.
std::vector<std::string_view> operationsWithRules();
/// For users; also what is expected of a model that breaks it.
std::string textOf(const OperationRule &rule);
/// "[n, rest...]" of one of lengths.
std::string shapeText(const OperationRule &rule);
/// "0 or more", "default 1" of one of an operand's values; "" of others.
std::string valueText(const OperationRule &rule);

} // namespace yarrow::nnapi

#endif // YARROW_PARSER_NNAPI_OPERATIONRULES_H
