//===- Precision.h - The header's word for what an IR holds -----*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// `precision` says whether an IR has floats, integers or a mixture. Its tensors
// say so, too: the two must agree. The reference tools leave the key out of
// integer IR, where the definition requires it.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PARSER_COMPASS_PRECISION_H
#define YARROW_PARSER_COMPASS_PRECISION_H

#include "mlir/IR/BuiltinOps.h"
#include "parser/compass/IrDocument.h"
#include "support/Diagnostics.h"

namespace yarrow::compass {

constexpr llvm::StringLiteral kPrecisionKey = "precision";

/// float32, int or mixture, as the tensors of \p module are.
llvm::StringRef precisionOf(mlir::ModuleOp module);

/// Whether a header that says \p word has other tensors. Where none is a float
/// or has a scale, as in a network of indices, any word is right.
bool contradictsTensors(llvm::StringRef word, mlir::ModuleOp module);

/// Reports a word of the header that contradicts the tensors and, if \p isAsked
/// what the file lacks, one that is missing.
void checkPrecision(const IrSection &header, mlir::ModuleOp module,
                    const std::string &fileName, bool isAsked,
                    DiagnosticEngine &diags);

} // namespace yarrow::compass

#endif // YARROW_PARSER_COMPASS_PRECISION_H
