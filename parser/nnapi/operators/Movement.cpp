//===- Movement.cpp - Operations that move values -------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/nnapi/OperationReader.h"
#include <algorithm>

using namespace yarrow;
using namespace yarrow::nnapi;
using graph::Attribute;
using graph::Node;
using graph::Tensor;

/// The number of axes that the inputs of a list have; reports an empty list.
static std::optional<std::int64_t> rankOfList(OperationReader &r) {
  for (std::size_t i = 0; i < r.inputs.size(); ++i)
    if (r.match.rows[i]->kind == OperandRow::Kind::List && r.inputs[i])
      return std::int64_t(r.model.operands[r.operation.inputs[i]].dims.size());
  r.bad("there is no tensor to join", "no input", "one or more");
  return std::nullopt;
}

/// Operands of other scales are brought to the result's; those that have no
/// elements are left out.
bool nnapi::readConcat(OperationReader &r) {
  std::vector<Tensor *> inputs = r.list("inputs");
  std::erase(inputs, nullptr);
  auto rank = rankOfList(r);
  auto axis = rank ? r.axis("axis", *rank) : std::nullopt;
  if (!axis)
    return false;
  r.result(r.entry.node, inputs).attributes["axis"] = Attribute::of(*axis);
  return true;
}

bool nnapi::readReshape(OperationReader &r) {
  auto shape = r.integersOf("shape");
  if (!shape)
    return false;
  Tensor *x = r.input("input");
  r.movedResult(r.entry.node, {x, r.integers("shape", *shape)}, x)
      .attributes["allowzero"] = Attribute::of(std::int64_t(1));
  return true;
}

/// Without a list, or with an empty one, all axes of length 1 are gone. One is
/// left of a tensor that has no others.
bool nnapi::readSqueeze(OperationReader &r) {
  std::vector<std::int64_t> dims = r.dims("input"), kept;
  std::vector<bool> isGone(dims.size());
  if (r.has("axes") && r.operand("axes").numElements() != 0) {
    auto axes = r.axesOf("axes", r.rank("input"));
    if (!axes)
      return false;
    for (std::int64_t axis : *axes) {
      if (dims[std::size_t(axis)] != 1)
        return r.bad("only an axis of length 1 can be removed",
                     "axis " + std::to_string(axis) + " of length " +
                         std::to_string(dims[std::size_t(axis)]),
                     "length 1");
      isGone[std::size_t(axis)] = true;
    }
  } else {
    for (std::size_t axis = 0; axis < dims.size(); ++axis)
      isGone[axis] = dims[axis] == 1;
  }
  for (std::size_t axis = 0; axis < dims.size(); ++axis)
    if (!isGone[axis])
      kept.push_back(dims[axis]);
  if (kept.empty())
    kept.push_back(1);
  Tensor *x = r.input("input");
  r.movedResult(r.entry.node, {x, r.integers("shape", kept)}, x);
  return true;
}

bool nnapi::readExpandDims(OperationReader &r) {
  auto axis = r.axis("axis", r.rank("input") + 1);
  if (!axis)
    return false;
  Tensor *x = r.input("input");
  r.movedResult(r.entry.node, {x, r.integers("axes", {*axis})}, x);
  return true;
}

/// Without a list the order of axes turns round.
bool nnapi::readTranspose(OperationReader &r) {
  Tensor *x = r.input("input");
  Node &node = r.movedResult(r.entry.node, {x}, x);
  if (!r.has("perm"))
    return true;
  auto perm = r.integersOf("perm");
  if (!perm)
    return false;
  node.attributes["perm"] = Attribute::of(*perm);
  return true;
}

