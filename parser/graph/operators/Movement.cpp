//===- Movement.cpp - Operators that move values --------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/graph/OperatorTable.h"
#include "parser/graph/operators/Scalars.h"
#include "llvm/ADT/StringExtras.h"
#include <algorithm>

using namespace yarrow;
using namespace yarrow::graph;
using namespace mlir;

LogicalResult graph::emitConcat(NodeEmitter &n) {
  auto axis = n.axis("axis", 0);
  if (failed(axis))
    return failure();
  SmallVector<Value> parts;
  for (size_t i = 0; i < n.node.inputs.size(); ++i) {
    if (!n.has(i))
      return n.bad("an input is left out", "input " + std::to_string(i),
                   "tensors");
    if (n.rank(i) != n.rank(0))
      return n.bad("inputs differ in their number of axes",
                   shapeText(n.shape(i)), shapeText(n.shape(0)));
    // An empty one adds nothing.
    if (numElements(n.shape(i)) != 0)
      parts.push_back(n.in(i));
  }
  if (parts.empty())
    return n.constant(0) ? n.outConstant(0, *n.constant(0)) : failure();
  if (parts.size() == 1)
    return n.out(0, parts.front());
  return n.out(0, n.layer("Concat", parts, {{"axis", *axis}}));
}

LogicalResult graph::emitSplit(NodeEmitter &n) {
  auto front = n.wrapped(n.node.integer("axis", 0), n.rank(0));
  if (failed(front))
    return failure();
  int64_t length = n.shape(0)[size_t(*front)];
  auto count = int64_t(n.node.outputs.size());
  std::vector<int64_t> splits;
  if (n.has(1)) {
    auto given = n.integers(1, "the list of lengths");
    if (failed(given))
      return failure();
    splits = *given;
  } else {
    // Equal parts, of which the last may be smaller.
    int64_t part = (length + count - 1) / std::max<int64_t>(count, 1);
    for (int64_t i = 0, left = length; i < count; ++i, left -= splits.back())
      splits.push_back(std::min(part, std::max<int64_t>(left, 0)));
  }
  int64_t sum = 0;
  for (int64_t s : splits)
    sum += s;
  if (int64_t(splits.size()) != count || sum != length)
    return n.bad("the lengths of the parts do not add up to the input",
                 shapeText(splits) + " for " + std::to_string(count) +
                     " outputs",
                 "lengths whose sum is " + std::to_string(length));
  if (llvm::is_contained(splits, 0) && llvm::is_contained(splits, length)) {
    // All in one part; nobody can read the others' elements.
    for (size_t i = 0; i < splits.size(); ++i) {
      Shape none = n.shape(0);
      none[size_t(*front)] = 0;
      if (splits[i] == 0 ? failed(n.outConstant(i, {n.type(0), none}))
                         : failed(n.out(i, n.in(0))))
        return failure();
    }
    return success();
  }
  if (llvm::is_contained(splits, 0))
    return n.refuse("an empty part is not supported", shapeText(splits),
                    "parts of one element or more");
  Value x = n.in(0);
  if (!x)
    return failure();
  if (count == 1)
    return n.out(0, x);
  SmallVector<compass::DType> types(splits.size(), elementOf(x));
  SmallVector<Value> parts = n.build.layers(
      "Split", {x}, {{"axis", n.placed(*front, n.rank(0))}, {"splits", splits}},
      types);
  for (size_t i = 0; i < parts.size(); ++i)
    if (failed(n.out(i, parts[i])))
      return failure();
  return success();
}

