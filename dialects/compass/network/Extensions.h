//===- Extensions.h - Extensions of the IR format ---------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Forms of layers that the Compass tools do not know: they reject them, or
// compute something else. Each has a record with the keys that reveal it. The
// writer of IR text names the extensions that a file uses in its header; the
// reader rejects unknown names.
//
//   for (const Extension &extension : extensions())
//     for (llvm::StringRef key : extension.keysOf(op)) ...
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_DIALECTS_COMPASS_NETWORK_EXTENSIONS_H
#define YARROW_DIALECTS_COMPASS_NETWORK_EXTENSIONS_H

#include "mlir/IR/Operation.h"

namespace yarrow::compass {

/// The header key that lists the extensions of a file.
inline constexpr llvm::StringLiteral kExtensionsKey = "yarrow_extensions";

struct Extension {
  llvm::StringLiteral name;
  llvm::StringLiteral doc;
  /// How to do without it; "" if there is no way.
  llvm::StringLiteral hint;
  /// The keys by which a layer has it; empty if it has not.
  llvm::SmallVector<llvm::StringRef> (*keysOf)(mlir::Operation *op);
};

llvm::ArrayRef<Extension> extensions();
/// Whether a layer has one of them.
bool usesExtension(mlir::Operation *op);

} // namespace yarrow::compass

#endif // YARROW_DIALECTS_COMPASS_NETWORK_EXTENSIONS_H
