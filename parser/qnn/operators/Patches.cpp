//===- Patches.cpp - Windows of images as columns -------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// All windows are one Gather of pixels whose places are known.
//
//===----------------------------------------------------------------------===//
#include "parser/qnn/operators/Formulas.h"
#include <algorithm>
#include <array>

using namespace yarrow;
using namespace yarrow::qnn;
using graph::Attribute;
using graph::Shape;
using graph::Tensor;

namespace {

/// Windows along rows and along columns.
struct Windows {
  std::array<std::int64_t, 2> kernel, stride, dilation, before, after, count;

  std::int64_t cells() const { return kernel[0] * kernel[1]; }
  std::int64_t numWindows() const { return count[0] * count[1]; }
  std::int64_t span(std::size_t axis) const {
    return (kernel[axis] - 1) * dilation[axis] + 1;
  }
};

using Lengths = std::array<std::int64_t, 2>;

Lengths lengthsOf(const OpReader &r, const char *param) {
  std::vector<std::int64_t> values = r.integers(param);
  return {values[0], values[1]};
}

} // namespace

/// kernel_size, stride, dilation and pad_amount over an image of \p lengths.
static std::optional<Windows> paddedWindows(OpReader &r, Lengths lengths) {
  std::vector<std::int64_t> pads = r.integers("pad_amount");
  Windows w{lengthsOf(r, "kernel_size"), lengthsOf(r, "stride"),
            lengthsOf(r, "dilation"),    {pads[0], pads[2]},
            {pads[1], pads[3]},          {}};
  for (std::size_t axis : {0, 1}) {
    std::int64_t padded = lengths[axis] + w.before[axis] + w.after[axis];
    if (w.span(axis) > padded) {
      r.bad("the kernel is larger than the image", std::to_string(w.span(axis)),
            std::to_string(padded) + " or less");
      return std::nullopt;
    }
    w.count[axis] = (padded - w.span(axis)) / w.stride[axis] + 1;
  }
  return w;
}

/// The pixels of [batch, height, width, channel] that windows have, by rows of
/// \p places in an image with the pads around it: [batch, places, channel].
static Tensor *pixelsOf(Formula &f, const Windows &w,
                        const std::vector<std::int64_t> &places) {
  OpReader &r = f.r;
  Tensor *x = r.input(0);
  Shape dims = r.dims(0);
  if (w.before != Lengths{0, 0} || w.after != Lengths{0, 0}) {
    x = f.moved(x, "Pad",
                {x, r.padsOf({0, 0, w.before[0], w.after[0], w.before[1],
                              w.after[1], 0, 0})});
    dims[1] += w.before[0] + w.after[0];
    dims[2] += w.before[1] + w.after[1];
  }
  Tensor *rows = f.movedTo(x, {dims[0], dims[1] * dims[2], dims[3]});
  return f.moved(x, "Gather",
                 {rows, f.integers({std::int64_t(places.size())}, places)},
                 {{"axis", Attribute::of(std::int64_t(1))}});
}

/// Of cell \p cell of window \p window, row by row.
static std::int64_t placeOf(const Windows &w, std::int64_t width,
                            std::int64_t window, std::int64_t cell) {
  std::int64_t y = window / w.count[1] * w.stride[0] +
                   cell / w.kernel[1] * w.dilation[0],
               x = window % w.count[1] * w.stride[1] +
                   cell % w.kernel[1] * w.dilation[1];
  return y * (width + w.before[1] + w.after[1]) + x;
}

bool qnn::readIm2Col(OpReader &r) {
  Formula f(r, "columns");
  if (!f.expectRank(0, 4, "[batch, height, width, channel]"))
    return false;
  const Shape &dims = r.dims(0);
  auto w = paddedWindows(r, {dims[1], dims[2]});
  if (!w ||
      !f.expectOutput(0, {dims[0], dims[3] * w->cells(), w->numWindows()}))
    return false;
  std::vector<std::int64_t> places;
  for (std::int64_t cell = 0; cell < w->cells(); ++cell)
    for (std::int64_t window = 0; window < w->numWindows(); ++window)
      places.push_back(placeOf(*w, dims[2], window, cell));
  Tensor *pixels = pixelsOf(f, *w, places);
  pixels = r.transposed(pixels, {0, 2, 1}, "by_channel");
  r.reshapeTo(pixels, 0);
  return true;
}

/// Around the image there are as many zeros before it as behind, one less where
/// they are odd, as the operation that the definition refers to has it: its
/// words on patches that begin inside the image are that operation's, too.
static Windows patchesOf(const OpReader &r) {
  Windows w{lengthsOf(r, "size"),
            lengthsOf(r, "stride"),
            lengthsOf(r, "rate"),
            {},
            {},
            {}};
  bool isSame = r.scalar("padding") != 0;
  for (std::size_t axis : {0, 1}) {
    std::int64_t length = r.dims(0)[axis + 1], span = w.span(axis);
    if (!isSame) {
      w.count[axis] = length < span ? 0 : (length - span) / w.stride[axis] + 1;
      continue;
    }
    w.count[axis] = (length + w.stride[axis] - 1) / w.stride[axis];
    std::int64_t missing = std::max<std::int64_t>(
        (w.count[axis] - 1) * w.stride[axis] + span - length, 0);
    w.before[axis] = missing / 2;
    w.after[axis] = missing - w.before[axis];
  }
  return w;
}

bool qnn::readExtractPatches(OpReader &r) {
  Formula f(r, "patches");
  if (!f.expectRank(0, 4, "[batch, height, width, channel_in]"))
    return false;
  const Shape &dims = r.dims(0);
  Windows w = patchesOf(r);
  if (w.numWindows() < 1)
    return r.bad("a patch is larger than the image", dimsText(dims),
                 "patches of up to its size");
  if (!f.expectOutput(0,
                      {dims[0], w.count[0], w.count[1], w.cells() * dims[3]}))
    return false;
  std::vector<std::int64_t> places;
  for (std::int64_t window = 0; window < w.numWindows(); ++window)
    for (std::int64_t cell = 0; cell < w.cells(); ++cell)
      places.push_back(placeOf(w, dims[2], window, cell));
  r.reshapeTo(pixelsOf(f, w, places), 0);
  return true;
}

bool qnn::readCol2Im(OpReader &r) {
  Formula f(r, "image");
  if (r.outputDims().size() != 4)
    return r.bad("out[0] has a wrong number of axes", dimsText(r.outputDims()),
                 "[batch, height, width, channel]");
  const Shape &image = r.outputDims();
  auto w = paddedWindows(r, {image[1], image[2]});
  if (!w ||
      !f.expectDims(0, {image[0], image[3] * w->cells(), w->numWindows()}))
    return false;
  Tensor *folded = f.of(
      "Col2Im",
      {r.input(0), f.integers({2}, {image[1], image[2]}),
       f.integers({2}, {w->kernel[0], w->kernel[1]})},
      {{"dilations", Attribute::of(std::vector<std::int64_t>(
                         w->dilation.begin(), w->dilation.end()))},
       {"strides", Attribute::of(std::vector<std::int64_t>(w->stride.begin(),
                                                           w->stride.end()))},
       {"pads", Attribute::of(std::vector<std::int64_t>{
                    w->before[0], w->before[1], w->after[0], w->after[1]})}});
  f.write(f.transposed(folded, {0, 2, 3, 1}), 0);
  return true;
}
