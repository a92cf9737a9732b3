//===- KeyTexts.h - The keys of a layer as text -----------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The keys of a layer that executables store for people to read, with their
// values as in IR text, lists in brackets.
//
//   for (auto &[key, text] : keyTexts(op, true)) // "kernel_x", "3"
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_CODEGEN_KEYTEXTS_H
#define YARROW_CODEGEN_KEYTEXTS_H

#include "mlir/IR/Operation.h"

#include <string>
#include <utility>
#include <vector>

namespace yarrow {

using KeyTexts = std::vector<std::pair<std::string, std::string>>;

/// Those that the layer has, in the order of its record, without constants.
/// Where a module came as text, keys that have their defaults are not there.
KeyTexts keyTexts(mlir::Operation *op, bool withDefaults);

} // namespace yarrow

#endif // YARROW_CODEGEN_KEYTEXTS_H
