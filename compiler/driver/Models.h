//===- Models.h - Networks from files -------------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Reading an IR for a command, and the few questions that commands ask of it.
//
//   auto context = makeContext();
//   auto module = readModel(*context, "net.txt", "net.bin", diags);
//   if (module && isQuantized(*module)) ...
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_DRIVER_MODELS_H
#define YARROW_COMPILER_DRIVER_MODELS_H

#include "compiler/pipeline/Context.h"
#include "parser/compass/CompassReader.h"
#include "support/Diagnostics.h"
#include "support/Npy.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace yarrow {

/// Reads and verifies. An empty \p binPath takes the one beside the text.
mlir::OwningOpRef<mlir::ModuleOp>
readModel(mlir::MLIRContext &context, const std::string &txtPath,
          const std::string &binPath, DiagnosticEngine &diags,
          compass::ReadFor purpose = compass::ReadFor::Execution);

/// Whether any tensor of the network is quantized.
bool isQuantized(mlir::ModuleOp module);
/// model_name of the IR's header, or "model".
std::string modelNameOf(mlir::ModuleOp module);
unsigned numLayers(mlir::ModuleOp module);

/// "a.txt,a.bin" into its two paths; the second may be missing.
std::pair<std::string, std::string> splitModelPaths(const std::string &text);
/// "a,b,c", without empty entries.
std::vector<std::string> splitList(const std::string &text);
/// One array per path; nullopt after errors.
std::optional<std::vector<NpyView>>
readArrays(const std::vector<std::string> &paths, DiagnosticEngine &diags);

} // namespace yarrow

#endif // YARROW_COMPILER_DRIVER_MODELS_H
