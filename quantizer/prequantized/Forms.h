//===- Forms.h - Integer forms of layers with given scales ------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// One function for each kind of layer. Each sets the integer keys and returns
// true, or changes nothing, explains why in PrequantizedLayer::why and returns
// false. Scales that can never fit together are an error, too
// (PrequantizedScales).
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_QUANTIZER_PREQUANTIZED_FORMS_H
#define YARROW_QUANTIZER_PREQUANTIZED_FORMS_H

#include "quantizer/prequantized/PrequantizedLayer.h"

namespace yarrow {

/// Convolutions and fully connected layers: the model's weights and biases, a
/// multiplier for each output channel.
bool giveProduct(PrequantizedLayer &layer);
/// Products of two activations.
bool giveMatMul(PrequantizedLayer &layer);
/// Sums, differences, products, minima and maxima of two tensors.
bool giveBinary(PrequantizedLayer &layer);
/// Maxima as they are; means in stored integers, half away from zero.
bool givePooling(PrequantizedLayer &layer);
/// Sums and means over axes.
bool giveReduction(PrequantizedLayer &layer);
/// A function of one value: a table of all 8-bit inputs.
bool giveTable(PrequantizedLayer &layer);
/// Clamps, and what changes scales alone.
bool giveRequantization(PrequantizedLayer &layer);
/// Values moved, chosen or counted as they are stored, whose operands take the
/// result's scale if they have another one.
bool giveMove(PrequantizedLayer &layer);

/// A table of exponentials, of 8 bits.
bool giveSoftmax(PrequantizedLayer &layer);

/// The nearest pixel of an image.
bool giveResize(PrequantizedLayer &layer);

/// A layer that is of integers alone, with the scales of its tensors.
bool giveStored(PrequantizedLayer &layer);

/// The form of a layer by its operator; reasons for those that have none.
bool giveIntegers(PrequantizedLayer &layer);

/// Makes a layer of stored tensors one of real numbers: a DeQuantize before
/// each operand, a Quantize behind each result, weights as floats.
void computeInFloats(mlir::Operation *op);

} // namespace yarrow

#endif // YARROW_QUANTIZER_PREQUANTIZED_FORMS_H
