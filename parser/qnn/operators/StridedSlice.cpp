//===- StridedSlice.cpp - Every so many elements of each axis -------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/qnn/OpReader.h"
#include <algorithm>

using namespace yarrow;
using namespace yarrow::qnn;
using graph::Attribute;
using graph::Tensor;

namespace {

/// Ranges as the definition places them, of the input's own axes, and the
/// lengths of the result.
class Ranges {
public:
  explicit Ranges(OpReader &r) : r(r), rows(r.integers("ranges")) {}

  bool place();

  std::vector<std::int64_t> begin, end, stride, dims;
  /// Of axes that are taken backwards to their first element, before which
  /// there is no index.
  std::int64_t endMask = 0;

private:
  bool has(const char *mask, std::size_t i) const {
    // Bits beyond those of the parameter are unset.
    return i < 32 && ((r.scalar(mask) >> i) & 1) != 0;
  }
  bool placeOne(std::size_t i, std::size_t axis);

  OpReader &r;
  std::vector<std::int64_t> rows; ///< begin, end, stride of each.
};

} // namespace

bool Ranges::place() {
  std::size_t count = rows.size() / 3, axis = 0, rank = std::size_t(r.rank(0));
  for (std::size_t i = 0; i < count; ++i) {
    if (has("new_axes_mask", i)) {
      dims.push_back(1);
      continue;
    }
    if (axis >= rank || !placeOne(i, axis))
      return axis < rank ||
             r.bad("ranges has more rows than the input has axes",
                   std::to_string(count) + " rows", dimsText(r.dims(0)));
    ++axis;
  }
  return axis == rank || r.bad("ranges has too few rows",
                               std::to_string(count) + " rows, of which " +
                                   std::to_string(axis) + " are not new axes",
                               "one for each axis of " + dimsText(r.dims(0)));
}

bool Ranges::placeOne(std::size_t i, std::size_t axis) {
  std::int64_t length = r.dims(0)[axis], from = rows[3 * i],
               to = rows[3 * i + 1], step = rows[3 * i + 2];
  auto wrapped = [&](std::int64_t at) { return at < 0 ? at + length : at; };
  std::string row = "ranges, row " + std::to_string(i);
  if (has("shrink_axes", i)) {
    from = wrapped(from);
    if (from < 0 || from >= length)
      return r.bad(row + ": the begin of a removed axis is out of range",
                   std::to_string(rows[3 * i]),
                   std::to_string(-length) + " to " +
                       std::to_string(length - 1));
    begin.push_back(from);
    end.push_back(from + 1);
    stride.push_back(1);
    return true;
  }
  if (step == 0)
    return r.bad(row + ": the stride is 0", "0", "another number");
  bool isBackward = step < 0;
  std::int64_t first = isBackward ? -1 : 0,
               last = isBackward ? length - 1 : length;
  from = has("begin_mask", i)
             ? (isBackward ? last : first)
             : std::clamp<std::int64_t>(wrapped(from), 0, last);
  // Backwards an end of -1 is the place before the first element: the
  // definition permits it for that.
  if (has("end_mask", i))
    to = isBackward ? first : last;
  else if (!isBackward || to != -1)
    to = std::clamp<std::int64_t>(wrapped(to), first, last);
  std::int64_t distance = isBackward ? from - to : to - from,
               stepLength = isBackward ? -step : step;
  if (distance <= 0)
    return r.refuse(row + ": the axis has no elements left",
                    std::to_string(rows[3 * i]) + " to " +
                        std::to_string(rows[3 * i + 1]) + " by " +
                        std::to_string(step),
                    "one element or more");
  if (to < 0)
    endMask |= std::int64_t(1) << axis;
  begin.push_back(from);
  end.push_back(std::max<std::int64_t>(to, 0));
  stride.push_back(step);
  dims.push_back((distance - 1) / stepLength + 1);
  return true;
}

bool qnn::readStridedSlice(OpReader &r) {
  Ranges ranges(r);
  if (!ranges.place())
    return false;
  Tensor *x = r.input(0), *part = r.storedLike(*x, "part");
  graph::Node &node = r.add("StridedSlice",
                            {x, r.integers("begin", ranges.begin),
                             r.integers("end", ranges.end),
                             r.integers("strides", ranges.stride)},
                            {part});
  node.domain = kTfliteDomain;
  node.attributes["end_mask"] = Attribute::of(ranges.endMask);
  r.movedResult("Reshape", {part, r.integers("shape", ranges.dims)}, x);
  return true;
}