/// PAD's border is real 0, which each form has. PAD_V2 has the number, of
/// quantized tensors the integer that is stored.
bool nnapi::readPad(OperationReader &r) {
  auto rows = r.padsOfAxes("paddings");
  if (!rows)
    return false;
  Tensor *x = r.input("input");
  std::vector<Tensor *> inputs = {x, r.padsOf(*rows)};
  if (r.has("pad_value")) {
    double value = r.real("pad_value");
    if (x->quantization)
      value = double(x->quantization->scales[0]) *
              (value - double(x->quantization->zeroPoints[0]));
    inputs.push_back(r.number("value", float(value)));
  }
  r.movedResult(r.entry.node, inputs, x);
  return true;
}

namespace {
/// A tensor as [before, axis, behind], and the lengths around the axis.
struct AxisView {
  std::int64_t before = 1, after = 1;

  AxisView(const std::vector<std::int64_t> &dims, std::size_t axis) {
    for (std::size_t a = 0; a < dims.size(); ++a)
      (a < axis ? before : after) *= a == axis ? 1 : dims[a];
  }
};
} // namespace

/// Axis by axis, so that there may be any number of axes.
bool nnapi::readMirrorPad(OperationReader &r) {
  constexpr std::int64_t kReflect = 0, kSymmetric = 1;
  auto rows = r.padsOfAxes("paddings");
  std::int64_t mode = r.scalar("mode");
  if (!rows)
    return false;
  if (mode != kReflect && mode != kSymmetric)
    return r.bad("unknown mode", std::to_string(mode),
                 "0 (reflect) or 1 (symmetric)");
  Tensor *x = r.input("input"), *y = x;
  std::vector<std::int64_t> dims = r.dims("input");
  for (std::size_t a = 0; a < dims.size(); ++a) {
    std::int64_t front = (*rows)[2 * a], back = (*rows)[2 * a + 1],
                 most = dims[a] - (mode == kReflect ? 1 : 0);
    if (front < 0 || back < 0 || front > most || back > most)
      return r.bad("the pads do not match the input",
                   std::to_string(front) + " and " + std::to_string(back) +
                       " of axis " + std::to_string(a),
                   "0 to " + std::to_string(most));
    if (front + back == 0)
      continue;
    std::string at = std::to_string(a);
    AxisView view(dims, a);
    Tensor *flat = r.storedLike(*x, "flat_" + at),
           *padded = r.storedLike(*x, "padded_" + at);
    r.add("Reshape",
          {y, r.integers("view_" + at, {view.before, dims[a], view.after})},
          {flat});
    Node &pad = r.add(
        r.entry.node,
        {flat, r.integers("pads_" + at, {0, 0, front, back, 0, 0})}, {padded});
    pad.domain = kTfliteDomain;
    pad.attributes["mode"] = Attribute::of(mode);
    dims[a] += front + back;
    y = padded;
  }
  std::vector<std::uint32_t> lengths(dims.begin(), dims.end());
  r.movedResult("Reshape", {y, r.integers("shape", layerShape(lengths))}, x);
  return true;
}

/// An axis that shrinks is one element: so the definition says, and a step
/// backwards is none.
static bool checkShrinking(OperationReader &r,
                           const std::vector<std::int64_t> &begin,
                           const std::vector<std::int64_t> &end,
                           const std::vector<std::int64_t> &strides) {
  std::vector<std::int64_t> dims = r.dims("input");
  auto has = [&](const char *mask, std::size_t axis) {
    return ((r.scalar(mask) >> axis) & 1) != 0;
  };
  for (std::size_t a = 0; a < dims.size(); ++a) {
    if (!has("shrink_axis_mask", a))
      continue;
    auto placed = [&](std::int64_t at) {
      return std::clamp<std::int64_t>(at < 0 ? at + dims[a] : at, 0, dims[a]);
    };
    std::int64_t from = has("begin_mask", a) ? 0 : placed(begin[a]),
                 to = has("end_mask", a) ? dims[a] : placed(end[a]),
                 step = strides[a];
    if (step <= 0 || to <= from || (to - from + step - 1) / step != 1)
      return r.bad("a removed axis does not have exactly one element",
                   "axis " + std::to_string(a) + " from " +
                       std::to_string(from) + " to " + std::to_string(to) +
                       " by " + std::to_string(step),
                   "begin, begin + 1 and a positive step");
  }
  return true;
}

