//===- Exports.h - The layers that become QNN nodes -------------*- C++ -*-===//
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
#ifndef YARROW_PARSER_QNN_EXPORT_EXPORTS_H
#define YARROW_PARSER_QNN_EXPORT_EXPORTS_H

#include "dialects/compass/WindowShape.h"
#include "parser/qnn/export/LayerExport.h"

namespace yarrow::qnn {

struct ExportEntry {
  const char *layerType;
  llvm::LogicalResult (*run)(LayerExport &);
};

/// Null if layers of this type are not exported.
const ExportEntry *findExport(llvm::StringRef layerType);

/// stride and pad_amount.
std::vector<QnnParam> windowParams(llvm::ArrayRef<compass::WindowAxis> axes);

#define EXPORT(LAYER_TYPE, FUNCTION, NODES)                                    \
  llvm::LogicalResult FUNCTION(LayerExport &n);
#include "parser/qnn/export/Exports.def"

} // namespace yarrow::qnn

#endif // YARROW_PARSER_QNN_EXPORT_EXPORTS_H
