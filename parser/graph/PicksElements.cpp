//===- PicksElements.cpp - Operators that compute nothing -----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/graph/PicksElements.h"
#include <algorithm>

using namespace yarrow;
using namespace yarrow::graph;

static bool isOneOf(const std::string &op,
                    std::initializer_list<std::string_view> list) {
  return std::ranges::find(list, op) != list.end();
}

bool graph::picksElements(const Node &node) {
  if (!node.domain.empty() || !node.input(0))
    return false;
  // A second result is of places, or a mask.
  if (isOneOf(node.op, {"MaxPool", "Dropout"}))
    return !node.output(1);
  if (node.op == "Resize")
    return node.text("mode", "nearest") == "nearest" &&
           node.text("coordinate_transformation_mode", "") !=
               "tf_crop_and_resize";
  return isOneOf(node.op, {"ChannelShuffle", "Compress",        "DepthToSpace",
                           "Expand",         "Flatten",         "Gather",
                           "GatherElements", "GatherND",        "GlobalMaxPool",
                           "Identity",       "ReduceMax",       "ReduceMin",
                           "Reshape",        "ReverseSequence", "Slice",
                           "SpaceToDepth",   "Split",           "Squeeze",
                           "Tile",           "Transpose",       "Unsqueeze"});
}

bool graph::addsZeros(const Node &node) {
  if (node.op != "Pad" || !node.domain.empty() || !node.input(0))
    return false;
  const Tensor *value = node.input(2);
  return node.text("mode", "constant") != "constant" || !value ||
         (value->constant && value->constant->numElements() == 1 &&
          !value->quantization && value->constant->numberAt(0) == 0);
}
