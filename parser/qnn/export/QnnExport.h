//===- QnnExport.h - Networks as QNN graphs ---------------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Converts a network of Compass IR to a graph of QNN, as in the JSON of the
// converters. Floats stay floats; tensors of integer IR become fixed point with
// an encoding. Tensors have the axes that they have in the IR, channels last.
//
//   if (!qnn::exportQnn(*module, "net_net.json", summary, diags)) ...
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PARSER_QNN_EXPORT_QNNEXPORT_H
#define YARROW_PARSER_QNN_EXPORT_QNNEXPORT_H

#include "mlir/IR/BuiltinOps.h"
#include "parser/qnn/QnnModel.h"
#include <map>
#include <optional>

namespace yarrow::qnn {

/// What was made.
struct ExportSummary {
  std::size_t layers = 0, nodes = 0;
  /// Of integers, whose multipliers are not the ratios of the encodings.
  std::size_t otherMultipliers = 0;
  bool isQuantized = false;
  /// What tensors of the graph are called in the IR.
  std::map<std::string, std::string> names;
  std::uint64_t sizeBytes = 0; ///< Of graph and weights.
};

/// The graph of \p module, which must outlive it: constants are views. nullopt
/// after errors: every layer that has no form in QNN is told (QnnExport).
std::optional<QnnModel> qnnModelOf(mlir::ModuleOp module,
                                   ExportSummary &summary,
                                   DiagnosticEngine &diags);

/// The archive of weights that readers look for beside a graph: net.bin beside
/// net_net.json and net.json.
std::string weightsPathOf(const std::string &path);

/// Writes the graph and its weights.
bool exportQnn(mlir::ModuleOp module, const std::string &path,
               ExportSummary &summary, DiagnosticEngine &diags);

} // namespace yarrow::qnn

#endif // YARROW_PARSER_QNN_EXPORT_QNNEXPORT_H
