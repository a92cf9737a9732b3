//===- CheckModel.h - NNAPI's rules for a model -----------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Checks operands, operations and whole models against the definition, as far
// as types, lengths and constants show it before anything runs. Problems are
// NnapiModel; all of them are reported at once.
//
//   std::string why;
//   if (!checkOperand(operand, &why)) ...      // when it is added
//   checkOperation(model, operation, 29, diags); // when it is added
//   checkModel(model, 29, diags);                // when the model is finished
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PARSER_NNAPI_CHECKMODEL_H
#define YARROW_PARSER_NNAPI_CHECKMODEL_H

#include "parser/nnapi/NnModel.h"
#include "support/Diagnostics.h"
#include <optional>

namespace yarrow::nnapi {

/// The newest of the definition: models of every level run here.
inline constexpr int kRuntimeFeatureLevel = 1000008;

/// Type, rank, size, scale and zero point of an operand by itself; channel
/// scales where it has some (a client sets them after the operand is added).
/// What is wrong is in \p why.
bool checkOperand(const Operand &operand, std::string *why);
/// Axis and scales of a per-channel operand, which must be there.
bool checkChannels(const Operand &operand, std::string *why);

/// One operation as it is added: that its operands exist and fit a form that
/// \p featureLevel has, and that results are its to write. Operands were
/// checked.
bool checkOperation(const NnModel &model, const Operation &operation,
                    int featureLevel, DiagnosticEngine &diags);
/// The same, and what else the definition says of it (OperationRules.def), as
/// far as lengths and constants are known. It is asked when a model is
/// finished: constants may get their values behind the operations.
bool checkFinishedOperation(const NnModel &model, const Operation &operation,
                            int featureLevel, DiagnosticEngine &diags);

/// The same rules of the operations of a part that is bound to a run: lengths
/// and values that a model leaves open are known then, so what is wrong is
/// E1035. Operations with a list of which a part is left out, for it has no
/// elements, are not asked.
bool checkBoundPart(const NnModel &part, DiagnosticEngine &diags);

/// How many models may lie within one another, the outermost not counted: what
/// runs them goes down by recursion.
inline constexpr int kMostNestedModels = 64;

/// The whole of it, with the models that it refers to.
bool checkModel(const NnModel &model, int featureLevel,
                DiagnosticEngine &diags);

/// The places of the operations in an order in which each finds its inputs
/// written; the client's order where that is one. None if there is a cycle.
/// Operands of all operations must exist.
std::optional<std::vector<std::size_t>> orderOf(const NnModel &model);

} // namespace yarrow::nnapi

#endif // YARROW_PARSER_NNAPI_CHECKMODEL_H
