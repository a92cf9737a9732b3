//===- Masks.cpp - Elements that count, and those that are numbers --------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/qnn/operators/Formulas.h"

using namespace yarrow;
using namespace yarrow::qnn;
using graph::Attribute;
using graph::Tensor;

bool qnn::readIsInf(OpReader &r) {
  graph::Node &node = r.result("IsInf", {r.input(0)});
  for (const char *param : {"detect_negative", "detect_positive"})
    node.attributes[param] = Attribute::of(std::int64_t(r.flag(param)));
  return true;
}

/// ln(z / (1 - z)): the definition's z - 1 has no logarithm.
bool qnn::readLogit(OpReader &r) {
  Formula f(r, "logit");
  Tensor *z = f.real(0);
  if (r.has(1)) {
    if (!f.expectDims(1, {1}) || !f.expectStatic(1))
      return false;
    double epsilon = r.input(1)->constant->numberAt(0);
    if (!(epsilon <= 0.5))
      return r.bad("in[1]: epsilon is out of range", std::to_string(epsilon),
                   "0.5 or less");
    z = f.clipped(z, epsilon, 1 - epsilon);
  }
  f.write(f.of("Log", {f.of("Div", {z, f.subtract(f.number(1), z)})}), 0);
  return true;
}

static Tensor *softmax(Formula &f, Tensor *x) {
  return f.of("Softmax", {x}, {{"axis", Attribute::of(std::int64_t(3))}});
}

/// Which columns each row reads: of sequences behind one another, those of its
/// own sequence. [batch, 1, rows, columns]
static Tensor *sameSequence(Formula &f, std::int64_t batch,
                            std::int64_t sequences, std::int64_t length) {
  // Position p is of the sequence with the number of those that end before it.
  Tensor *ends = f.reshaped(f.of("CumSum", {f.wholeNumbers(1), f.integer(1)}),
                            {batch, 1, sequences});
  Tensor *hasEnded = f.of("GreaterOrEqual", {f.counting(length, 3, 1), ends});
  Tensor *sequence = f.sum(f.cast(hasEnded, ElementType::I32), {2}, false);
  Tensor *ofRow = f.reshaped(sequence, {batch, 1, length, 1}),
         *ofColumn = f.reshaped(sequence, {batch, 1, 1, length});
  // Behind the last sequence there is nothing.
  return f.of("And", {f.of("Equal", {ofRow, ofColumn}),
                      f.of("Less", {ofRow, f.integer(sequences)})});
}

/// A row behind the last sequence gives 0.
bool qnn::readMaskedSoftmax(OpReader &r) {
  Formula f(r, "softmax");
  if (!f.expectRank(0, 4, "[batch, height, width, channel]") ||
      !f.expectOutput(0, r.dims(0)))
    return false;
  std::int64_t batch = r.dims(0)[0], length = r.dims(0)[3];
  if (r.scalar("mode") == 0) {
    if (!f.expectDims(1, {batch, length}))
      return false;
    const DataTypeEntry &type = r.inputOf(1).entry();
    Tensor *mask = type.isFixed() || type.isFloat()
                       ? f.real(1)
                       : f.cast(r.input(1), ElementType::F32);
    f.write(
        softmax(f, f.add(f.real(0), f.reshaped(mask, {batch, 1, 1, length}))),
        0);
    return true;
  }
  if (!f.expectDims(1, {batch, -1}))
    return false;
  if (r.dims(0)[2] != length)
    return r.bad("width and channel of in[0] differ", dimsText(r.dims(0)),
                 "[batch, height, length, length]");
  // Far below all numbers, and a float still where numbers are added to it.
  constexpr double kFarBelow = -1e30;
  Tensor *isSame = sameSequence(f, batch, r.dims(1)[1], length);
  Tensor *y = softmax(f, f.chosen(isSame, f.real(0), f.number(kFarBelow)));
  f.write(f.chosen(isSame, y, f.number(0)), 0);
  return true;
}