bool nnapi::readStridedSlice(OperationReader &r) {
  std::vector<std::int64_t> lists[3];
  std::vector<Tensor *> inputs = {r.input("input")};
  for (std::size_t i = 0; const char *name : {"begin", "end", "strides"}) {
    auto list = r.integersOf(name);
    if (!list)
      return false;
    if (std::int64_t(list->size()) != r.rank("input"))
      return r.bad(std::string("the list ") + name + " has a wrong length",
                   std::to_string(list->size()),
                   "one entry for each of " + std::to_string(r.rank("input")) +
                       " axes");
    lists[i++] = *list;
    inputs.push_back(r.integers(name, *list));
  }
  if (!checkShrinking(r, lists[0], lists[1], lists[2]))
    return false;
  // Nothing is left of a tensor whose axes all shrink; NNAPI leaves one.
  std::int64_t all = (std::int64_t(1) << r.rank("input")) - 1,
               shrunk = r.scalar("shrink_axis_mask") & all;
  if (shrunk == all)
    shrunk &= ~std::int64_t(1);
  Node &node = r.movedResult(r.entry.node, inputs, inputs[0]);
  node.domain = kTfliteDomain;
  node.attributes["begin_mask"] = Attribute::of(r.scalar("begin_mask"));
  node.attributes["end_mask"] = Attribute::of(r.scalar("end_mask"));
  node.attributes["shrink_axis_mask"] = Attribute::of(shrunk);
  return true;
}

bool nnapi::readSlice(OperationReader &r) {
  auto begin = r.integersOf("begin"), size = r.integersOf("size");
  if (!begin || !size)
    return false;
  Tensor *x = r.input("input");
  r.movedResult(r.entry.node,
                {x, r.integers("begin", *begin), r.integers("size", *size)}, x)
      .domain = kTfliteDomain;
  return true;
}

bool nnapi::readSplit(OperationReader &r) {
  auto axis = r.axis("axis", r.rank("input"));
  if (!axis)
    return false;
  std::int64_t parts = r.scalar("num_splits"),
               length = r.dims("input")[std::size_t(*axis)];
  if (parts != std::int64_t(r.outputs.size()) || parts < 1 ||
      length % parts != 0)
    return r.bad("the axis cannot be split into these parts",
                 std::to_string(parts) + " parts of " + std::to_string(length) +
                     " for " + std::to_string(r.outputs.size()) + " outputs",
                 "equal parts, one for each output");
  Tensor *x = r.input("input");
  r.movedResult(r.entry.node, {x}, x).attributes["axis"] = Attribute::of(*axis);
  return true;
}

bool nnapi::readTile(OperationReader &r) {
  auto multiples = r.integersOf("multiples");
  if (!multiples)
    return false;
  Tensor *x = r.input("input");
  r.movedResult(r.entry.node, {x, r.integers("multiples", *multiples)}, x);
  return true;
}

bool nnapi::readPack(OperationReader &r) {
  auto rank = rankOfList(r);
  auto axis = rank ? r.axis("axis", *rank + 1) : std::nullopt;
  if (!axis)
    return false;
  std::vector<Tensor *> inputs = r.list("inputs");
  if (std::ranges::find(inputs, nullptr) != inputs.end())
    return r.bad("an input is left out", "no tensor", "tensors");
  r.addPack(inputs, *axis, r.output(0));
  return true;
}

bool nnapi::readReverse(OperationReader &r) {
  auto axes = r.axesOf("axes", r.rank("input"));
  if (!axes)
    return false;
  Tensor *x = r.input("input");
  r.movedResult(r.entry.node, {x, r.integers("axes", *axes)}, x).domain =
      kTfliteDomain;
  return true;
}
