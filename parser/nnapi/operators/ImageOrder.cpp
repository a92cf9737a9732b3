//===- ImageOrder.cpp - Operations over images ----------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/nnapi/operators/ImageOrder.h"
#include <functional>

using namespace yarrow;
using namespace yarrow::nnapi;
using graph::Attribute;
using graph::Node;
using graph::Tensor;

const std::vector<std::int64_t> nnapi::kToChannelsLast = {0, 2, 3, 1},
                                nnapi::kToChannelsFirst = {0, 3, 1, 2};

static bool isChannelsFirst(const OperationReader &r) { return r.flag("nchw"); }

Tensor *nnapi::channelsLast(OperationReader &r) {
  Tensor *x = r.input("input");
  return isChannelsFirst(r) ? r.transposed(x, kToChannelsLast, "channels_last")
                            : x;
}

std::vector<std::int64_t> nnapi::imageDims(const OperationReader &r) {
  std::vector<std::int64_t> dims = r.dims("input");
  if (!isChannelsFirst(r))
    return dims;
  return {dims[0], dims[2], dims[3], dims[1]};
}

/// What \p make makes writes a tensor with channels last, of which output 0 is
/// made.
static Node &inOrder(OperationReader &r, const std::function<Node &()> &make) {
  if (!isChannelsFirst(r)) {
    Node &node = make();
    node.domain = kTfliteDomain;
    return node;
  }
  Tensor *output = r.outputs[0],
         *image = r.storedLike(*output, "result_channels_last");
  r.outputs[0] = image;
  Node &node = make();
  node.domain = kTfliteDomain;
  r.outputs[0] = output;
  r.add("Transpose", {image}, {output}).attributes["perm"] =
      Attribute::of(kToChannelsFirst);
  return node;
}

Node &nnapi::imageResult(OperationReader &r, const std::string &op,
                         std::vector<Tensor *> from) {
  return inOrder(r, [&]() -> Node & { return r.result(op, from); });
}

Node &nnapi::movedImage(OperationReader &r, const std::string &op,
                        std::vector<Tensor *> from, const Tensor *source) {
  return inOrder(r,
                 [&]() -> Node & { return r.movedResult(op, from, source); });
}
