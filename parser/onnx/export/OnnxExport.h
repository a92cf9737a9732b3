//===- OnnxExport.h - Networks as ONNX models -------------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Writes a network of Compass IR as an ONNX model of operator set 21. A float
// network becomes float operators. In an integer network every tensor is
// written by QuantizeLinear and read by DequantizeLinear, with its scale and
// zero point. Tensors keep their names of the IR, and nodes those of the
// layers. Inputs and outputs are float32 in the IR's order of axes.
//
//   if (!onnx::exportOnnx(*module, "net.onnx", summary, diags)) ...
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PARSER_ONNX_EXPORT_ONNXEXPORT_H
#define YARROW_PARSER_ONNX_EXPORT_ONNXEXPORT_H

#include "mlir/IR/BuiltinOps.h"
#include "support/Diagnostics.h"
#include <string>

namespace yarrow::onnx {

/// What was written.
struct ExportSummary {
  size_t layers = 0, layersInSteps = 0, nodes = 0, transposes = 0;
  bool isQuantized = false;
  uint64_t sizeBytes = 0;
};

struct ExportOptions {
  /// Large constants are written there; "": into the model.
  std::string externalPath;
  /// Layers are written in steps of integers where they have such a form, which
  /// gives the IR's integers, and not between scales.
  bool isExact = false;
};

/// False after errors: every layer that has no form in ONNX is told
/// (ExportForm).
bool exportOnnx(mlir::ModuleOp module, const std::string &path,
                const std::string &name, ExportSummary &summary,
                DiagnosticEngine &diags, const ExportOptions &options = {});

} // namespace yarrow::onnx

#endif // YARROW_PARSER_ONNX_EXPORT_ONNXEXPORT_H
