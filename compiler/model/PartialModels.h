//===- PartialModels.h - Models to be quantized where they are not -*- C++ -*-//
//
// Part of Yarrow, under the Apache License v2.0.
//
// What a command reads that has samples: a model that is quantized in part
// comes as the float network that it stands for, with the scales that it has.
//
//   std::optional<ModelToQuantize> model =
//       readToQuantize(context, "net.tflite", "", imports, given, diags);
//   quantizeStep(std::move(model->networks.back()), ..., model->scales());
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_MODEL_PARTIALMODELS_H
#define YARROW_COMPILER_MODEL_PARTIALMODELS_H

#include "compiler/model/Models.h"
#include "quantizer/encodings/EncodingPlan.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace yarrow {

struct ModelToQuantize {
  /// One for each import; never none.
  std::vector<mlir::OwningOpRef<mlir::ModuleOp>> networks;
  /// Where the tensors of the last one are.
  std::vector<graph::ImportedTensor> names;
  /// Of a model whose scales were complete: its layers; else none.
  PrequantizedResult converted;
  /// Of a model that has scales in part.
  std::optional<Encodings> partial;

  const Encodings *scales() const { return partial ? &*partial : nullptr; }
};

/// What \p imported says of tensors, as encodings are looked up by.
std::vector<ModelTensor>
modelTensors(const std::vector<graph::ImportedTensor> &imported);

/// A model's networks for each import, or none after errors; readVariants for
/// a model that lies in a file or in memory.
using ReadNetworks =
    std::function<std::vector<mlir::OwningOpRef<mlir::ModuleOp>>(
        const std::vector<graph::ImportOptions> &imports,
        const PrequantizedOptions &given, PrequantizedResult *converted,
        DiagnosticEngine &diags)>;

/// With \p hasSamples a model that lacks scales is read as said above; without,
/// it is what its file says, and a note tells what samples would do. Nullopt
/// after errors.
std::optional<ModelToQuantize> readToQuantize(
    mlir::MLIRContext &context, const std::string &path,
    const std::string &weights, std::vector<graph::ImportOptions> imports,
    const PrequantizedOptions &given, bool hasSamples, DiagnosticEngine &diags);

/// The same by \p read of the model that \p path names.
std::optional<ModelToQuantize>
readToQuantize(const ReadNetworks &read, const std::string &path,
               std::vector<graph::ImportOptions> imports,
               const PrequantizedOptions &given, bool hasSamples,
               DiagnosticEngine &diags);

} // namespace yarrow

#endif // YARROW_COMPILER_MODEL_PARTIALMODELS_H
