//===- LstmInputs.h - Positions of an LSTM's inputs -------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PARSER_TFLITE_OPERATORS_LSTMINPUTS_H
#define YARROW_PARSER_TFLITE_OPERATORS_LSTMINPUTS_H

#include <cstddef>

namespace yarrow::tflite {

/// Inputs of an LSTM, as the format counts them. Of four gates in a row the
/// order is input, forget, cell, output.
enum LstmInput : std::size_t {
  kInput = 0,
  kInputWeights = 1,
  kStateWeights = 5,
  kPeepholes = 9, ///< Three.
  kBiases = 12,
  kProjection = 16,       ///< And its bias.
  kFirstStates = 18,      ///< Output and cell.
  kNormCoefficients = 20, ///< Four.
  kNumLstmInputs = 24
};

} // namespace yarrow::tflite

#endif // YARROW_PARSER_TFLITE_OPERATORS_LSTMINPUTS_H
