//===- Svdf.cpp - Networks of filters over features and time --------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Each filter gives one number a step, and a unit adds what `rank` filters make
// of their last numbers. The state holds these, a row for each filter, oldest
// first.
//
//===----------------------------------------------------------------------===//
#include "parser/nnapi/operators/RecurrentSequence.h"

using namespace yarrow;
using namespace yarrow::nnapi;
using graph::Attribute;
using graph::Constant;
using graph::Tensor;

namespace {

struct Svdf {
  std::int64_t batch = 0, filters = 0, memory = 0, units = 0;
  /// Numbers that the state has of a filter: all but the newest, or as many as
  /// the time has weights, of which the last is not used and becomes 0. The
  /// definition says the one, its cases have the other.
  std::int64_t kept = 0;
  Tensor *state = nullptr; ///< Null if none is kept.
};

} // namespace

static std::optional<Svdf> lengthsOf(OperationReader &r, const Sequence &x) {
  if (r.rank("weights_feature") != 2 || r.rank("weights_time") != 2 ||
      (r.has("state_in") && r.rank("state_in") != 2)) {
    r.bad("weights or state are not matrices",
          std::to_string(r.rank("weights_feature")) + " axes of features",
          "two axes each");
    return std::nullopt;
  }
  Svdf s;
  s.batch = x.batch;
  s.filters = r.dims("weights_feature")[0];
  s.memory = r.dims("weights_time")[1];
  std::int64_t rank = r.scalar("rank");
  if (rank < 1 || s.filters < 1 || s.filters % rank != 0 || s.memory < 1) {
    r.bad("the rank does not divide the filters", std::to_string(rank),
          "a divisor of " + std::to_string(s.filters));
    return std::nullopt;
  }
  s.units = s.filters / rank;
  // Without a state of its own (HAL 1.0), none would be left of one step.
  bool isPadded = r.has("state_in")
                      ? r.dims("state_in")[1] == s.memory * s.filters
                      : s.memory == 1;
  s.kept = isPadded ? s.memory : s.memory - 1;
  if (!checkDims(r, "weights_feature", {s.filters, x.size}) ||
      !checkDims(r, "weights_time", {s.filters, s.memory}) ||
      (isPresent(r, "bias") && !checkDims(r, "bias", {s.units})))
    return std::nullopt;
  if (s.kept > 0) {
    s.state = firstState(r, "state_in", s.batch, s.kept * s.filters);
    if (!s.state)
      return std::nullopt;
  }
  return s;
}

/// The state behind this step: all numbers but the oldest.
static void writeState(Expressions &e, const Svdf &s, Tensor *numbers) {
  std::vector<Tensor *> parts;
  if (s.memory > 1)
    parts.push_back(e.sliced(numbers, 2, 1, s.memory));
  if (s.kept == s.memory)
    parts.push_back(e.r.constant(
        "unused", Constant::ofFloats(
                      {s.batch, s.filters, 1},
                      std::vector<float>(std::size_t(s.batch * s.filters)))));
  if (!parts.empty())
    writeOutput(
        e.r, e.reshaped(e.joined(parts, 2), {s.batch, s.kept * s.filters}), 0);
}

bool nnapi::readSvdf(OperationReader &r) {
  auto x = readSequence(r, "input", Order::OneStep);
  auto s = x ? lengthsOf(r, *x) : std::nullopt;
  if (!s)
    return false;
  Expressions e(r, "svdf");
  Tensor *numbers = e.reshaped(e.product(x->rows, r.input("weights_feature")),
                               {s->batch, s->filters, 1});
  if (s->memory > 1) {
    Tensor *before = e.reshaped(s->state, {s->batch, s->filters, s->kept});
    if (s->kept == s->memory)
      before = e.sliced(before, 2, 0, s->memory - 1);
    numbers = e.joined({before, numbers}, 2);
  }
  writeState(e, *s, numbers);
  // A unit's filters are neighbours.
  Tensor *weighted =
      e.reshaped(e.multiply(numbers, r.input("weights_time")),
                 {s->batch, s->units, s->filters / s->units * s->memory});
  Tensor *sum = r.between("units");
  r.add("ReduceSum", {weighted, r.integers("along", {2})}, {sum})
      .attributes["keepdims"] = Attribute::of(std::int64_t(0));
  if (Tensor *bias = givenInput(r, "bias"))
    sum = e.add(sum, bias);
  Tensor *result = activated(e, sum, r.scalar("fuse"), kAnyActivation);
  if (!result)
    return false;
  writeOutput(r, result, 1);
  return true;
}
