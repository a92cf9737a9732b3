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
#include "support/MappedFile.h"
#include <memory>
#include <string>

namespace yarrow::compass {

/// What becomes of the network. Everything that can be wrong with an IR is
/// found either way; the purpose says what layers mean that nothing computes.
enum class ReadFor {
  Inspection, ///< To look at or to convert: such forms are notes (N0310).
  Execution,  ///< To be computed: such layers and forms are errors.
};

/// Reads an IR and verifies all that can be said of it without running it:
/// syntax, keys, shapes, integer parameters, every value of the weights, and
/// that text and weights belong together. An empty \p binPath means the
/// header's model_bin beside the text. Null after errors; all of them are in \p
/// diags.
mlir::OwningOpRef<mlir::ModuleOp>
readCompassIr(mlir::MLIRContext &context, const std::string &txtPath,
              const std::string &binPath, DiagnosticEngine &diags,
              ReadFor purpose = ReadFor::Inspection);
/// The same of files that are open, or stand for some; \p bin is null where the
/// network has no constants.
mlir::OwningOpRef<mlir::ModuleOp>
readCompassIr(mlir::MLIRContext &context,
              const std::shared_ptr<const MappedFile> &text,
              const std::shared_ptr<const MappedFile> &bin,
              DiagnosticEngine &diags, ReadFor purpose = ReadFor::Inspection);

/// Writes both files, each to a temporary first; the text's header carries the
/// digest of the weights. False after errors.
bool writeCompassIr(mlir::ModuleOp module, const std::string &txtPath,
                    const std::string &binPath, DiagnosticEngine &diags);

} // namespace yarrow::compass

#endif // YARROW_PARSER_COMPASS_COMPASSREADER_H
