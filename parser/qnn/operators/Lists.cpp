//===- Lists.cpp - Rows by number, places, mean and variance --------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/qnn/operators/Formulas.h"

using namespace yarrow;
using namespace yarrow::qnn;
using graph::Attribute;
using graph::Shape;
using graph::Tensor;

/// Indices that are none are ignored: the others close up, and zeros follow
/// their rows.
bool qnn::readBatchPermutation(OpReader &r) {
  Formula f(r, "rows");
  Shape rows = r.dims(0);
  if (rows.empty() || r.rank(1) != 1)
    return r.bad("in[1] is not a list", dimsText(r.dims(1)), "[M]");
  std::int64_t batch = rows[0], count = r.dims(1)[0];
  rows[0] = count;
  if (!f.expectOutput(0, rows))
    return false;
  if (r.input(1)->constant) {
    bool isWhole = true;
    for (std::int64_t index : r.input(1)->constant->integers())
      isWhole &= index >= 0 && index < batch;
    if (isWhole) {
      r.movedResult("Gather", {r.input(0), f.wholeNumbers(1)}, r.input(0))
          .attributes["axis"] = Attribute::of(std::int64_t(0));
      return true;
    }
  }
  const DataTypeEntry &type = r.inputOf(0).entry();
  bool isReal = type.isFixed() || type.isFloat();
  Tensor *indices = f.wholeNumbers(1),
         *isIndex =
             f.of("And", {f.of("GreaterOrEqual", {indices, f.integer(0)}),
                          f.of("Less", {indices, f.integer(batch)})});
  std::vector<Tensor *> kept =
      f.severalOf(kDomain, "Filter", {indices, isIndex}, 2);
  Tensor *x = isReal ? f.real(0) : f.wholeNumbers(0),
         *gathered = f.gathered(x, kept[0], 0);
  Tensor *isUsed = f.of("Less", {f.counting(count, rows.size(), 0),
                                 f.reshaped(kept[1], Shape(rows.size(), 1))});
  Tensor *result =
      f.chosen(isUsed, gathered, isReal ? f.number(0) : f.integer(0));
  if (isReal)
    f.write(result, 0);
  else
    f.writeWhole(result, 0);
  return true;
}

/// A row for each element that is not 0, -1 behind them.
bool qnn::readNonZero(OpReader &r) {
  Formula f(r, "places");
  std::int64_t elements = graph::numElements(r.dims(0)), rank = r.rank(0);
  if (rank < 1 || elements < 1)
    return r.bad("in[0] has no elements", dimsText(r.dims(0)),
                 "lengths of 1 or more");
  if (!f.expectOutput(0, {elements, rank}))
    return false;
  std::vector<Tensor *> found = f.severalOf(kDomain, "NonZero", {f.real(0)}, 2);
  Tensor *isPlace =
      f.of("Less", {f.counting(elements, 2, 0), f.reshaped(found[1], {1, 1})});
  f.writeWhole(f.chosen(isPlace, f.transposed(found[0], {1, 0}), f.integer(-1)),
               0);
  return true;
}

bool qnn::readMoments(OpReader &r) {
  Formula f(r, "moments");
  const DataTypeEntry &type = r.inputOf(0).entry();
  Tensor *x = type.isFixed() || type.isFloat()
                  ? r.input(0)
                  : f.cast(r.input(0), ElementType::F32);
  std::vector<Tensor *> results = f.severalOf(
      kDomain, "Moments", {x}, 2,
      {{"axes", Attribute::of(r.integers("axes"))},
       {"keepdims", Attribute::of(std::int64_t(r.flag("keep_dims")))}});
  f.write(results[0], 0);
  f.write(results[1], 1);
  return true;
}
