//===- QnnOps.h - yarrow ops --qnn ------------------------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The operators of the QNN definitions from their records
// (parser/qnn/QnnOps.def): a table of all, or everything about one.
//
//   printQnnOps("Conv2d", "text", driver);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_COMMANDS_QNNOPS_H
#define YARROW_COMPILER_COMMANDS_QNNOPS_H

#include "compiler/driver/Driver.h"
#include <string>

namespace yarrow {

/// \p name: an operator's, or empty; reports one that is none.
void printQnnOps(const std::string &name, const std::string &format,
                 Driver &driver);

} // namespace yarrow

#endif // YARROW_COMPILER_COMMANDS_QNNOPS_H
