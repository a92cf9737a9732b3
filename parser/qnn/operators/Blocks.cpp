//===- Blocks.cpp - Blocks of images, and channels, moved -----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/qnn/OpReader.h"
#include <numeric>

using namespace yarrow;
using namespace yarrow::qnn;
using graph::Attribute;
using graph::Node;
using graph::Tensor;

using Dims = std::vector<std::int64_t>;

static bool checkImage(OpReader &r) {
  return r.rank(0) == 4 ||
         r.bad("in[0] is not an image", dimsText(r.dims(0)), "4 axes");
}

/// Channel c of the cell (y, x) of a block becomes channel c * cells + y *
/// columns + x: no layer has that order.
static void gatherBlocksByChannel(OpReader &r, const Dims &block) {
  const Dims &dims = r.dims(0);
  std::int64_t rows = dims[1] / block[0], columns = dims[2] / block[1];
  Tensor *cells = r.reshaped(
      r.input(0), {dims[0], rows, block[0], columns, block[1], dims[3]},
      "cells");
  Tensor *moved = r.transposed(cells, {0, 1, 3, 5, 2, 4}, "by_channel");
  r.addMoved("Reshape",
             {moved, r.integers("shape", {dims[0], rows, columns,
                                          dims[3] * block[0] * block[1]})},
             *moved, {r.output(0)});
}

bool qnn::readBlockMove(OpReader &r) {
  if (!checkImage(r))
    return false;
  const Dims &dims = r.dims(0);
  Dims block = r.integers("block_size");
  bool toDepth = r.entry.node == std::string_view("SpaceToDepth");
  bool isByChannel = r.scalar("mode") == 1;
  bool fits = toDepth ? dims[1] % block[0] == 0 && dims[2] % block[1] == 0
                      : dims[3] % (block[0] * block[1]) == 0;
  if (!fits)
    return r.bad("the block does not divide in[0]", dimsText(block),
                 (toDepth ? "divisors of height and width of "
                          : "lengths whose product divides the depth of ") +
                     dimsText(dims));
  if (toDepth && isByChannel) {
    gatherBlocksByChannel(r, block);
    return true;
  }
  Node &node = r.movedResult(r.entry.node, {r.input(0)}, r.input(0));
  node.domain = kDomain;
  node.attributes["block_size"] = Attribute::of(block);
  node.attributes["mode"] =
      Attribute::of(std::string(isByChannel ? "CRD" : "DCR"));
  return true;
}

/// BatchToSpace cuts edges off, SpaceToBatch adds zeros.
bool qnn::readBatchMove(OpReader &r) {
  if (!checkImage(r))
    return false;
  const char *edges = r.entry.param("crops") ? "crops" : "pad_amount";
  r.movedResult(r.entry.node,
                {r.input(0), r.integers("block", r.integers("block_size")),
                 r.integers("edges", r.integers(edges))},
                r.input(0))
      .domain = kTfliteDomain;
  return true;
}

/// [..., groups, channels / groups, ...] with these two axes swapped.
bool qnn::readChannelShuffle(OpReader &r) {
  const Dims &dims = r.dims(0);
  if (dims.empty())
    return r.bad("in[0] has no axes", dimsText(dims), "one or more");
  std::int64_t axis = r.scalar("axis", r.rank(0) - 1),
               groups = r.scalar("num_groups"),
               channels = dims[std::size_t(axis)];
  if (groups < 1 || channels % groups != 0)
    return r.bad("num_groups does not divide the channels",
                 std::to_string(groups),
                 "a divisor of " + std::to_string(channels));
  Dims split = dims, perm(dims.size() + 1);
  split[std::size_t(axis)] = channels / groups;
  split.insert(split.begin() + axis, groups);
  std::iota(perm.begin(), perm.end(), 0);
  std::swap(perm[std::size_t(axis)], perm[std::size_t(axis) + 1]);
  Tensor *shuffled =
      r.transposed(r.reshaped(r.input(0), split, "groups"), perm, "shuffled");
  r.movedResult("Reshape", {shuffled, r.integers("shape", dims)}, shuffled);
  return true;
}
