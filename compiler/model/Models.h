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
#ifndef YARROW_COMPILER_MODEL_MODELS_H
#define YARROW_COMPILER_MODEL_MODELS_H

#include "compiler/data/DataSet.h"
#include "compiler/pipeline/Context.h"
#include "parser/compass/CompassReader.h"
#include "parser/graph/ImportOptions.h"
#include "quantizer/prequantized/Prequantized.h"
#include "support/Diagnostics.h"
#include "support/MappedFile.h"
#include "support/Npy.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace yarrow {

/// A model's name: that of its file, without folders and extension.
std::string nameOfFile(const std::string &path);
/// Whether the file is a model of another format, by its name or its first
/// bytes (config/ModelFormats.h).
bool isForeignModel(const std::string &path);
/// Whether it is that, or the text of an IR.
bool isNetworkFile(const std::string &path);

/// Reads and verifies: an IR, or a model of another format, which is imported.
/// An empty \p binPath takes the one beside the text. For execution a model
/// that was quantized before it came gets its integers as \p given says; how
/// many of its layers \p converted tells, if it is not null (none of other
/// models).
mlir::OwningOpRef<mlir::ModuleOp>
readModel(mlir::MLIRContext &context, const std::string &txtPath,
          const std::string &binPath, DiagnosticEngine &diags,
          compass::ReadFor purpose = compass::ReadFor::Execution,
          const graph::ImportOptions &import = {},
          const PrequantizedOptions &given = {},
          PrequantizedResult *converted = nullptr);

/// A model in memory: \p file stands for its file, \p weights for the one
/// beside it, or is null. The form is known by its first bytes.
struct ModelInMemory {
  std::shared_ptr<const MappedFile> file, weights = nullptr;
};
/// The same of that.
mlir::OwningOpRef<mlir::ModuleOp>
readModel(mlir::MLIRContext &context, const ModelInMemory &model,
          DiagnosticEngine &diags,
          compass::ReadFor purpose = compass::ReadFor::Execution,
          const graph::ImportOptions &import = {},
          const PrequantizedOptions &given = {},
          PrequantizedResult *converted = nullptr);

/// The same for each of several imports (ShapeRange.h). Messages and
/// \p converted are those of the first one. Empty after errors.
std::vector<mlir::OwningOpRef<mlir::ModuleOp>>
readVariants(mlir::MLIRContext &context, const std::string &txtPath,
             const std::string &binPath, DiagnosticEngine &diags,
             const std::vector<graph::ImportOptions> &imports,
             const PrequantizedOptions &given = {},
             PrequantizedResult *converted = nullptr,
             compass::ReadFor purpose = compass::ReadFor::Execution);

/// The same of a model in memory.
std::vector<mlir::OwningOpRef<mlir::ModuleOp>>
readVariants(mlir::MLIRContext &context, const ModelInMemory &model,
             DiagnosticEngine &diags,
             const std::vector<graph::ImportOptions> &imports,
             const PrequantizedOptions &given = {},
             PrequantizedResult *converted = nullptr,
             compass::ReadFor purpose = compass::ReadFor::Execution);

/// Whether any tensor of the network is quantized.
bool isQuantized(mlir::ModuleOp module);
/// Whether the network is in floats and can be computed; if not, it is told.
bool canBeQuantized(mlir::ModuleOp module, const std::string &path,
                    DiagnosticEngine &diags);
/// model_name of the IR's header, or "model".
std::string modelNameOf(mlir::ModuleOp module);
unsigned numLayers(mlir::ModuleOp module);

/// "a.txt,a.bin" into its two paths; the second may be missing.
std::pair<std::string, std::string> splitModelPaths(const std::string &text);
/// "a,b,c", without empty entries.
std::vector<std::string> splitList(const std::string &text);
/// The same of files: one whose own name has a comma stays whole.
std::vector<std::string> splitPaths(const std::string &text);
/// Names of the inputs of a network, in order; not of its states.
std::vector<InputName> inputNamesOf(mlir::ModuleOp module);
/// Shapes of the inputs, batch first.
std::vector<std::vector<int64_t>> inputShapesOf(mlir::ModuleOp module);

/// Files of data for the network, arrays or pictures.
DataSetTask dataFor(mlir::ModuleOp network, const std::string &paths,
                    const PictureOptions &pictures);

} // namespace yarrow

#endif // YARROW_COMPILER_MODEL_MODELS_H
