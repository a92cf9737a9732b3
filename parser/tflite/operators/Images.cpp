//===- Images.cpp - Operators that know channels, and products ------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Their layers are made of the nodes where lengths are known:
// parser/graph/operators/Tflite*.cpp.
//
//===----------------------------------------------------------------------===//
#include "parser/tflite/OperatorReader.h"
#include <numeric>

using namespace yarrow;
using namespace yarrow::tflite;
using graph::Attribute;
using graph::Tensor;

bool tflite::readWindow(OperatorReader &r) {
  if (!r.checkCounts(1, 3))
    return false;
  r.tfliteResult(r.inputs);
  return true;
}

bool tflite::readImage(OperatorReader &r) {
  if (!r.checkCounts(1, 3))
    return false;
  r.tfliteResult(r.inputs);
  return true;
}

/// The shape of the result comes first in the file, the data third.
bool tflite::readTransposed(OperatorReader &r) {
  if (!r.checkCounts(3, 4))
    return false;
  r.tfliteResult({r.input(2), r.input(1), r.input(3), r.input(0)});
  return true;
}

bool tflite::readFullyConnected(OperatorReader &r) {
  if (!r.checkCounts(2, 3))
    return false;
  constexpr std::int64_t kDefault = 0;
  if (r.options.integer("weights_format") != kDefault)
    return r.refuse("shuffled weights are not supported",
                    "weights_format " +
                        std::to_string(r.options.integer("weights_format")),
                    "DEFAULT");
  r.tfliteResult({r.input(0), r.input(1), r.input(2)});
  return true;
}

bool tflite::readBatchMatMul(OperatorReader &r) {
  if (!r.checkCounts(2, 2))
    return false;
  std::vector<Tensor *> inputs = r.inputs;
  for (std::size_t i : {0, 1}) {
    if (!r.options.flag(i == 0 ? "adj_x" : "adj_y"))
      continue;
    if (r.rank(i) < 2)
      return r.bad("an operand is not a matrix", std::to_string(r.rank(i)),
                   "two axes or more");
    std::vector<std::int64_t> perm(std::size_t(r.rank(i)));
    std::iota(perm.begin(), perm.end(), 0);
    std::swap(perm[perm.size() - 1], perm[perm.size() - 2]);
    inputs[i] = r.storedLike(*r.input(i), i == 0 ? "left" : "right");
    r.add("Transpose", {r.input(i)}, {inputs[i]}).attributes["perm"] =
        Attribute::of(perm);
  }
  r.result(r.entry.node, inputs);
  return true;
}
