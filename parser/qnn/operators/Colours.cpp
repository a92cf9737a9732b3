//===- Colours.cpp - Bytes of images as RGB -------------------------------===//
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

/// Without alpha, which is the first or the last channel.
bool qnn::readArgbToRgb(OpReader &r) {
  Formula f(r, "rgb");
  Shape dims = r.dims(0);
  if (!f.expectDims(0, {-1, -1, -1, 4}) ||
      !f.expectOutput(0, {dims[0], dims[1], dims[2], 3}))
    return false;
  std::int64_t first = r.scalar("input_order") ? 0 : 1;
  std::vector<std::int64_t> channels = {first, first + 1, first + 2};
  if (r.flag("reverse_output"))
    channels = {first + 2, first + 1, first};
  r.movedResult("Gather", {r.input(0), f.integers({3}, channels)}, r.input(0))
      .attributes["axis"] = Attribute::of(std::int64_t(3));
  return true;
}

namespace {

/// Luma of every pixel, and chroma of every 2 x 2 of them.
class YuvReader {
public:
  explicit YuvReader(OpReader &r) : f(r, "yuv"), r(r) {}
  bool readForm();
  void write(bool isBlueFirst);

private:
  bool readUnit(const QnnTensor &tensor, float &unit);
  Tensor *planes(Tensor *samples);

  Formula f;
  OpReader &r;
  Shape image; ///< [batch, height, width, 3]
  /// The real number that a step of a sample is.
  float unit = 1, outputUnit = 1;
};

} // namespace

/// Samples are 0 to 255, whatever real numbers the bytes stand for.
bool YuvReader::readUnit(const QnnTensor &tensor, float &of) {
  if (!tensor.entry().isFixed())
    return true;
  if (tensor.type != DataType::UFIXED_POINT_8 ||
      tensor.encoding.scales.size() != 1 || tensor.encoding.offsets[0] != 0)
    return r.refuse("samples that are stored in this way are not supported",
                    tensor.entry().name,
                    "UFIXED_POINT_8 with an offset of 0, integers or floats");
  of = tensor.encoding.scales[0];
  return true;
}

bool YuvReader::readForm() {
  image = r.outputDims();
  if (image.size() != 4 || image[3] != 3 || image[1] % 2 || image[2] % 2 ||
      graph::numElements(image) < 1)
    return r.bad("out[0] is not an image", dimsText(image),
                 "[b,h,w,3] of even height and width");
  return f.expectDims(0, {image[0], image[1] * image[2] * 3 / 2}) &&
         readUnit(r.inputOf(0), unit) && readUnit(r.outputOf(0), outputUnit);
}

/// [batch, height, width, 3]: luma, and the chroma of the 2 x 2 pixels.
Tensor *YuvReader::planes(Tensor *samples) {
  std::int64_t n = image[0], height = image[1], width = image[2],
               pixels = height * width;
  // Bytes stay bytes up to the product.
  auto part = [&](std::int64_t begin, std::int64_t end, Shape shape) {
    Tensor *x = f.moved(samples, "Slice",
                        {samples, f.integers({1}, {begin}),
                         f.integers({1}, {end}), f.integers({1}, {1})});
    return f.movedTo(x, std::move(shape));
  };
  Tensor *luma = part(0, pixels, {n, height, width, 1}),
         *chroma =
             part(pixels, pixels * 3 / 2, {n, height / 2, 1, width / 2, 1, 2});
  chroma =
      f.moved(samples, "Expand",
              {chroma, f.integers({6}, {n, height / 2, 2, width / 2, 2, 2})});
  chroma = f.movedTo(chroma, {n, height, width, 2});
  return f.moved(samples, "Concat", {luma, chroma},
                 {{"axis", Attribute::of(std::int64_t(3))}});
}

/// The matrix and the range are not told: those of ITU-R BT.601, luma 16 to 235
/// and chroma 16 to 240, which cameras and decoders have.
void YuvReader::write(bool isBlueFirst) {
  constexpr double kRed = 0.299, kBlue = 0.114, kGreen = 1 - kRed - kBlue;
  constexpr double kLuma = 255.0 / 219, kChroma = 255.0 / 224;
  const double red = 2 * (1 - kRed) * kChroma, blue = 2 * (1 - kBlue) * kChroma;
  const double ofU[] = {0, -blue * kBlue / kGreen, blue},
               ofV[] = {red, -red * kRed / kGreen, 0};
  bool isVFirst = r.entry.name == std::string_view("Nv21ToRgb");
  std::vector<float> matrix, biases;
  for (std::size_t row = 0; row < 3; ++row) {
    std::size_t c = isBlueFirst ? 2 - row : row;
    double first = isVFirst ? ofV[c] : ofU[c],
           second = isVFirst ? ofU[c] : ofV[c];
    for (double factor : {kLuma, first, second})
      matrix.push_back(float(factor / double(unit)));
    biases.push_back(float(-16 * kLuma - 128 * (ofU[c] + ofV[c])));
  }
  Tensor *samples = r.input(0);
  if (!r.inputOf(0).entry().isFixed() && !r.inputOf(0).entry().isFloat())
    samples = f.cast(samples, ElementType::F32);
  std::int64_t pixels = image[0] * image[1] * image[2];
  Tensor *rgb = f.product(f.movedTo(planes(samples), {pixels, 3}),
                          f.numbers({3, 3}, matrix), f.numbers({3}, biases));
  rgb = f.reshaped(f.clipped(rgb, 0, 255), image);
  if (outputUnit != 1)
    rgb = f.multiply(rgb, f.number(double(outputUnit)));
  if (!r.outputOf(0).entry().isFixed() && !r.outputOf(0).entry().isFloat())
    rgb = f.of("Round", {rgb});
  f.write(rgb, 0);
}

/// Nv12ToRgb and Nv21ToRgb: U and V in turns, or V and U.
bool qnn::readYuvToRgb(OpReader &r) {
  YuvReader yuv(r);
  if (!yuv.readForm())
    return false;
  yuv.write(r.scalar("output_order") != 0);
  return true;
}
