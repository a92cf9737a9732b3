//===- ParserLayers.h - Layers that [Parser] adds ---------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Converts a configuration's layers before an imported network
// (preprocess_type) and after it (detection_postprocess) to the front end's
// form.
//
//   takePreprocessing(config, options, diags)   // options.preprocess
//   takeDetection(config, options, diags)       // options.detection
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_MODEL_PARSERLAYERS_H
#define YARROW_COMPILER_MODEL_PARSERLAYERS_H

#include "compiler/config/BuildConfig.h"
#include "parser/graph/ImportOptions.h"
#include "support/Diagnostics.h"

namespace yarrow {

/// False after E1015.
bool takePreprocessing(const config::BuildConfig &config,
                       graph::ImportOptions &options, DiagnosticEngine &diags);

/// False after E1016.
bool takeDetection(const config::BuildConfig &config,
                   graph::ImportOptions &options, DiagnosticEngine &diags);

} // namespace yarrow

#endif // YARROW_COMPILER_MODEL_PARSERLAYERS_H
