//===- Header.h - Keys of the header of an IR -------------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A module keeps the header of its file as keys and texts (kHeaderAttr), also
// those that nothing here knows.
//
//   headerText(module, "model_name");             // "resnet", or ""
//   setHeaderText(module, "compat_rounding", "EXACT");
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_DIALECTS_COMPASS_HEADER_H
#define YARROW_DIALECTS_COMPASS_HEADER_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinOps.h"

#include <string>
#include <utility>

namespace yarrow::compass {

/// Key and text of an entry. Both are empty if it is not a pair of texts, which
/// MLIR text may hold.
std::pair<llvm::StringRef, llvm::StringRef>
headerEntryOf(mlir::Attribute entry);
/// Empty if the header has no such key.
llvm::StringRef headerText(mlir::ModuleOp module, llvm::StringRef key);
/// model_name, or "model".
std::string modelName(mlir::ModuleOp module);
/// In its place, or behind all others if there was none.
void setHeaderText(mlir::ModuleOp module, llvm::StringRef key,
                   llvm::StringRef text);
/// Does nothing if the header has no such key.
void dropHeaderText(mlir::ModuleOp module, llvm::StringRef key);

} // namespace yarrow::compass

#endif // YARROW_DIALECTS_COMPASS_HEADER_H
