//===- Exports.h - The layers that become ONNX nodes ------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Exports.def as functions and a table. Input and Constant layers do not become
// nodes.
//
//   const ExportEntry *entry = findExport("Convolution");
//   if (entry) return entry->run(layer);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PARSER_ONNX_EXPORT_EXPORTS_H
#define YARROW_PARSER_ONNX_EXPORT_EXPORTS_H

#include "parser/onnx/export/LayerExport.h"

namespace yarrow::onnx {

struct ExportEntry {
  const char *layerType;
  llvm::LogicalResult (*run)(LayerExport &);
};

/// Null if layers of this type are not exported.
const ExportEntry *findExport(llvm::StringRef layerType);

/// The form of a layer that gives the integers of the IR, if it has one.
std::optional<llvm::LogicalResult> exportExactly(LayerExport &n);

#define EXPORT(LAYER_TYPE, FUNCTION, NODES)                                    \
  llvm::LogicalResult FUNCTION(LayerExport &n);
#include "parser/onnx/export/Exports.def"

} // namespace yarrow::onnx

#endif // YARROW_PARSER_ONNX_EXPORT_EXPORTS_H
