//===- LayerTops.h - The results of a layer of IR text ----------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// layer_top and its companion keys, as names and types. The meaning of scale
// and zero point depends on the header: in integer IR real = (q + zp) / scale,
// and layer_top_range bounds the stored integers; with
// compat_quantized_model=true real = (q - zp) * scale, and layer_top_range has
// real numbers, for information only (Compat.h).
//
//   layer_top_type=[int8]
//   layer_top_range=[[-1.0,0.99]]      // !quant.uniform<i8:f32, 0.0078:-1>
//   layer_top_scale=[0.0078]           // with compat_quantized_model=true
//   layer_top_zp=[-1]
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PARSER_COMPASS_LAYERTOPS_H
#define YARROW_PARSER_COMPASS_LAYERTOPS_H

#include "mlir/IR/BuiltinTypes.h"
#include "parser/compass/IrDocument.h"

namespace yarrow::compass {

/// What the tops of a layer say.
struct LayerTops {
  std::vector<std::string> names;
  std::vector<mlir::Type> types;
};

/// Up to 8 axes, up to 2^40 elements. An axis of length 0 makes an empty
/// tensor, which is read but not executed.
bool isPossibleShape(llvm::ArrayRef<int64_t> shape);

/// Reads layer_top, shapes, types, scale, zp and range. Reports problems and
/// returns nullopt.
std::optional<LayerTops> readTops(mlir::MLIRContext *context,
                                  const IrSection &layer, bool isCompat,
                                  const std::string &fileName,
                                  DiagnosticEngine &diags);

} // namespace yarrow::compass

#endif // YARROW_PARSER_COMPASS_LAYERTOPS_H
