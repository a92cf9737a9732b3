//===- CheckPack.h - A TFLite model on the evaluator ------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Two comparisons with what TensorFlow Lite recorded: the outputs of all
// samples after the whole network, and for the first sample every layer by
// itself, on the recorded operands, so that one layer's difference is not
// another's.
//
//   PackResult result = checkPack(pack);
//   result.byOperator["CONV_2D"].difference.worst;
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_TEST_CONFORMANCE_TFLITE_CHECKPACK_H
#define YARROW_TEST_CONFORMANCE_TFLITE_CHECKPACK_H

#include "compiler/eval/StoredDifference.h"
#include "test/conformance/tflite/TflitePack.h"

#include <map>

namespace yarrow::conformance {

struct OperatorResult {
  std::size_t tensors = 0;
  StoredDifference difference;
  std::string first; ///< Name of the first tensor that differs.
};

struct PackResult {
  std::string refusal;  ///< Codes of the errors, if the model is not read.
  std::string messages; ///< And what they say.
  std::string problem;  ///< What could not be compared.
  std::map<std::string, OperatorResult> byOperator; ///< And "OUTPUT".
  /// Recorded tensors that the network does not have any more.
  std::vector<std::string> vanished;
};

PackResult checkPack(const TflitePack &pack);

} // namespace yarrow::conformance

#endif // YARROW_TEST_CONFORMANCE_TFLITE_CHECKPACK_H
