//===- States.h - One scale for the two ends of a state ---------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// What a state is after a run it is before the next one: both ends have one
// scale (GraphBorders). First they get one range, with what only moves values
// on their way, so that nothing has to be rescaled where layers can choose.
//
//   joinStateRanges(module, calibration, options);
//   setStateBorders(module, options, state);
//   ... quantize the layers ...
//   quantizeStates(terminator, floats);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_QUANTIZER_RULES_STATES_H
#define YARROW_QUANTIZER_RULES_STATES_H

#include "quantizer/rules/FloatLayers.h"

namespace yarrow {

/// Whether there is anything to join.
bool hasStates(mlir::ModuleOp module);

/// Ranges that a user has set stay.
void joinStateRanges(mlir::ModuleOp module, Calibration &calibration,
                     const QuantizerOptions &options);

/// The form of both ends: what the layer that makes the present value, or the
/// window that it is a part of, gives it by itself.
void setStateBorders(mlir::ModuleOp module, const QuantizerOptions &options,
                     QuantizerState &state);

/// Brings the outputs of the main graph that are states to their inputs' form.
void quantizeStates(LayerContext &terminator, FloatLayers &floats);

/// The first value of a state with the scale of its input.
void quantizeFirstValue(LayerContext &input, const LinearParams &params);

} // namespace yarrow

#endif // YARROW_QUANTIZER_RULES_STATES_H