LogicalResult graph::emitSlice(NodeEmitter &n) {
  std::vector<int64_t> lists[4];
  static const char *const what[] = {"the list of starts", "the list of ends",
                                     "the list of axes", "the list of steps"};
  for (size_t i = 0; i < 4; ++i)
    if (n.has(i + 1)) {
      auto given = n.integers(i + 1, what[i]);
      if (failed(given))
        return failure();
      lists[i] = *given;
    }
  auto &[starts, ends, axes, steps] = lists;
  if (axes.empty())
    for (size_t i = 0; i < starts.size(); ++i)
      axes.push_back(int64_t(i));
  if (steps.empty())
    steps.assign(starts.size(), 1);
  if (ends.size() != starts.size() || axes.size() != starts.size() ||
      steps.size() != starts.size())
    return n.bad("starts, ends, axes and steps differ in length",
                 std::to_string(starts.size()) + " starts", "one per axis");
  Shape begin(n.shape(0).size(), 0), end = n.shape(0), stride(begin.size(), 1);
  for (size_t i = 0; i < starts.size(); ++i) {
    auto axis = n.wrapped(axes[i], n.rank(0));
    if (failed(axis))
      return failure();
    int64_t length = n.shape(0)[size_t(*axis)], step = steps[i];
    if (step == 0)
      return n.bad("a step is 0", "0", "another number");
    // Limits beyond the ends mean the ends; a negative one counts from behind.
    auto placed = [&](int64_t at, int64_t least, int64_t most) {
      if (at < 0)
        at += length;
      return std::clamp(at, least, most);
    };
    int64_t b = step > 0 ? placed(starts[i], 0, length)
                         : placed(starts[i], 0, length - 1);
    int64_t e =
        step > 0 ? placed(ends[i], 0, length) : placed(ends[i], -1, length - 1);
    if ((step > 0 ? b >= e : b <= e) && n.constant(0)) {
      // A shape computation may well be empty.
      Shape none = n.shape(0);
      none[size_t(*axis)] = 0;
      return n.outConstant(0, {n.constant(0)->type, none});
    }
    if (step > 0 ? b >= e : b <= e)
      return n.refuse("an empty result is not supported",
                      "from " + std::to_string(b) + " to " + std::to_string(e),
                      "one element or more");
    begin[size_t(*axis)] = b;
    // Before the first element there is no index but a far one.
    end[size_t(*axis)] = e < 0 ? -length - 1 : e;
    stride[size_t(*axis)] = std::clamp<int64_t>(step, -length, length);
  }
  if (begin == Shape(begin.size(), 0) && end == n.shape(0) &&
      stride == Shape(begin.size(), 1))
    return n.out(0, n.in(0));
  return n.out(0, n.layer("Slice", {n.in(0)},
                          {{"begin", n.placedList(begin)},
                           {"end", n.placedList(end)},
                           {"strides", n.placedList(stride)}}));
}

LogicalResult graph::emitPad(NodeEmitter &n) {
  auto pads = n.integers(1, "the list of pads");
  if (failed(pads))
    return failure();
  std::vector<int64_t> axes;
  if (n.has(3)) {
    auto given = n.integers(3, "the list of axes");
    if (failed(given))
      return failure();
    axes = *given;
  } else {
    for (int64_t i = 0; i < n.rank(0); ++i)
      axes.push_back(i);
  }
  if (pads->size() != 2 * axes.size())
    return n.bad("pads has a wrong length", std::to_string(pads->size()),
                 std::to_string(2 * axes.size()));
  Key::Rows rows(n.shape(0).size(), {0, 0});
  Shape begin(rows.size(), 0), end = n.shape(0);
  bool crops = false, grows = false;
  for (size_t i = 0; i < axes.size(); ++i) {
    auto axis = n.wrapped(axes[i], n.rank(0));
    if (failed(axis))
      return failure();
    int64_t before = (*pads)[i], after = (*pads)[axes.size() + i];
    auto a = size_t(*axis);
    crops |= before < 0 || after < 0;
    grows |= before > 0 || after > 0;
    begin[a] = std::max<int64_t>(-before, 0);
    end[a] -= std::max<int64_t>(-after, 0);
    if (begin[a] >= end[a])
      return n.refuse("an axis has no elements left", shapeText(*pads),
                      "one element or more");
    rows[a] = {std::max<int64_t>(before, 0), std::max<int64_t>(after, 0)};
  }
  Value x = n.in(0);
  if (crops) // a negative pad cuts off
    x = n.layer("Slice", {x},
                {{"begin", n.placedList(begin)},
                 {"end", n.placedList(end)},
                 {"strides", Shape(begin.size(), 1)}});
  if (!grows)
    return n.out(0, x);
  std::string mode = n.node.text("mode", "constant");
  // The border repeats: a layer's SYMMETRIC does for pads of one element.
  static const std::map<std::string, const char *> modes = {
      {"constant", "CONSTANT"}, {"reflect", "REFLECT"}, {"wrap", "WRAP"}};
  if (mode == "edge") {
    for (size_t a = 0; a < rows.size() && x; ++a)
      for (bool isAfter : {false, true}) {
        int64_t count = rows[a][isAfter];
        if (count == 0)
          continue;
        int64_t axis = n.placed(int64_t(a), n.rank(0));
        Shape from(rows.size(), 0), to(shapeOf(x)), repeats(rows.size(), 1);
        int64_t length = to[size_t(axis)];
        from[size_t(axis)] = isAfter ? length - 1 : 0;
        to[size_t(axis)] = from[size_t(axis)] + 1;
        repeats[size_t(axis)] = count;
        Value edge = n.layer(
            "Slice", {x},
            {{"begin", from}, {"end", to}, {"strides", Shape(rows.size(), 1)}});
        if (count > 1)
          edge = n.layer("Tile", {edge}, {{"repeats", repeats}});
        x = n.layer("Concat",
                    isAfter ? ValueRange({x, edge}) : ValueRange({edge, x}),
                    {{"axis", axis}});
        if (!x)
          return failure();
      }
    return n.out(0, x);
  }
  auto word = modes.find(mode);
  if (word == modes.end())
    return n.bad("unknown mode", mode, "constant, reflect, edge or wrap");
  double value = 0;
  if (n.has(2)) {
    auto given = n.numbers(2, "the value of the border");
    if (failed(given))
      return failure();
    value = given->empty() ? 0 : given->front();
  }
  Keys keys = {{"mode", word->second}, {"pads", n.placedList(rows)}};
  if (mode == "constant") {
    if (isFloat(x))
      keys.push_back({"constant_value", value});
    else
      keys.push_back({"constant_value", int64_t(value)});
  }
  return n.out(0, n.layer("Pad", {x}, keys));
}

