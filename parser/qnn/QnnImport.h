//===- QnnImport.h - QNN graphs as IR ---------------------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Imports a QNN graph as JSON, and the archive of its weights, as a module of
// layers. Yarrow computes the QNN operator definitions; it is not a backend of
// QNN.
//
//   auto module = qnn::importQnn(context, "net.json", "net.bin", options,
//   diags);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PARSER_QNN_QNNIMPORT_H
#define YARROW_PARSER_QNN_QNNIMPORT_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "parser/graph/ImportOptions.h"
#include "parser/qnn/QnnModel.h"
#include "support/MappedFile.h"

namespace yarrow::qnn {

/// \p weights is the archive; empty: it is looked for beside the graph, as
/// net.bin beside net.json or net_net.json.
mlir::OwningOpRef<mlir::ModuleOp> importQnn(mlir::MLIRContext &context,
                                            const std::string &path,
                                            const std::string &weights,
                                            const graph::ImportOptions &options,
                                            DiagnosticEngine &diags);

/// The same of files that are open, or stand for some; the graph's own values
/// if \p weights is null.
mlir::OwningOpRef<mlir::ModuleOp>
importQnn(mlir::MLIRContext &context,
          const std::shared_ptr<const MappedFile> &graph,
          const std::shared_ptr<const MappedFile> &weights,
          const graph::ImportOptions &options, DiagnosticEngine &diags);

/// The same of a model in memory, which has its weights.
mlir::OwningOpRef<mlir::ModuleOp>
importQnnModel(mlir::MLIRContext &context, const QnnModel &model,
               const graph::ImportOptions &options, DiagnosticEngine &diags);

} // namespace yarrow::qnn

#endif // YARROW_PARSER_QNN_QNNIMPORT_H
