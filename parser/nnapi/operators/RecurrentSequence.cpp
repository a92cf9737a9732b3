//===- RecurrentSequence.cpp - Sequences of recurrent operations ----------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/nnapi/operators/RecurrentSequence.h"
#include <algorithm>

using namespace yarrow;
using namespace yarrow::nnapi;
using graph::Attribute;
using graph::Tensor;

/// A network has some ten layers for each step. More of them are a wrong length
/// rather than a sequence that somebody would compile.
static constexpr std::int64_t kMostSteps = 1 << 14;

/// An operand has fewer than 2^32 bytes.
static constexpr std::int64_t kMostZeros = (std::int64_t(1) << 30) - 1;

std::optional<Sequence>
nnapi::readSequence(OperationReader &r, std::string_view input, Order order) {
  std::vector<std::int64_t> dims = r.dims(input);
  std::size_t rank = order == Order::OneStep ? 2 : 3;
  if (dims.size() != rank ||
      std::ranges::any_of(dims, [](std::int64_t n) { return n < 1; })) {
    r.bad("input " + std::string(input) + " is not a sequence", dimsText(dims),
          std::to_string(rank) + " axes of 1 or more");
    return std::nullopt;
  }
  Sequence x{r.input(input), 1, dims[0], dims.back(), order};
  if (order == Order::OneStep)
    return x;
  bool isBatchFirst = order == Order::BatchFirst;
  x.steps = dims[isBatchFirst ? 1 : 0];
  x.batch = dims[isBatchFirst ? 0 : 1];
  if (x.steps > kMostSteps) {
    r.refuse("this many steps are not supported", std::to_string(x.steps),
             std::to_string(kMostSteps) + " or less");
    return std::nullopt;
  }
  std::string what(input);
  Expressions e(r, what);
  if (isBatchFirst && x.steps > 1 && x.batch > 1)
    x.rows = r.transposed(x.rows, {1, 0, 2}, what + "_by_time");
  x.rows = e.reshaped(x.rows, {x.steps * x.batch, x.size});
  return x;
}

void nnapi::writeOutput(OperationReader &r, Tensor *from, std::size_t output) {
  if (r.output(output))
    r.add("Identity", {from}, {r.output(output)});
}

void nnapi::writeSequence(OperationReader &r, const std::vector<Tensor *> &rows,
                          const Sequence &like, std::int64_t size,
                          std::size_t output) {
  if (!r.output(output))
    return;
  if (like.order == Order::OneStep)
    return writeOutput(r, rows.front(), output);
  Expressions e(r, "output_" + std::to_string(output));
  Tensor *all = e.joined(rows, 0);
  // Where one of the lengths is 1 both orders are the same numbers.
  bool isBatchFirst = like.order == Order::BatchFirst;
  if (!isBatchFirst || like.steps == 1 || like.batch == 1) {
    std::int64_t first = isBatchFirst ? like.batch : like.steps,
                 second = isBatchFirst ? like.steps : like.batch;
    return writeOutput(r, e.reshaped(all, {first, second, size}), output);
  }
  all = e.reshaped(all, {like.steps, like.batch, size});
  r.add("Transpose", {all}, {r.output(output)}).attributes["perm"] =
      Attribute::of(std::vector<std::int64_t>{1, 0, 2});
}

bool nnapi::isPresent(const OperationReader &r, std::string_view input) {
  if (!r.has(input))
    return false;
  return std::ranges::none_of(r.dims(input),
                              [](std::int64_t n) { return n == 0; });
}

Tensor *nnapi::givenInput(const OperationReader &r, std::string_view input) {
  return isPresent(r, input) ? r.input(input) : nullptr;
}

bool nnapi::checkDims(OperationReader &r, std::string_view input,
                      const std::vector<std::int64_t> &expected) {
  if (!isPresent(r, input))
    return r.bad("an input is left out", std::string(input),
                 dimsText(expected));
  if (r.dims(input) == expected)
    return true;
  return r.bad("input " + std::string(input) + " has a wrong shape",
               dimsText(r.dims(input)), dimsText(expected));
}

Tensor *nnapi::firstState(OperationReader &r, std::string_view input,
                          std::int64_t batch, std::int64_t size) {
  if (r.match.indexOf(input))
    return checkDims(r, input, {batch, size}) ? r.input(input) : nullptr;
  // Lengths of two inputs, which fit 32 bits: so many zeros may not.
  graph::Shape shape = {batch, size};
  if (batch > kMostZeros / size) {
    r.refuse("the initial state is too large", dimsText(shape),
             "up to " + std::to_string(kMostZeros) + " zeros");
    return nullptr;
  }
  return r.constant(std::string(input),
                    graph::Constant::ofFloats(
                        shape, std::vector<float>(std::size_t(batch * size))));
}

std::optional<bool> nnapi::allOrNone(OperationReader &r,
                                     const std::vector<std::string> &inputs) {
  const std::string *there = nullptr, *missing = nullptr;
  for (const std::string &input : inputs)
    (isPresent(r, input) ? there : missing) = &input;
  if (!there || !missing)
    return there != nullptr;
  r.bad("an input is left out", *missing,
        "all of them, as " + *there + " is given");
  return std::nullopt;
}

std::vector<std::int64_t> nnapi::stepsInOrder(std::int64_t steps,
                                              bool isReverse) {
  std::vector<std::int64_t> order;
  for (std::int64_t i = 0; i < steps; ++i)
    order.push_back(isReverse ? steps - 1 - i : i);
  return order;
}
