//===- HalForms.h - Operations in the order of HAL 1.0 ----------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The first definition, HAL 1.0, has some operations with their operands in
// another order, without states, or with one operand more. Operations.def has
// these as forms "HAL 1.0"; here they become the forms that all later levels
// have, so that nothing behind needs to know.
//
//   if (auto later = withoutHalForms(model))
//     read(*later);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PARSER_NNAPI_HALFORMS_H
#define YARROW_PARSER_NNAPI_HALFORMS_H

#include "parser/nnapi/NnModel.h"
#include <optional>

namespace yarrow::nnapi {

/// None if no operation has such a form. States that the form does not have are
/// zeros; lengths of the operations' inputs must be known. Operands keep their
/// numbers, new ones are behind them.
std::optional<NnModel> withoutHalForms(const NnModel &model);

} // namespace yarrow::nnapi

#endif // YARROW_PARSER_NNAPI_HALFORMS_H