LogicalResult graph::emitTranspose(NodeEmitter &n) {
  std::vector<int64_t> perm = n.node.integers("perm");
  if (perm.empty())
    for (int64_t axis = n.rank(0); axis-- > 0;)
      perm.push_back(axis);
  std::vector<int64_t> sorted = perm;
  llvm::sort(sorted);
  for (size_t i = 0; i < sorted.size(); ++i)
    if (sorted.size() != n.shape(0).size() || sorted[i] != int64_t(i))
      return n.bad("perm is not a permutation of the axes", shapeText(perm),
                   "each axis of " + shapeText(n.shape(0)) + " once");
  // Where a tensor is there with channels last, moving them there is free.
  if (perm.size() > 2 && perm == lastPerm(perm.size()))
    return n.outPlain(0, n.last(0));
  if (perm.size() > 2 && perm == firstPerm(perm.size()))
    return n.outLast(0, n.plain(0));
  return n.out(0, n.build.transpose(n.plain(0), perm));
}

/// A Tile, or two of them: of more copies than the key has, those of copies.
static Value tiled(NodeEmitter &n, Value x, Shape repeats) {
  constexpr int64_t kMost = 65535;
  Shape first(repeats.size(), 1);
  for (auto [all, some] : llvm::zip_equal(repeats, first))
    for (int64_t d = all > kMost ? kMost : 1; d > 1; --d)
      if (all % d == 0 && all / d <= kMost) {
        some = d, all /= d;
        break;
      }
  if (llvm::any_of(first, [](int64_t copies) { return copies > 1; }))
    x = n.layer("Tile", {x}, {{"repeats", first}});
  return n.layer("Tile", {x}, {{"repeats", repeats}});
}

LogicalResult graph::emitTile(NodeEmitter &n) {
  auto repeats = n.integers(1, "the list of repeats");
  if (failed(repeats))
    return failure();
  if (repeats->size() != n.shape(0).size())
    return n.bad("repeats has a wrong length", shapeText(*repeats),
                 "one number for each axis of " + shapeText(n.shape(0)));
  if (llvm::all_of(*repeats, [](int64_t r) { return r == 1; }))
    return n.out(0, n.plain(0));
  return n.out(0, tiled(n, n.plain(0), *repeats));
}

LogicalResult graph::emitExpand(NodeEmitter &n) {
  auto wanted = n.integers(1, "the shape");
  if (failed(wanted))
    return failure();
  Shape from = n.shape(0), to = *wanted, repeats;
  if (to.size() > from.size())
    from.insert(from.begin(), to.size() - from.size(), 1);
  if (from.size() > to.size())
    to.insert(to.begin(), from.size() - to.size(), 1);
  bool isSame = true;
  for (size_t i = 0; i < from.size(); ++i) {
    if (from[i] != to[i] && from[i] != 1 && to[i] != 1)
      return n.bad("the shape does not broadcast", shapeText(*wanted),
                   "lengths that are equal or 1: " + shapeText(n.shape(0)));
    repeats.push_back(from[i] == 1 ? to[i] : 1);
    isSame &= repeats.back() == 1;
  }
  Value x = n.build.reshape(n.plain(0), from);
  return n.out(0, isSame ? x : tiled(n, x, repeats));
}

LogicalResult graph::emitDepthToSpace(NodeEmitter &n) {
  int64_t size = n.node.integer("blocksize", 0);
  return n.outLast(0, n.layer("DepthToSpace", {n.last(0)},
                              {{"mode", n.node.text("mode", "DCR")},
                               {"block_size_x", size},
                               {"block_size_y", size}}));
}

LogicalResult graph::emitSpaceToDepth(NodeEmitter &n) {
  int64_t size = n.node.integer("blocksize", 0);
  return n.outLast(0,
                   n.layer("SpaceToDepth", {n.last(0)},
                           {{"block_size_x", size}, {"block_size_y", size}}));
}

LogicalResult graph::emitChannelShuffle(NodeEmitter &n) {
  return n.outLast(
      0, n.layer("ChannelShuffle", {n.last(0)},
                 {{"group", n.node.integer("group", 1)}, {"splits", 1}}));
}
