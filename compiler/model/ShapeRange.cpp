//===- ShapeRange.cpp - Inputs of several shapes --------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/model/ShapeRange.h"
#include "support/diagnostics/Import.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

using namespace yarrow;
using llvm::StringRef;

/// The lengths of an axis, ascending.
using AxisLengths = std::vector<std::int64_t>;

static bool isLength(StringRef text, std::int64_t &length) {
  constexpr std::int64_t kMost = std::int64_t(1) << 31;
  return !text.trim().getAsInteger(10, length) && length > 0 && length < kMost;
}

/// "8", "8..64" or "8..64/8" behind what is there. False if it is none of them,
/// or too long a range.
static bool addLengths(StringRef text, AxisLengths &lengths) {
  std::int64_t first = 0, last = 0, step = 1;
  if (!text.contains("..")) {
    lengths.push_back(0);
    return isLength(text, lengths.back());
  }
  auto [firstText, rest] = text.split("..");
  auto [lastText, stepText] = rest.split('/');
  if (!isLength(firstText, first) || !isLength(lastText, last) ||
      (rest.contains('/') && !isLength(stepText, step)))
    return false;
  for (; first <= last && lengths.size() <= kMaxShapeVariants; first += step)
    lengths.push_back(first);
  return true;
}

/// Empty if it is no axis.
static AxisLengths axisOf(StringRef text) {
  AxisLengths lengths;
  llvm::SmallVector<StringRef> pieces;
  text.split(pieces, ':');
  for (StringRef piece : pieces)
    if (!addLengths(piece, lengths))
      return {};
  bool isAscending =
      std::is_sorted(lengths.begin(), lengths.end(), std::less_equal<>());
  return isAscending ? lengths : AxisLengths();
}

namespace {
struct InputRange {
  std::string name;
  std::vector<AxisLengths> axes;
};
} // namespace

static std::optional<InputRange> inputRangeOf(StringRef text) {
  auto [name, axes] = text.rsplit('=');
  InputRange range{name.str(), {}};
  llvm::SmallVector<StringRef> pieces;
  axes.split(pieces, ',');
  for (StringRef piece : pieces) {
    range.axes.push_back(axisOf(piece));
    if (range.axes.back().empty())
      return std::nullopt;
  }
  return name.empty() || axes.empty() ? std::nullopt : std::optional(range);
}

std::optional<std::vector<graph::ImportOptions>>
yarrow::shapeVariants(const graph::ImportOptions &options,
                      const std::vector<std::string> &ranges,
                      DiagnosticEngine &diags) {
  bool ok = true;
  std::vector<InputRange> inputs;
  std::size_t count = 1;
  for (const std::string &text : ranges) {
    std::optional<InputRange> input = inputRangeOf(text);
    if (!input) {
      ok = false;
      diags
          .report(diag::ImportInputShape, {"--input-shape-range"},
                  "not a name and a shape with ranges")
          .found(text)
          .expected("NAME=AXIS,..., each a length, FIRST..LAST/STEP or "
                    "A:B:C ascending, such as x=1,3,160..224/32,160..224/32");
      continue;
    }
    for (const AxisLengths &axis : input->axes) {
      if (axis.size() > 1 && count > 1 && axis.size() != count) {
        ok = false;
        diags
            .report(diag::ImportInputShape, {"--input-shape-range"},
                    "axes that change together need equally many lengths")
            .found(std::to_string(axis.size()) + " in " + text)
            .expected("1 or " + std::to_string(count))
            .hint("all axes with several lengths take their first length "
                  "together, then their second, and so on");
      }
      count = std::max(count, axis.size());
    }
    inputs.push_back(std::move(*input));
  }
  if (count > kMaxShapeVariants) {
    ok = false;
    diags
        .report(diag::ImportInputShape, {"--input-shape-range"},
                "too many shapes for one executable")
        .found("more than " + std::to_string(kMaxShapeVariants))
        .expected("at most " + std::to_string(kMaxShapeVariants) +
                  ": each has its own program")
        .hint("use a larger step, as in 16..1024/16");
  }
  if (!ok)
    return std::nullopt;
  std::vector<graph::ImportOptions> variants(count, options);
  for (std::size_t i = 0; i < count; ++i)
    for (const InputRange &input : inputs) {
      graph::Shape shape;
      for (const AxisLengths &axis : input.axes)
        shape.push_back(axis[axis.size() > 1 ? i : 0]);
      variants[i].shapes[input.name] = std::move(shape);
    }
  return variants;
}
