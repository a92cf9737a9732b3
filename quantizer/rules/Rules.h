//===- Rules.h - One function per rule class ------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Each makes a layer of its class an integer layer. False after a diagnostic.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_QUANTIZER_RULES_RULES_H
#define YARROW_QUANTIZER_RULES_RULES_H

#include "quantizer/rules/LayerContext.h"

namespace yarrow {

bool quantizeGraph(LayerContext &layer); // Input, Constant
bool quantizeMac(LayerContext &layer);
bool quantizeMatMul(LayerContext &layer);
bool quantizeEltwise(LayerContext &layer);
bool quantizeLut(LayerContext &layer);
bool quantizeActivation(LayerContext &layer);
bool quantizeRequant(LayerContext &layer);
bool quantizePass(LayerContext &layer);
bool quantizePool(LayerContext &layer);
bool quantizeMorphology(LayerContext &layer); // Dilation, Erosion
bool quantizeBatchNorm(LayerContext &layer);
bool quantizeLayerNorm(LayerContext &layer);
bool quantizeSoftmax(LayerContext &layer);
bool quantizeConcat(LayerContext &layer);
bool quantizeReduce(LayerContext &layer);
bool quantizeResize(LayerContext &layer);
bool quantizeCast(LayerContext &layer);
bool quantizeIndex(LayerContext &layer);
bool quantizeCompare(LayerContext &layer);
bool quantizeRecurrent(LayerContext &layer);
bool quantizeDetection(LayerContext &layer); // boxes and scores
bool quantizeRotary(LayerContext &layer);    // of the requantized ones
/// Layers whose result is an index, a truth value or a shape (isSelection).
bool quantizeSelection(LayerContext &layer);
bool isSelection(mlir::Operation *op);
bool quantizeWhere(LayerContext &layer);
bool quantizeScatter(LayerContext &layer);
bool quantizeSlotUpdate(LayerContext &layer);
bool quantizeSegments(LayerContext &layer);
bool quantizeEmbedding(LayerContext &layer);

/// Result \p index holds indices into the first operand, or counts of it.
void quantizeIndexResult(LayerContext &layer, unsigned index);

/// By the op's record. Reports an op without a rule.
bool quantizeByRule(LayerContext &layer);

} // namespace yarrow

#endif // YARROW_QUANTIZER_RULES_RULES_H
