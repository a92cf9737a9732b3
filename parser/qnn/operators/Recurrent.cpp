//===- Recurrent.cpp - Sequences, and Gru ---------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/qnn/operators/Sequence.h"
#include <algorithm>

using namespace yarrow;
using namespace yarrow::qnn;
using graph::Attribute;
using graph::Node;
using graph::Tensor;

/// A network has some ten layers for each step. More of them are a wrong length
/// rather than a sequence that somebody would compile.
static constexpr std::int64_t kMostSteps = 1 << 14;

std::optional<Sequence> qnn::readSequence(Formula &f, bool isOneStep) {
  OpReader &r = f.r;
  if (!f.expectRank(0, isOneStep ? 2 : 3, "2 or 3 axes"))
    return std::nullopt;
  const std::vector<std::int64_t> &dims = r.dims(0);
  if (std::ranges::any_of(dims, [](std::int64_t n) { return n < 1; })) {
    r.bad("in[0] is not a sequence", dimsText(dims), "lengths of 1 or more");
    return std::nullopt;
  }
  Sequence x{r.input(0), 1, dims[0], dims.back()};
  if (isOneStep)
    return x;
  bool isTimeFirst = r.flag("time_major");
  x.order = isTimeFirst ? SequenceOrder::TimeFirst : SequenceOrder::BatchFirst;
  x.steps = dims[isTimeFirst ? 0 : 1];
  x.batch = dims[isTimeFirst ? 1 : 0];
  if (x.steps > kMostSteps) {
    r.refuse("this many steps are not supported", std::to_string(x.steps),
             std::to_string(kMostSteps) + " or less");
    return std::nullopt;
  }
  if (!isTimeFirst)
    x.rows = r.transposed(x.rows, {1, 0, 2}, "by_time");
  x.rows = r.reshaped(x.rows, {x.steps * x.batch, x.size}, "rows");
  return x;
}

void qnn::writeSequence(Formula &f, const std::vector<Tensor *> &rows,
                        const Sequence &like, std::int64_t size) {
  if (like.order == SequenceOrder::OneStep)
    return f.write(rows.front(), 0);
  Tensor *all = f.reshaped(f.joined(rows, 0), {like.steps, like.batch, size});
  f.write(like.order == SequenceOrder::TimeFirst ? all
                                                 : f.transposed(all, {1, 0, 2}),
          0);
}

/// A state [1, batch, cells] of a GRU is ONNX's, and so are the gates' order
/// and what linear_before_reset means: its words contradict the equation, which
/// is ONNX's.
bool qnn::readGru(OpReader &r) {
  Formula f(r, "gru");
  auto x = readSequence(f, false);
  if (!x || !f.expectReset(14) ||
      !f.expectRank(4, 2, "[hidden_size, hidden_size]"))
    return false;
  std::int64_t cells = r.dims(4)[0];
  for (std::size_t i = 0; i < 3; ++i)
    if (!f.expectDims(1 + i, {cells, x->size}) ||
        !f.expectDims(4 + i, {cells, cells}) || !f.expectDims(7 + i, {cells}) ||
        !f.expectDims(10 + i, {cells}))
      return false;
  if (!f.expectDims(13, {1, x->batch, cells}))
    return false;
  for (std::size_t i = 1; i <= 12; ++i)
    if (!f.expectStatic(i))
      return false;

  std::vector<float> biases;
  for (std::size_t i = 7; i <= 12; ++i)
    for (std::int64_t k = 0; k < cells; ++k)
      biases.push_back(r.has(i) ? float(f.real(i)->constant->numberAt(k)) : 0);
  auto weights = [&](std::size_t first, std::int64_t size) {
    std::vector<float> values;
    for (double value :
         f.stacked({first, first + 1, first + 2})->constant->numbers())
      values.push_back(float(value));
    return f.numbers({1, 3 * cells, size}, values);
  };
  Tensor *sequence = f.reshaped(x->rows, {x->steps, x->batch, x->size});
  std::vector<Tensor *> results = f.severalOf(
      "", "GRU",
      {sequence, weights(1, x->size), weights(4, cells),
       f.numbers({1, 6 * cells}, biases), nullptr, r.input(13)},
      2,
      {{"hidden_size", Attribute::of(cells)},
       {"linear_before_reset", Attribute::of(r.scalar("linear_before_reset"))},
       {"direction", Attribute::of(std::string(
                         r.scalar("direction") ? "reverse" : "forward"))}});
  // [steps, 1, batch, cells]
  Tensor *all = f.reshaped(results[0], {x->steps, x->batch, cells});
  f.write(x->order == SequenceOrder::TimeFirst ? all
                                               : f.transposed(all, {1, 0, 2}),
          0);
  f.write(results[1], 1);
  return true;
}
