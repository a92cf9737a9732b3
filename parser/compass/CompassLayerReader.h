//===- CompassLayerReader.h - One layer of IR text as an op ---------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The part of the reader that knows how keys become attributes and tops become
// types.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PARSER_COMPASS_COMPASSLAYERREADER_H
#define YARROW_PARSER_COMPASS_COMPASSLAYERREADER_H

#include "dialects/compass/Records.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/OperationSupport.h"
#include "parser/compass/IrDocument.h"
#include "support/MappedFile.h"
#include <memory>

namespace yarrow::compass {

/// What the tops of a layer say.
struct LayerTops {
  std::vector<std::string> names;
  std::vector<mlir::Type> types;
};

/// Bottom names of a layer, in order.
std::vector<std::string> bottomNames(const IrSection &layer);
/// The same of its tops. Empty, too, if the value is no list of names.
std::vector<std::string> topNames(const IrSection &layer);

/// Up to 8 axes, up to 2^40 elements. An axis of length 0 makes an empty
/// tensor, which is read but not executed.
bool isPossibleShape(llvm::ArrayRef<int64_t> shape);

/// Reads layer_top, shapes, types, scale, zp and range. Reports problems and
/// returns nullopt.
std::optional<LayerTops> readTops(mlir::MLIRContext *context,
                                  const IrSection &layer,
                                  const std::string &fileName,
                                  DiagnosticEngine &diags);

/// Where a constant lies in the weights file, for checks across layers.
struct ConstantRange {
  std::string name;
  const IrSection *layer;
  uint64_t offsetBytes, sizeBytes;
  unsigned line;
};

/// Adds an attribute for every other key of the layer and for every constant,
/// and appends the constants' places to \p ranges. Keys that the operator does
/// not have are kept as extra keys, with a warning if nothing says that they
/// mean nothing. False after errors.
bool readAttributes(mlir::OperationState &state, const OperatorRecord &record,
                    const IrSection &layer, const std::string &fileName,
                    const std::shared_ptr<const MappedFile> &bin,
                    std::vector<ConstantRange> &ranges,
                    DiagnosticEngine &diags);

} // namespace yarrow::compass

#endif // YARROW_PARSER_COMPASS_COMPASSLAYERREADER_H
