//===- TwinsOfWindows.cpp - Convolutions, pools and products --------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "support/Half.h"
#include "test/qnn/TwinMaker.h"
#include <algorithm>
#include <cmath>

using namespace yarrow;
using namespace yarrow::qnntwins;
using qnn::DataType;

namespace {

/// Rows and columns of a window.
struct Window {
  Dims filter, stride, dilation, pads; ///< Pads as rows of [before, behind].
};

constexpr std::int64_t kSame = 1;

Window windowOf(TwinMaker &t, const Dims &filter) {
  Window w{filter,
           {t.scalar("stride_h"), t.scalar("stride_w")},
           {t.scalar("dilation_h", 1), t.scalar("dilation_w", 1)},
           {t.scalar("pad_top"), t.scalar("pad_bottom"), t.scalar("pad_left"),
            t.scalar("pad_right")}};
  if (t.scalar("padding_scheme") != kSame)
    return w;
  for (std::size_t a : {0, 1}) {
    std::int64_t in = t.dims("input")[1 + a], step = w.stride[a],
                 out = (in + step - 1) / step,
                 reach = (filter[a] - 1) * w.dilation[a] + 1,
                 all = std::max<std::int64_t>(0, (out - 1) * step + reach - in);
    w.pads[2 * a] = all / 2;
    w.pads[2 * a + 1] = all - all / 2;
  }
  return w;
}

void setWindow(TwinMaker &t, const Window &w) {
  t.integers("stride", {2}, w.stride);
  t.integers("pad_amount", {2, 2}, w.pads);
}

/// The bias, with an encoding of its own where the products have one: NNAPI's
/// has the scale of the products, which is that of each channel.
std::string biasOf(TwinMaker &t) {
  std::string name = t.constant("bias");
  qnn::QnnTensor &bias = t.at(name);
  if (bias.type != DataType::INT_32)
    return name;
  const nnapi::Operand &filter =
      t.operand(t.has("filter") ? "filter" : "weights");
  std::vector<float> scales = filter.channels.scales;
  if (filter.entry().storage != nnapi::Storage::PerChannel)
    scales = {filter.scale};
  bias.type = DataType::SFIXED_POINT_32;
  for (float &scale : scales)
    scale *= t.operand("input").scale;
  bias.encoding = {};
  bias.encoding.form = scales.size() == 1
                           ? qnn::Encoding::Form::ScaleOffset
                           : qnn::Encoding::Form::AxisScaleOffset;
  bias.encoding.offsets.assign(scales.size(), 0);
  bias.encoding.scales = std::move(scales);
  return name;
}

} // namespace

/// NNAPI's filters are [outputs,rows,columns,inputs], of depthwise ones
/// [1,rows,columns,outputs]; QNN's have the rows first.
bool qnntwins::twinConv(TwinMaker &t) {
  bool isDepthwise = t.has("multiplier");
  const Dims filter = t.dims("filter");
  Window w = windowOf(t, {filter[1], filter[2]});
  std::string x = t.tensor("input"), weights = t.constant("filter"),
              bias = biasOf(t);
  if (!t.why.empty())
    return false;
  weights =
      t.permuted(weights, isDepthwise ? Dims{1, 2, 0, 3} : Dims{1, 2, 3, 0});
  setWindow(t, w);
  t.integers("dilation", {2}, w.dilation);
  if (t.has("groups"))
    t.integer("group", t.scalar("groups"));
  return t.node({x, weights, bias});
}

/// QNN says the pads, and what is added behind the last row and column.
bool qnntwins::twinTransposedConv(TwinMaker &t) {
  const Dims filter = t.dims("filter");
  Window w = windowOf(t, {filter[1], filter[2]});
  Dims more(2, 0);
  for (std::size_t a : {0, 1}) {
    std::int64_t whole =
                     (t.dims("input")[1 + a] - 1) * w.stride[a] + filter[1 + a],
                 out = t.outputDims()[1 + a];
    if (t.has("padding_scheme")) {
      std::int64_t cut = std::max<std::int64_t>(0, whole - out);
      bool isSame = t.scalar("padding_scheme") == kSame;
      w.pads[2 * a] = isSame ? cut / 2 : 0;
      w.pads[2 * a + 1] = cut - w.pads[2 * a];
    }
    more[a] = out - (whole - w.pads[2 * a] - w.pads[2 * a + 1]);
    if (more[a] < 0 || more[a] >= w.stride[a])
      return t.none("the result is larger than a stride allows");
  }
  std::string x = t.tensor("input"), weights = t.constant("filter"),
              bias = biasOf(t);
  if (!t.why.empty())
    return false;
  setWindow(t, w);
  t.integers("output_padding", {2}, more);
  return t.node({x, t.permuted(weights, {1, 2, 3, 0}), bias});
}

bool qnntwins::twinPool(TwinMaker &t) {
  Window w = windowOf(t, {t.scalar("filter_h"), t.scalar("filter_w")});
  t.integers("filter_size", {2}, w.filter);
  setWindow(t, w);
  return t.node({t.tensor("input")});
}

/// QNN adds the squares up, NNAPI takes their mean.
bool qnntwins::twinL2Pool(TwinMaker &t) {
  Window w = windowOf(t, {t.scalar("filter_h"), t.scalar("filter_w")});
  if (std::ranges::any_of(w.pads, [](std::int64_t pad) { return pad != 0; }))
    return t.none("windows in the padding have fewer elements");
  t.integers("filter_size", {2}, w.filter);
  setWindow(t, w);
  std::string x = t.tensor("input"), sum = t.between(x, t.outputDims(), "sum"),
              factor = t.between(x, {1}, "factor");
  qnn::QnnTensor &tensor = t.at(factor);
  tensor.kind = qnn::TensorKind::Static;
  float value = 1 / std::sqrt(float(w.filter[0] * w.filter[1]));
  std::uint16_t half = floatToHalf(value);
  // As the squares are: operands have one type.
  auto bytes = tensor.type == DataType::FLOAT_16
                   ? std::as_bytes(std::span(&half, 1))
                   : std::as_bytes(std::span(&value, 1));
  qnn::setValue(tensor, {bytes.begin(), bytes.end()});
  t.add("L2Pool2d", {x}, {sum});
  t.op = "ElementWiseMultiply";
  return t.node({sum, factor});
}

bool qnntwins::twinFullyConnected(TwinMaker &t) {
  std::string x = t.tensor("input"), weights = t.constant("weights"),
              bias = biasOf(t);
  return t.why.empty() && t.node({x, weights, bias});
}

bool qnntwins::twinMatMul(TwinMaker &t) {
  t.flag("transpose_in0", t.scalar("trans_a"));
  t.flag("transpose_in1", t.scalar("trans_b"));
  return t.node({t.tensor("a"), t.tensor("b")});
}
