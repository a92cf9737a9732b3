//===- OperationTable.h - The operations of NNAPI ---------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Operations.def as a table: each operation with its operands, their types, and
// the function that makes its nodes.
//
//   const OperationEntry *entry = findOperation(3);   // CONV_2D
//   if (auto match = matchForm(*entry, model, operation))
//     match->form->inputs[1].name;                    // "filter"
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PARSER_NNAPI_OPERATIONTABLE_H
#define YARROW_PARSER_NNAPI_OPERATIONTABLE_H

#include "parser/nnapi/NnModel.h"
#include <optional>

namespace yarrow::nnapi {

class OperationReader;

enum class OperandClass {
#define CLASS(NAME, TEXT) NAME,
#include "parser/nnapi/OperandClasses.def"
#define SCALAR(CODE, NAME, ELEMENT, LEVEL) NAME,
#define TENSOR(CODE, NAME, ELEMENT, STORAGE, LEVEL) NAME,
#include "parser/nnapi/OperandTypes.def"
};

/// "WEIGHTS", and what it is, for messages and documentation.
const char *nameOf(OperandClass operandClass);
const char *textOf(OperandClass operandClass);
/// Whether an operand of \p type is of the class in an operation whose T is
/// \p t.
bool fits(OperandClass operandClass, OperandType type, OperandType t);

struct OperandRow {
  enum class Kind {
    One,
    Optional,
    List, ///< Any number.
  };
  const char *name;
  OperandClass operandClass;
  Kind kind;
  int level; ///< From which it exists.
  /// Its values must be known when layers are made.
  bool isConstant = false;
};

struct OperationForm {
  const char *name; ///< "explicit padding", or "".
  int level;        ///< From which it exists.
  std::vector<OperandRow> inputs = {};
  std::vector<OperandRow> outputs = {}; ///< Empty: the operation's.
};

struct OperationEntry {
  struct Type {
    OperandType type;
    int level;
  };
  std::int32_t code;
  const char *name; ///< "CONV_2D"
  int level;
  bool (*read)(OperationReader &);
  const char *node, *becomes;
  /// Of the first operand that has the type T; most 0: any number.
  unsigned minAxes = 0, maxAxes = 0;
  const char *means = ""; ///< What it computes, in a sentence.
  std::vector<Type> types = {};
  std::vector<OperationForm> forms = {};
  std::vector<OperandRow> outputs = {};
  /// How many rows its results have depends on values.
  bool isCounted = false;
  /// It also computes tensors of more axes than layers have, which are flat.
  bool isFlat = false;
};

std::span<const OperationEntry> allOperations();
/// Null if the number is none of the definition's.
const OperationEntry *findOperation(std::int32_t code);
const OperationEntry *findOperation(std::string_view name);

/// Whether the results of an operation have as many rows along axis 0 as the
/// values say. The graph of a model that ends with one has, behind the model's
/// outputs, one more of int32 [1]: how many rows of each of them count.
bool hasCountedResults(std::int32_t code);

/// Of an operation in \p form, which may be null.
const std::vector<OperandRow> &outputsOf(const OperationEntry &entry,
                                         const OperationForm *form);

/// Which form an operation has.
struct FormMatch {
  const OperationForm *form = nullptr;
  /// Of each input the row of the form that says what it is.
  std::vector<const OperandRow *> rows = {};
  /// None of operations without a T.
  std::optional<OperandType> type = {};
  /// The feature level that has the operation with these types and operands.
  int level = 0;

  /// The place of an input, of a list the first; none if the form has none of
  /// the name, or it is left out at the end.
  std::optional<std::size_t> indexOf(std::string_view input) const;
};

/// The first form that has so many inputs of such types; none fits: nullopt,
/// and \p why, if it is not null, says what is wrong with the nearest form. The
/// operation's operands must exist.
std::optional<FormMatch> matchForm(const OperationEntry &entry,
                                   const NnModel &model,
                                   const Operation &operation,
                                   std::string *why = nullptr);

#define OPERATION(CODE, NAME, LEVEL, FUNCTION, NODE, BECOMES)                  \
  bool FUNCTION(OperationReader &r);
#include "parser/nnapi/Operations.def"

} // namespace yarrow::nnapi

#endif // YARROW_PARSER_NNAPI_OPERATIONTABLE_H
