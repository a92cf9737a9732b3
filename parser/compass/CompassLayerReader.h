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

/// Reads layer_top, shapes, types, scale, zp and range. Reports problems and
/// returns nullopt.
std::optional<LayerTops> readTops(mlir::MLIRContext *context,
                                  const IrSection &layer,
                                  const std::string &fileName,
                                  DiagnosticEngine &diags);

/// Adds an attribute for every other key of the layer and for every constant.
/// False after errors.
bool readAttributes(mlir::OperationState &state, const OperatorRecord &record,
                    const IrSection &layer, const std::string &fileName,
                    const std::shared_ptr<const MappedFile> &bin,
                    DiagnosticEngine &diags);

} // namespace yarrow::compass

#endif // YARROW_PARSER_COMPASS_COMPASSLAYERREADER_H
