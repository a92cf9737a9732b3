//===- Warps.cpp - Images read at given places ----------------------------===//
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

bool qnn::readGridSample(OpReader &r) {
  static constexpr const char *kOutside[] = {"ZEROS", "BORDER", "REFLECTION"};
  Formula f(r, "samples");
  std::int64_t rank = r.rank(0);
  if (rank != 4 && rank != 5)
    return r.bad("in[0] has a wrong number of axes", dimsText(r.dims(0)),
                 "4 or 5 axes");
  Shape grid(std::size_t(rank), -1);
  grid.front() = r.dims(0)[0], grid.back() = rank - 2;
  if (!f.expectDims(1, grid))
    return false;
  graph::Node &node = r.resultOf(kDomain, "GridSample", r.inputs);
  node.attributes["method"] =
      Attribute::of(std::string(r.scalar("mode") ? "NEAREST" : "BILINEAR"));
  node.attributes["padding_mode"] =
      Attribute::of(std::string(kOutside[r.scalar("padding_mode")]));
  node.attributes["align_corners"] =
      Attribute::of(std::int64_t(r.flag("align_corners")));
  return true;
}

/// What lies outside the image is 0; so are points that a division by 0 gives.
bool qnn::readImageProjectionTransform(OpReader &r) {
  Formula f(r, "projection");
  if (!f.expectRank(0, 4, "[batch,height,width,depth]"))
    return false;
  std::int64_t images = r.dims(0)[0], height = r.dims(0)[1],
               width = r.dims(0)[2],
               matrices = graph::numElements(r.dims(1)) / 8;
  if (graph::numElements(r.dims(1)) != matrices * 8 ||
      (matrices != 1 && matrices != images))
    return r.bad("in[1] has a wrong number of elements", dimsText(r.dims(1)),
                 "8, or 8 for each image");
  std::vector<Tensor *> m =
      f.split(f.reshaped(r.input(1), {matrices, 1, 1, 8}), 8, 3);
  auto coordinates = [&](std::int64_t length, std::size_t axis) {
    std::vector<float> values;
    for (std::int64_t i = 0; i < length; ++i)
      values.push_back(float(i));
    Shape shape(4, 1);
    shape[axis] = length;
    return f.numbers(shape, values);
  };
  Tensor *x = coordinates(width, 2), *y = coordinates(height, 1);
  auto sum = [&](std::size_t first, Tensor *third) {
    return f.add(f.add(f.multiply(m[first], x), f.multiply(m[first + 1], y)),
                 third);
  };
  Tensor *k = sum(6, f.number(1));
  // -1 and 1 are the outer edges of the image: ((g + 1) * length - 1) / 2.
  auto place = [&](std::size_t first, std::int64_t length) {
    Tensor *at = f.of("Div", {sum(first, m[first + 2]), k});
    return f.add(f.multiply(at, f.number(2.0 / double(length))),
                 f.number(1.0 / double(length) - 1));
  };
  Tensor *grid = f.joined({place(0, width), place(3, height)}, 3);
  if (matrices < images)
    grid = f.of("Expand", {grid, f.integers({4}, {images, height, width, 2})});
  graph::Node &node = r.resultOf(kDomain, "GridSample", {r.input(0), grid});
  node.attributes["method"] = Attribute::of(
      std::string(r.scalar("interpolation_mode") ? "NEAREST" : "BILINEAR"));
  return true;
}

namespace {

/// Windows of images at offsets.
class Glimpses {
public:
  explicit Glimpses(OpReader &r) : f(r, "glimpse"), r(r) {}
  bool readForm();
  void write();

private:
  /// The first row or column that a window has, as a factor and a summand of
  /// the offset.
  std::pair<double, double> start(std::size_t axis) const;
  bool liesInside() const;
  /// Rows or columns of windows, [images, size], and whether the image has
  /// them.
  std::pair<Tensor *, Tensor *> placesOf(std::size_t axis);

  Formula f;
  OpReader &r;
  std::vector<std::int64_t> size;
};

} // namespace

