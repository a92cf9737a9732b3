//===- NnapiOps.h - yarrow ops --nnapi --------------------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The operations of NNAPI from their records (parser/nnapi/Operations.def,
// OperationRules.def): a table of all, or everything about one.
//
//   printNnapiOps("CONV_2D", "text", driver);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_COMMANDS_NNAPIOPS_H
#define YARROW_COMPILER_COMMANDS_NNAPIOPS_H

#include "compiler/driver/Driver.h"
#include <string>

namespace yarrow {

/// \p name: an operation's, or empty; reports one that is none.
void printNnapiOps(const std::string &name, const std::string &format,
                   Driver &driver);

} // namespace yarrow

#endif // YARROW_COMPILER_COMMANDS_NNAPIOPS_H
