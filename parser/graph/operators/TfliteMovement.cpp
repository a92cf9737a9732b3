//===- TfliteMovement.cpp - Movement as TFLite says it --------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/graph/OperatorTable.h"
#include "parser/graph/operators/GatherKeys.h"
#include "parser/graph/operators/Scalars.h"
#include <algorithm>

using namespace yarrow;
using namespace yarrow::graph;
using namespace mlir;

namespace {
/// A part of a tensor: an entry for each of its axes, in bounds.
struct Part {
  Shape begin, end, stride;

  explicit Part(const Shape &whole)
      : begin(whole.size(), 0), end(whole), stride(whole.size(), 1) {}
};
} // namespace

static Value sliceOf(NodeEmitter &n, Value x, const Part &part) {
  if (!x || (part.begin == Shape(part.begin.size(), 0) &&
             ArrayRef(part.end) == shapeOf(x) &&
             part.stride == Shape(part.begin.size(), 1)))
    return x;
  return n.layer(
      "Slice", {x},
      {{"begin", part.begin}, {"end", part.end}, {"strides", part.stride}});
}

LogicalResult graph::emitTfliteSlice(NodeEmitter &n) {
  auto begin = n.integers(1, "the list of starts"),
       size = n.integers(2, "the list of sizes");
  if (failed(begin) || failed(size))
    return failure();
  Part part(n.shape(0));
  bool fits =
      begin->size() == part.begin.size() && size->size() == begin->size();
  for (size_t a = 0; fits && a < begin->size(); ++a) {
    int64_t length = n.shape(0)[a], from = (*begin)[a];
    // -1: all that is left.
    int64_t count = (*size)[a] == -1 ? length - from : (*size)[a];
    fits = from >= 0 && from < length && count >= 1 && count <= length - from;
    part.begin[a] = from;
    part.end[a] = from + count;
  }
  if (!fits)
    return n.bad("the part is not within the input",
                 shapeText(*begin) + ", sizes " + shapeText(*size),
                 "a part of " + shapeText(n.shape(0)));
  return n.outPlain(0, sliceOf(n, n.plain(0), part));
}

namespace {

/// STRIDED_SLICE: an entry of its lists is about an axis of the input, unless a
/// mask says that it is none (new_axis) or many (ellipsis).
class StridedSlice {
public:
  StridedSlice(NodeEmitter &n, std::vector<int64_t> begin,
               std::vector<int64_t> end, std::vector<int64_t> stride)
      : n(n), begin(std::move(begin)), end(std::move(end)),
        stride(std::move(stride)), part(n.shape(0)) {}

  LogicalResult emit() {
    for (size_t i = 0; i < begin.size(); ++i)
      if (failed(visit(i)))
        return failure();
    skip(part.begin.size() - axis);
    Value x = sliceOf(n, n.plain(0), part);
    if (!x)
      return failure();
    Shape shape;
    for (int64_t from : kept)
      shape.push_back(from < 0 ? 1 : shapeOf(x)[size_t(from)]);
    return n.outPlain(0, n.build.reshape(x, shape));
  }

private:
  bool has(const char *mask, size_t i) const {
    return (n.node.integer(mask, 0) >> i) & 1;
  }
  /// Axes that are taken whole.
  void skip(size_t count) {
    for (; count; --count)
      kept.push_back(int64_t(axis++));
  }

  LogicalResult visit(size_t i) {
    if (has("ellipsis_mask", i)) {
      // As many as the entries behind it leave.
      size_t after = 0;
      for (size_t k = i + 1; k < begin.size(); ++k)
        after += !has("new_axis_mask", k);
      if (axis + after <= part.begin.size())
        skip(part.begin.size() - axis - after);
      return success();
    }
    if (has("new_axis_mask", i)) {
      kept.push_back(-1);
      return success();
    }
    if (axis >= part.begin.size())
      return n.bad("the lists have more entries than the input has axes",
                   std::to_string(begin.size()) + " entries",
                   shapeText(n.shape(0)));
    return cut(i);
  }

  LogicalResult cut(size_t i) {
    int64_t length = n.shape(0)[axis], step = stride[i];
    auto wrapped = [&](int64_t at) { return at < 0 ? at + length : at; };
    if (has("shrink_axis_mask", i)) {
      int64_t at = wrapped(begin[i]);
      if (at < 0 || at >= length)
        return n.bad("an index is out of range", std::to_string(begin[i]),
                     std::to_string(-length) + " to " +
                         std::to_string(length - 1));
      part.begin[axis] = at;
      part.end[axis++] = at + 1;
      return success();
    }
    if (step == 0)
      return n.bad("a step is 0", "0", "another number");
    int64_t last = step > 0 ? length : length - 1, first = step > 0 ? 0 : -1;
    int64_t from =
        has("begin_mask", i)
            ? (step > 0 ? 0 : length - 1)
            : std::clamp<int64_t>(wrapped(begin[i]), step > 0 ? 0 : -1, last);
    int64_t limit = n.node.integer("offset", 0) ? begin[i] + end[i] : end[i];
    int64_t to = has("end_mask", i)
                     ? (step > 0 ? length : -1)
                     : std::clamp<int64_t>(wrapped(limit), first, last);
    if (step > 0 ? from >= to : from <= to)
      return n.refuse("an empty result is not supported",
                      "from " + std::to_string(from) + " to " +
                          std::to_string(to),
                      "one element or more");
    part.begin[axis] = from;
    // Before the first element there is no index but a far one.
    part.end[axis] = to < 0 ? -length - 1 : to;
    part.stride[axis] = std::clamp<int64_t>(step, -length, length);
    kept.push_back(int64_t(axis++));
    return success();
  }

