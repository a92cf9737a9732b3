//===- Windows.cpp - Convolutions and pools -------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/nnapi/operators/ImageOrder.h"
#include "parser/nnapi/operators/Products.h"

using namespace yarrow;
using namespace yarrow::nnapi;
using graph::Attribute;
using graph::Node;
using graph::Tensor;

/// Steps and pads of \p node; reports a scheme of padding that there is not.
static bool setWindow(OperationReader &r, Node &node) {
  for (const char *key : {"stride_w", "stride_h", "dilation_w", "dilation_h"})
    node.attributes[key] = Attribute::of(r.scalar(key, 1));
  if (!r.has("padding_scheme")) {
    node.attributes["pads"] = Attribute::of(std::vector<std::int64_t>{
        r.scalar("pad_top"), r.scalar("pad_left"), r.scalar("pad_bottom"),
        r.scalar("pad_right")});
    return true;
  }
  // PaddingCode, whose SAME and VALID TFLite numbers from 0.
  constexpr std::int64_t kSame = 1, kValid = 2;
  std::int64_t scheme = r.scalar("padding_scheme");
  if (scheme != kSame && scheme != kValid)
    return r.bad("unknown padding scheme", std::to_string(scheme),
                 textOf(OperandClass::PADDING));
  node.attributes["padding"] = Attribute::of(scheme - kSame);
  return true;
}

static bool checkFilterAxes(OperationReader &r) {
  return r.rank("filter") == 4 || r.bad("filter has a wrong number of axes",
                                        std::to_string(r.rank("filter")), "4");
}

/// Reports a filter that does not fit the channels of the image.
static bool checkFilter(OperationReader &r) {
  std::vector<std::int64_t> filter = r.dims("filter");
  std::int64_t channels = imageDims(r)[3];
  if (r.has("multiplier")) {
    std::int64_t outputs = channels * r.scalar("multiplier");
    return (filter[0] == 1 && filter[3] == outputs) ||
           r.bad("the filter does not match the input and its multiplier",
                 dimsText(filter),
                 "[1,rows,columns," + std::to_string(outputs) + "]");
  }
  std::int64_t groups = r.scalar("groups", 1);
  return (groups >= 1 && filter[3] * groups == channels &&
          filter[0] % groups == 0) ||
         r.bad("the filter does not match the input and its groups",
               dimsText(filter) + ", " + std::to_string(groups) + " groups",
               std::to_string(channels) + " channels");
}

bool nnapi::readConv(OperationReader &r) {
  if (!checkFilterAxes(r) || !checkFilter(r))
    return false;
  Tensor *filter = r.input("filter"),
         *bias = productBias(r, *r.input("input"), *filter);
  if (!bias)
    return false;
  return setWindow(
      r, imageResult(r, r.entry.node, {channelsLast(r), filter, bias}));
}

bool nnapi::readTransposedConv(OperationReader &r) {
  if (!checkFilterAxes(r))
    return false;
  Tensor *filter = r.input("filter"),
         *bias = productBias(r, *r.input("input"), *filter);
  if (!bias)
    return false;
  std::vector<Tensor *> from = {channelsLast(r), filter, bias};
  if (r.has("output_shape")) {
    auto shape = r.integersOf("output_shape");
    if (!shape)
      return false;
    if (shape->size() != 4)
      return r.bad("the shape of the result has a wrong number of axes",
                   dimsText(*shape), "4 lengths");
    if (r.flag("nchw"))
      *shape = {(*shape)[0], (*shape)[2], (*shape)[3], (*shape)[1]};
    from.push_back(r.integers("output_shape", *shape));
  }
  return setWindow(r, imageResult(r, r.entry.node, std::move(from)));
}

bool nnapi::readPool(OperationReader &r) {
  Node &node = imageResult(r, r.entry.node, {channelsLast(r)});
  node.attributes["filter_width"] = Attribute::of(r.scalar("filter_w"));
  node.attributes["filter_height"] = Attribute::of(r.scalar("filter_h"));
  return setWindow(r, node);
}
