//===- Images.cpp - Operations that know channels -------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/nnapi/operators/ImageOrder.h"
#include <cmath>
#include <numeric>

using namespace yarrow;
using namespace yarrow::nnapi;
using graph::Attribute;
using graph::Node;
using graph::Tensor;

bool nnapi::readBlockMove(OperationReader &r) {
  std::int64_t block = r.scalar("block_size");
  std::vector<std::int64_t> dims = imageDims(r);
  bool toDepth = std::string_view(r.entry.name) == "SPACE_TO_DEPTH";
  bool fits =
      block >= 1 && (toDepth ? dims[1] % block == 0 && dims[2] % block == 0
                             : dims[3] % (block * block) == 0);
  if (!fits)
    return r.bad("the block does not divide the input", std::to_string(block),
                 toDepth ? "a divisor of height and width"
                         : "a number whose square divides the channels");
  Tensor *x = channelsLast(r);
  movedImage(r, r.entry.node, {x}, x).attributes["block_size"] =
      Attribute::of(block);
  return true;
}

/// The rows and columns of a block; reports other than two lengths.
static std::optional<std::vector<std::int64_t>> blockOf(OperationReader &r) {
  auto block = r.integersOf("block_shape");
  if (!block)
    return std::nullopt;
  if (block->size() == 2)
    return block;
  r.bad("the block has a wrong number of axes", std::to_string(block->size()),
        "rows and columns");
  return std::nullopt;
}

bool nnapi::readBatchToSpace(OperationReader &r) {
  auto block = blockOf(r);
  if (!block)
    return false;
  Tensor *x = channelsLast(r), *shape = r.integers("block_shape", *block),
         *crops = r.integers("crops", {0, 0, 0, 0});
  movedImage(r, r.entry.node, {x, shape, crops}, x);
  return true;
}

bool nnapi::readSpaceToBatch(OperationReader &r) {
  auto block = blockOf(r), pads = r.integersOf("paddings");
  if (!block || !pads)
    return false;
  Tensor *x = channelsLast(r), *shape = r.integers("block_shape", *block),
         *padded = r.integers("paddings", *pads);
  movedImage(r, r.entry.node, {x, shape, padded}, x);
  return true;
}

/// The length that a scale gives: rounded down, in single precision.
static std::int64_t scaledLength(std::int64_t length, double scale) {
  constexpr float kMost = 1 << 30;
  float scaled = std::floor(float(length) * float(scale));
  return scaled >= 0 && scaled <= kMost ? std::int64_t(scaled) : 0;
}

bool nnapi::readResize(OperationReader &r) {
  std::vector<std::int64_t> dims = imageDims(r), size;
  if (r.has("scale_h"))
    size = {scaledLength(dims[1], r.real("scale_h")),
            scaledLength(dims[2], r.real("scale_w"))};
  else
    size = {r.scalar("out_h"), r.scalar("out_w")};
  if (size[0] < 1 || size[1] < 1)
    return r.bad("the size is not positive",
                 std::to_string(size[0]) + " x " + std::to_string(size[1]),
                 "lengths of 1 or more");
  Tensor *x = channelsLast(r);
  Node &node = movedImage(r, r.entry.node, {x, r.integers("size", size)}, x);
  node.attributes["align_corners"] =
      Attribute::of(std::int64_t(r.flag("align_corners")));
  node.attributes["half_pixel_centers"] =
      Attribute::of(std::int64_t(r.flag("half_pixel")));
  return true;
}

/// [..., groups, channels / groups, ...] with these two axes swapped.
bool nnapi::readChannelShuffle(OperationReader &r) {
  std::vector<std::int64_t> dims = r.dims("input"), split = dims;
  auto axis = r.axis("axis", r.rank("input"));
  if (!axis)
    return false;
  std::int64_t groups = r.scalar("groups"), channels = dims[std::size_t(*axis)];
  if (groups < 1 || channels % groups != 0)
    return r.bad("the groups do not divide the channels",
                 std::to_string(groups),
                 "a divisor of " + std::to_string(channels));
  split[std::size_t(*axis)] = channels / groups;
  split.insert(split.begin() + *axis, groups);
  std::vector<std::int64_t> perm(split.size());
  std::iota(perm.begin(), perm.end(), 0);
  std::swap(perm[std::size_t(*axis)], perm[std::size_t(*axis) + 1]);
  Tensor *x = r.input("input"), *parts = r.storedLike(*x, "groups");
  r.add("Reshape", {x, r.integers("group_shape", split)}, {parts});
  r.movedResult(
      "Reshape",
      {r.transposed(parts, perm, "shuffled"), r.integers("shape", dims)}, x);
  return true;
}

/// Both have the same regions, and factors between image and feature map.
static Node &pooledRegions(OperationReader &r) {
  Node &node =
      imageResult(r, r.entry.node,
                  {channelsLast(r), r.input("rois"), r.input("batch_index")});
  node.domain = kDomain;
  for (const char *key : {"out_h", "out_w"})
    node.attributes[key] = Attribute::of(r.scalar(key));
  for (const char *key : {"ratio_h", "ratio_w"})
    node.attributes[key] = Attribute::of(float(r.real(key)));
  return node;
}

/// Reports lengths of a result that there are not.
static bool checkPooled(OperationReader &r) {
  if (r.scalar("out_h") >= 1 && r.scalar("out_w") >= 1)
    return true;
  return r.bad("the size of the result is not positive",
               std::to_string(r.scalar("out_h")) + " x " +
                   std::to_string(r.scalar("out_w")),
               "1 or more");
}

bool nnapi::readRoiAlign(OperationReader &r) {
  if (!checkPooled(r))
    return false;
  for (const char *key : {"samples_h", "samples_w"})
    if (r.scalar(key) < 0)
      return r.bad("the number of samples is negative",
                   std::to_string(r.scalar(key)), "0 or more");
  Node &node = pooledRegions(r);
  for (const char *key : {"samples_h", "samples_w"})
    node.attributes[key] = Attribute::of(r.scalar(key));
  return true;
}

bool nnapi::readRoiPool(OperationReader &r) {
  if (!checkPooled(r))
    return false;
  pooledRegions(r);
  return true;
}
