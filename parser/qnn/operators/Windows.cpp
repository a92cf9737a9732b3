//===- Windows.cpp - Convolutions and pools -------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/qnn/operators/Products.h"

using namespace yarrow;
using namespace yarrow::qnn;
using graph::Attribute;
using graph::Node;
using graph::Tensor;

using Dims = std::vector<std::int64_t>;

/// One for each axis between batch and channels; a signal has one.
static std::size_t spatialAxes(const OpReader &r) {
  return r.integers("stride").size();
}
static bool isSignal(const OpReader &r) { return spatialAxes(r) == 1; }

/// Reports an input that has another number of axes than the operator.
static bool checkAxes(OpReader &r, std::size_t i) {
  std::size_t wanted = spatialAxes(r) + 2;
  return r.dims(i).size() == wanted ||
         r.bad("in[" + std::to_string(i) + "] has a wrong number of axes",
               dimsText(r.dims(i)), std::to_string(wanted) + " axes");
}

/// The lengths of a signal as those of an image with one row.
static Dims asImage(Dims dims, std::size_t rowAxis) {
  dims.insert(dims.begin() + std::ptrdiff_t(rowAxis), 1);
  return dims;
}

/// Parameter \p name for each axis of an image; empty if the operator has none.
static Dims listed(const OpReader &r, const char *name, std::int64_t ofRow) {
  if (!r.entry.param(name))
    return {};
  Dims list = r.integers(name);
  return list.size() == 1 ? Dims{ofRow, list[0]} : list;
}

static void setList(Node &node, const char *key, Dims list) {
  if (!list.empty())
    node.attributes[key] = Attribute::of(std::move(list));
}

/// Steps and pads, which the file has as rows of [before, after].
static void setSteps(const OpReader &r, Node &node) {
  setList(node, "strides", listed(r, "stride", 1));
  setList(node, "dilations", listed(r, "dilation", 1));
  Dims rows = r.integers("pad_amount"), pads;
  if (isSignal(r))
    rows.insert(rows.begin(), {0, 0});
  for (std::size_t side : {0u, 1u})
    for (std::size_t i = side; i < rows.size(); i += 2)
      pads.push_back(rows[i]);
  setList(node, "pads", pads);
}

/// The node \p op of QNN's domain over in[0] and \p more, as an image or a
/// volume.
static Node &imageResult(OpReader &r, const std::string &op,
                         std::vector<Tensor *> more) {
  Tensor *x = r.input(0), *y = r.output(0);
  if (isSignal(r)) {
    x = r.reshaped(x, asImage(r.dims(0), 1), "as_image");
    y = r.storedLike(*y, "image");
  }
  more.insert(more.begin(), x);
  Node &node = r.add(op, more, {y});
  node.domain = kDomain;
  setSteps(r, node);
  if (isSignal(r))
    r.addMoved("Squeeze", {y, r.integers("row", {1})}, *y, {r.output(0)});
  return node;
}

bool qnn::readConv(OpReader &r) {
  if (!checkAxes(r, 0) || !checkAxes(r, 1))
    return false;
  for (const char *key : {"reuse_sparse_indices", "reuse_sparse_indicies"})
    if (r.entry.param(key) && r.flag(key))
      return r.refuse("sparse tensors are not supported", key, "dense tensors");
  Tensor *filter = r.input(1);
  std::int64_t outputAxis = r.rank(1) - 1;
  auto bias = productBias(r, *r.input(0), *filter, outputAxis);
  if (!bias)
    return false;
  if (!filter->constant)
    return r.refuse("in[1] is computed at run time", "tensor " + filter->name,
                    "a static tensor");
  if (isSignal(r))
    filter = reshapedConstant(r, *filter, asImage(r.dims(1), 0), outputAxis + 1,
                              "filter");
  Node &node = imageResult(r, r.entry.node, {filter, *bias});
  // Depthwise ones have a group for each channel.
  bool isDepthwise = !r.entry.param("group");
  node.attributes["group"] =
      Attribute::of(isDepthwise ? r.dims(0).back() : r.scalar("group"));
  if (r.entry.param("output_padding"))
    setList(node, "output_padding", listed(r, "output_padding", 0));
  return true;
}

/// Pads are no values of the input, so that none is a maximum; whether they
/// count in a mean count_pad_for_edges says.
bool qnn::readPool(OpReader &r) {
  if (!checkAxes(r, 0))
    return false;
  Node &node = imageResult(r, "Pool", {});
  setList(node, "kernel_shape", r.integers("filter_size"));
  node.attributes["method"] = Attribute::of(std::string(r.entry.node));
  if (r.entry.param("rounding_mode"))
    node.attributes["ceil_mode"] = Attribute::of(r.scalar("rounding_mode"));
  if (r.entry.param("count_pad_for_edges"))
    node.attributes["count_include_pad"] =
        Attribute::of(std::int64_t(r.flag("count_pad_for_edges")));
  return true;
}
