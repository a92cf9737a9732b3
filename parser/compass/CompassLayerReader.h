//===- CompassLayerReader.h - One layer of IR text as an op ---------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// This part of the reader turns keys into attributes; LayerTops.h turns tops
// into types.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PARSER_COMPASS_COMPASSLAYERREADER_H
#define YARROW_PARSER_COMPASS_COMPASSLAYERREADER_H

#include "dialects/compass/Records.h"
#include "mlir/IR/OperationSupport.h"
#include "parser/compass/IrDocument.h"
#include "support/MappedFile.h"
#include <memory>

namespace yarrow::compass {

/// Bottom names of a layer, in order.
std::vector<std::string> bottomNames(const IrSection &layer);
/// The same of its tops. Empty, too, if the value is no list of names.
std::vector<std::string> topNames(const IrSection &layer);

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
/// mean something. False after errors.
bool readAttributes(mlir::OperationState &state, const OperatorRecord &record,
                    const IrSection &layer, const std::string &fileName,
                    const std::shared_ptr<const MappedFile> &bin, bool isCompat,
                    std::vector<ConstantRange> &ranges,
                    DiagnosticEngine &diags);

} // namespace yarrow::compass

#endif // YARROW_PARSER_COMPASS_COMPASSLAYERREADER_H
