//===- QuantizeStep.h - From float IR on disk to integer IR on disk -------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// What `yarrow quantize` and `yarrow build` have in common: clean up,
// calibrate, quantize, write, and compare layer by layer.
//
//   auto model = quantizeStep(std::move(module), config, {}, work);
//   if (model)
//     report(model->layers);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_QUANTIZE_QUANTIZESTEP_H
#define YARROW_COMPILER_QUANTIZE_QUANTIZESTEP_H

#include "compiler/config/BuildConfig.h"
#include "compiler/pipeline/Compile.h"
#include "compiler/quantize/QuantizedModel.h"
#include "compiler/work/Work.h"
#include "parser/graph/ImportedTensor.h"
#include "quantizer/encodings/EncodingsFile.h"

#include <optional>
#include <string>
#include <vector>

namespace yarrow {

/// \p module is what config.graph holds; the other files come from
/// config.calibrationData, outputDir and outIrName. Where Winograd is to be
/// decided, networks are compiled with \p compile for config.target. \p
/// imported says where the tensors of a model that was imported are; \p smaller
/// are the same model with inputs of smaller shapes, which get the scales that
/// \p module is given. \p samples, if not null, take the place of the files of
/// config.calibrationData; \p scales, if not null, are those that a model has
/// of some tensors, for where config.encodings names no file. Layers are
/// compared in as much \p detail. With an empty config.outIrName nothing is
/// written. Nullopt after errors.
std::optional<QuantizedModel>
quantizeStep(mlir::OwningOpRef<mlir::ModuleOp> module,
             const config::BuildConfig &config, const CompileOptions &compile,
             const Work &work,
             const std::vector<graph::ImportedTensor> &imported = {},
             std::vector<mlir::OwningOpRef<mlir::ModuleOp>> smaller = {},
             const std::vector<NpyView> *samples = nullptr,
             const Encodings *scales = nullptr,
             CompareDetail detail = CompareDetail::Layers);

/// The network as it is after the phase \p last, quantize or one before
/// (Phases.def); nothing is written or compared. Null after errors.
mlir::OwningOpRef<mlir::ModuleOp>
quantizeUntil(mlir::OwningOpRef<mlir::ModuleOp> module,
              const config::BuildConfig &config, const std::string &last,
              const Work &work,
              const std::vector<graph::ImportedTensor> &imported = {},
              const Encodings *scales = nullptr);

} // namespace yarrow

#endif // YARROW_COMPILER_QUANTIZE_QUANTIZESTEP_H
