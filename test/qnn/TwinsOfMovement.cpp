//===- TwinsOfMovement.cpp - Operations that move values ------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "test/qnn/TwinMaker.h"
#include <algorithm>
#include <bit>
#include <numeric>

using namespace yarrow;
using namespace yarrow::qnntwins;
using qnn::DataType;

static std::int64_t rankOf(const Dims &dims) {
  return std::int64_t(dims.size());
}

bool qnntwins::twinConcat(TwinMaker &t) {
  auto inputs = t.tensors("inputs");
  t.integer("axis", t.axis("axis", rankOf(t.at(inputs[0]).dims)));
  return t.node(inputs);
}

bool qnntwins::twinPack(TwinMaker &t) {
  auto inputs = t.tensors("inputs");
  t.integer("axis", t.axis("axis", rankOf(t.at(inputs[0]).dims) + 1));
  return t.node(inputs);
}

bool qnntwins::twinSqueeze(TwinMaker &t) {
  if (rankOf(t.dims("input")) < 2)
    return t.none("QNN squeezes no tensor of one axis");
  if (t.has("axes") && t.operand("axes").numElements() != 0) {
    auto axes = t.integersOf("axes");
    if (!axes)
      return false;
    for (std::int64_t &axis : *axes)
      axis += axis < 0 ? rankOf(t.dims("input")) : 0;
    t.integers("axes", {rankOf(*axes)}, *axes);
  }
  return t.node({t.tensor("input")});
}

bool qnntwins::twinExpandDims(TwinMaker &t) {
  t.integer("axis", t.axis("axis", rankOf(t.dims("input")) + 1));
  return t.node({t.tensor("input")});
}

bool qnntwins::twinTranspose(TwinMaker &t) {
  Dims perm(t.dims("input").size());
  std::iota(perm.rbegin(), perm.rend(), 0);
  if (t.has("perm")) {
    auto given = t.integersOf("perm");
    if (!given)
      return false;
    perm = *given;
  }
  t.integers("perm", {rankOf(perm)}, perm);
  return t.node({t.tensor("input")});
}

bool qnntwins::twinSplit(TwinMaker &t) {
  std::int64_t axis = t.axis("axis", rankOf(t.dims("input"))),
               parts = t.scalar("num_splits"),
               length = t.dims("input")[std::size_t(axis)];
  if (parts < 2)
    return t.none("QNN's list of starts is not empty");
  Dims starts;
  for (std::int64_t i = 1; i < parts; ++i)
    starts.push_back(i * (length / parts));
  t.integer("axis", axis);
  t.integers("split_index", {rankOf(starts)}, starts);
  return t.node({t.tensor("input")});
}

bool qnntwins::twinTile(TwinMaker &t) {
  auto multiples = t.integersOf("multiples");
  if (!multiples)
    return false;
  t.integers("multiples", {rankOf(*multiples)}, *multiples);
  return t.node({t.tensor("input")});
}

static bool pad(TwinMaker &t, std::int64_t scheme) {
  auto rows = t.integersOf("paddings");
  if (!rows)
    return false;
  if (std::ranges::min(*rows) < 0)
    return t.none("QNN has no negative pads");
  t.integer("scheme", scheme);
  t.integers("pad_amount", {rankOf(t.dims("input")), 2}, *rows);
  return t.node({t.tensor("input")});
}

/// PAD_V2 has the value as the tensor stores it, so has QNN.
bool qnntwins::twinPad(TwinMaker &t) {
  if (t.has("pad_value")) {
    if (t.isQuantized() || t.isInteger())
      t.integer("pad_constant_value", t.scalar("pad_value"), DataType::INT_32);
    else
      t.real("pad_constant_value", t.number("pad_value"));
  }
  return pad(t, 0);
}

bool qnntwins::twinMirrorPad(TwinMaker &t) {
  constexpr std::int64_t kReflect = 0, kQnnSymmetric = 1, kQnnReflect = 2;
  return pad(t, t.scalar("mode") == kReflect ? kQnnReflect : kQnnSymmetric);
}

static bool slice(TwinMaker &t, const Dims &begin, const Dims &end,
                  const Dims &stride) {
  Dims ranges;
  for (std::size_t a = 0; a < begin.size(); ++a)
    ranges.insert(ranges.end(), {begin[a], end[a], stride[a]});
  t.integers("ranges", {rankOf(begin), 3}, ranges, DataType::INT_32);
  return t.node({t.tensor("input")});
}

bool qnntwins::twinSlice(TwinMaker &t) {
  auto begin = t.integersOf("begin"), end = t.integersOf("size");
  if (!begin || !end)
    return false;
  for (std::size_t a = 0; a < begin->size(); ++a)
    (*end)[a] = (*end)[a] < 0 ? t.dims("input")[a] : (*begin)[a] + (*end)[a];
  return slice(t, *begin, *end, Dims(begin->size(), 1));
}

bool qnntwins::twinStridedSlice(TwinMaker &t) {
  auto begin = t.integersOf("begin"), end = t.integersOf("end"),
       stride = t.integersOf("strides");
  if (!begin || !end || !stride)
    return false;
  // Backwards NNAPI's -1 is the last element, QNN's the place before the first.
  for (std::size_t a = 0; a < end->size(); ++a)
    if ((*stride)[a] < 0 && (*end)[a] == -1)
      (*end)[a] = t.dims("input")[a] - 1;
  t.integer("begin_mask", t.scalar("begin_mask"));
  t.integer("end_mask", t.scalar("end_mask"));
  t.integer("shrink_axes", t.scalar("shrink_axis_mask"));
  if (t.outputDims().size() + std::size_t(std::popcount(std::uint64_t(
                                  t.scalar("shrink_axis_mask")))) >
      t.dims("input").size())
    return t.none("all axes shrink, and NNAPI leaves one");
  return slice(t, *begin, *end, *stride);
}

bool qnntwins::twinReverse(TwinMaker &t) {
  auto axes = t.integersOf("axes");
  if (!axes)
    return false;
  const Dims &dims = t.dims("input");
  Dims begin(dims.size(), 0), end = dims, stride(dims.size(), 1);
  for (std::int64_t axis : *axes) {
    auto a = std::size_t(axis < 0 ? axis + rankOf(dims) : axis);
    begin[a] = dims[a] - 1;
    end[a] = -1;
    stride[a] = -1;
  }
  return slice(t, begin, end, stride);
}

bool qnntwins::twinGather(TwinMaker &t) {
  t.integer("axis", t.axis("axis", rankOf(t.dims("input"))), DataType::INT_32);
  return t.node({t.tensor("input"), t.tensor("indices")});
}

bool qnntwins::twinEmbedding(TwinMaker &t) {
  t.integer("axis", 0, DataType::INT_32);
  return t.node({t.tensor("values"), t.tensor("lookups")});
}

bool qnntwins::twinFill(TwinMaker &t) {
  if (t.isInteger() || t.operand("value").entry().element == ElementType::I32)
    t.integer("value", t.scalar("value"), DataType::INT_32);
  else
    t.real("value", t.number("value"));
  std::string shape = t.constant("shape");
  t.at(shape).type = DataType::UINT_32;
  return t.node({shape});
}

bool qnntwins::twinChannelShuffle(TwinMaker &t) {
  t.integer("num_groups", t.scalar("groups"));
  t.integer("axis", t.axis("axis", rankOf(t.dims("input"))));
  return t.node({t.tensor("input")});
}