  NodeEmitter &n;
  std::vector<int64_t> begin, end, stride;
  Part part;
  size_t axis = 0;
  std::vector<int64_t> kept; ///< Axes of the result; -1: a new one.
};

} // namespace

LogicalResult graph::emitTfliteStridedSlice(NodeEmitter &n) {
  auto begin = n.integers(1, "the list of starts"),
       end = n.integers(2, "the list of ends"),
       stride = n.integers(3, "the list of steps");
  if (failed(begin) || failed(end) || failed(stride))
    return failure();
  constexpr size_t kMost = 16; // bits of a mask that can be meant
  if (begin->size() != end->size() || begin->size() != stride->size() ||
      begin->size() > kMost)
    return n.bad("starts, ends and steps differ in length",
                 std::to_string(begin->size()) + ", " +
                     std::to_string(end->size()) + " and " +
                     std::to_string(stride->size()),
                 "one for each axis");
  return StridedSlice(n, *begin, *end, *stride).emit();
}

LogicalResult graph::emitTfliteMirrorPad(NodeEmitter &n) {
  auto pads = n.integers(1, "the list of pads");
  if (failed(pads))
    return failure();
  constexpr int64_t kReflect = 0;
  bool isReflect = n.node.integer("mode", kReflect) == kReflect;
  bool fits = pads->size() == 2 * n.shape(0).size();
  Key::Rows rows;
  for (size_t a = 0; fits && a < n.shape(0).size(); ++a) {
    rows.push_back({(*pads)[2 * a], (*pads)[2 * a + 1]});
    for (int64_t pad : rows.back())
      fits &= pad >= 0 && pad <= n.shape(0)[a] - (isReflect ? 1 : 0);
  }
  if (!fits)
    return n.bad("the pads do not match the input", shapeText(*pads),
                 "two for each axis of " + shapeText(n.shape(0)) +
                     ", no longer than the axis");
  if (std::ranges::all_of(*pads, [](int64_t pad) { return pad == 0; }))
    return n.outPlain(0, n.plain(0));
  return n.outPlain(0, n.layer("Pad", {n.plain(0)},
                               {{"mode", isReflect ? "REFLECT" : "SYMMETRIC"},
                                {"pads", rows}}));
}

LogicalResult graph::emitTfliteReverse(NodeEmitter &n) {
  auto axes = n.integers(1, "the list of axes");
  if (failed(axes))
    return failure();
  Part part(n.shape(0));
  for (int64_t given : *axes) {
    auto axis = n.wrapped(given, n.rank(0));
    if (failed(axis))
      return failure();
    int64_t length = n.shape(0)[size_t(*axis)];
    part.begin[size_t(*axis)] = length - 1;
    part.end[size_t(*axis)] = -length - 1; // before the first element
    part.stride[size_t(*axis)] = -1;
  }
  return n.outPlain(0, sliceOf(n, n.plain(0), part));
}

/// The input with a part of it replaced: what lies before and behind the part,
/// axis by axis from the innermost.
LogicalResult graph::emitTfliteUpdateSlice(NodeEmitter &n) {
  auto starts = n.integers(2, "the position of the update");
  if (failed(starts))
    return failure();
  const Shape &whole = n.shape(0), &update = n.shape(1);
  bool fits = update.size() == whole.size() && starts->size() == whole.size();
  for (size_t a = 0; fits && a < whole.size(); ++a) {
    fits = update[a] <= whole[a];
    // The update is moved to lie inside.
    (*starts)[a] = std::clamp<int64_t>(
        (*starts)[a], 0, std::max<int64_t>(whole[a] - update[a], 0));
  }
  if (!fits)
    return n.bad("the update is not within the input", shapeText(update),
                 "a part of " + shapeText(whole));
  Value x = n.plain(0), y = n.plain(1);
  if (!x || !y)
    return failure();
  for (size_t a = whole.size(); a-- > 0;) {
    // The part along the axes in front, all of those behind.
    Part part(whole);
    for (size_t k = 0; k < a; ++k) {
      part.begin[k] = (*starts)[k];
      part.end[k] = (*starts)[k] + update[k];
    }
    SmallVector<Value> row;
    auto add = [&](int64_t from, int64_t to) {
      if (from == to)
        return;
      part.begin[a] = from;
      part.end[a] = to;
      row.push_back(sliceOf(n, x, part));
    };
    add(0, (*starts)[a]);
    row.push_back(y);
    add((*starts)[a] + update[a], whole[a]);
    y = row.size() == 1 ? y : n.layer("Concat", row, {{"axis", int64_t(a)}});
    if (!y)
      return failure();
  }
  return n.outPlain(0, y);
}

LogicalResult graph::emitTfliteGather(NodeEmitter &n) {
  auto axis = n.axis("axis", 0);
  int64_t batches = n.node.integer("batch_dims", 0);
  if (failed(axis))
    return failure();
  if (batches < 0)
    batches += n.rank(1);
  if (batches < 0 || batches > *axis || batches > n.rank(1))
    return n.bad("the number of batch axes is out of range",
                 std::to_string(n.node.integer("batch_dims", 0)),
                 "at most the axis, " + std::to_string(*axis));
  return n.outPlain(0, n.layer("Gather", {n.plain(0), n.plain(1)},
                               gatherKeys(n, *axis, batches)));
}
