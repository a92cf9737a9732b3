//===- CompassReader.h - Compass IR to the compass dialect and back -------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Reads IR text and weights into a module (dialects/compass/Compass.h says what
// it holds) and writes a module as text and weights. Float, integer and mixed
// IR. Weights stay in the mapped file. Keys and constants that no operator
// record knows survive as discardable attributes and are written back.
//
//   auto module = readCompassIr(context, "net.txt", "net.bin", diags);
//   if (!module) diags.print(std::cerr);
//   writeCompassIr(*module, "net_o.txt", "net_o.bin", diags);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PARSER_COMPASS_COMPASSREADER_H
#define YARROW_PARSER_COMPASS_COMPASSREADER_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "support/Diagnostics.h"
#include <string>

namespace yarrow::compass {

struct ReadOptions {
  /// Look at every weight for NaN.
  bool checkValues = false;
  /// Look for forms that no kernel computes (dialects/compass/Execution.h).
  bool checkKernels = false;
};

/// Reads an IR. An empty \p binPath means the header's model_bin beside the
/// text. Null after errors; all of them are in \p diags.
mlir::OwningOpRef<mlir::ModuleOp> readCompassIr(mlir::MLIRContext &context,
                                                const std::string &txtPath,
                                                const std::string &binPath,
                                                DiagnosticEngine &diags,
                                                ReadOptions options = {});

/// Writes both files, each to a temporary first. False after errors.
bool writeCompassIr(mlir::ModuleOp module, const std::string &txtPath,
                    const std::string &binPath, DiagnosticEngine &diags);

} // namespace yarrow::compass

#endif // YARROW_PARSER_COMPASS_COMPASSREADER_H