std::pair<double, double> Glimpses::start(std::size_t axis) const {
  auto length = double(r.dims(0)[axis + 1]);
  bool isCentred = r.flag("centered");
  if (!r.flag("normalized"))
    return {1, isCentred ? length / 2 : 0};
  if (!isCentred)
    return {length, 0};
  // The offset is that of the window's centre.
  return {length / 2, length / 2 - double(size[axis]) / 2};
}

/// Of offsets that are known.
bool Glimpses::liesInside() const {
  const auto &offsets = r.input(1)->constant;
  if (!offsets)
    return false;
  graph::Constant real =
      r.input(1)->quantization
          ? graph::realConstant(*offsets, *r.input(1)->quantization)
          : *offsets;
  for (std::int64_t i = 0; i < real.numElements(); ++i) {
    auto axis = std::size_t(i % 2);
    auto [factor, summand] = start(axis);
    auto first = std::int64_t(real.numberAt(i) * factor + summand);
    if (first < 0 || first + size[axis] > r.dims(0)[axis + 1])
      return false;
  }
  return true;
}

bool Glimpses::readForm() {
  size = r.integers("size");
  if (!f.expectRank(0, 4, "[batch, height, width, channel]") ||
      !f.expectDims(1, {r.dims(0)[0], 2}))
    return false;
  if (size[0] < 1 || size[1] < 1)
    return r.bad("a glimpse has no pixels", dimsText(size), "1 or more");
  constexpr std::int64_t kZeroes = 2;
  if (r.scalar("noise") != kZeroes && !liesInside())
    return r.refuse("noise outside the image, which differs from run to run, "
                    "is not supported",
                    r.scalar("noise") ? "noise Gaussian" : "noise Uniform",
                    "noise Zeroes, or static offsets of glimpses that are "
                    "inside the image");
  return f.expectOutput(0, {r.dims(0)[0], size[0], size[1], r.dims(0)[3]});
}

std::pair<Tensor *, Tensor *> Glimpses::placesOf(std::size_t axis) {
  auto [factor, summand] = start(axis);
  Tensor *offset =
      f.sliced(f.real(1), 1, std::int64_t(axis), std::int64_t(axis) + 1);
  Tensor *first =
      f.cast(f.add(f.multiply(offset, f.number(factor)), f.number(summand)),
             ElementType::I32);
  std::int64_t length = r.dims(0)[axis + 1];
  Tensor *at = f.add(first, f.counting(size[axis], 2, 1)),
         *isInside = f.of("And", {f.of("GreaterOrEqual", {at, f.integer(0)}),
                                  f.of("Less", {at, f.integer(length)})});
  at = f.of("Min", {f.of("Max", {at, f.integer(0)}), f.integer(length - 1)});
  return {at, isInside};
}

/// Offsets between pixels are cut towards zero, as the operation that the
/// definition refers to does.
void Glimpses::write() {
  std::int64_t images = r.dims(0)[0], height = r.dims(0)[1],
               width = r.dims(0)[2], channels = r.dims(0)[3];
  auto [rows, isRow] = placesOf(0);
  auto [columns, isColumn] = placesOf(1);
  std::vector<std::int64_t> starts;
  for (std::int64_t n = 0; n < images; ++n)
    starts.push_back(n * height);
  rows = f.multiply(f.add(rows, f.integers({images, 1}, starts)),
                    f.integer(width));
  Tensor *at = f.add(f.reshaped(rows, {images, size[0], 1}),
                     f.reshaped(columns, {images, 1, size[1]}));
  Tensor *pixels = f.gathered(
      f.reshaped(f.real(0), {images * height * width, channels}), at, 0);
  Tensor *isInside =
      f.of("And", {f.reshaped(isRow, {images, size[0], 1, 1}),
                   f.reshaped(isColumn, {images, 1, size[1], 1})});
  f.write(f.chosen(isInside, pixels, f.number(0)), 0);
}

bool qnn::readExtractGlimpse(OpReader &r) {
  Glimpses glimpses(r);
  if (!glimpses.readForm())
    return false;
  glimpses.write();
  return true;
}
