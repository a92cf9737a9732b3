//===- Movement.cpp - Layers that move values -----------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/Compass.h"
#include "dialects/compass/LayerKeys.h"
#include "dialects/compass/Layers.h"
#include "parser/export/LayerNumbers.h"
#include "parser/qnn/export/Exports.h"
#include "llvm/ADT/StringSwitch.h"
#include <algorithm>

using namespace yarrow;
using namespace yarrow::qnn;
using namespace mlir;

static Lengths listKey(LayerExport &n, compass::IntsKey key) {
  auto list = compass::intsKey(n.op, key);
  return {list.begin(), list.end()};
}

LogicalResult qnn::exportReshape(LayerExport &n) {
  return n.result("Reshape", {n.in(0)});
}

LogicalResult qnn::exportTranspose(LayerExport &n) {
  return n.result("Transpose", {n.in(0)},
                  {uint32sParam("perm", listKey(n, compass::keys::perm))});
}

LogicalResult qnn::exportConcat(LayerExport &n) {
  return n.result(
      "Concat", n.ins(),
      {uint32Param("axis",
                   exports::axisOf(n.op, compass::keys::axis, n.rank()))});
}

LogicalResult qnn::exportSplit(LayerExport &n) {
  Lengths splits = listKey(n, compass::keys::splits), places;
  if (splits.size() == 1)
    return n.result("Reshape", {n.in(0)});
  int64_t place = 0;
  for (int64_t length : ArrayRef(splits).drop_back())
    places.push_back(place += length);
  n.node("Split", {n.in(0)}, n.outs(),
         {uint32Param("axis",
                      exports::axisOf(n.op, compass::keys::axis, n.rank())),
          uint32sParam("split_index", places)});
  return success();
}

/// Rows of begin, end and step; bits of \p openEnds for ends before index 0.
static LogicalResult slice(LayerExport &n, const Lengths &rows,
                           int64_t openEnds = 0) {
  std::vector<QnnParam> params = {
      int32sParam("ranges", rows, {int64_t(rows.size()) / 3, 3})};
  if (openEnds)
    params.push_back(uint32Param("end_mask", openEnds));
  return n.result("StridedSlice", {n.in(0)}, std::move(params));
}

LogicalResult qnn::exportSlice(LayerExport &n) {
  compass::TensorInfo in = n.input(0);
  Lengths begin = listKey(n, compass::keys::begin),
          end = listKey(n, compass::keys::end),
          strides = listKey(n, compass::keys::strides), rows;
  strides.resize(begin.size(), 1);
  int64_t openEnds = 0;
  for (size_t i = 0; i < begin.size(); ++i) {
    int64_t length = in.shape[i];
    auto fromFront = [&](int64_t place, int64_t least) {
      return std::clamp(place < 0 ? place + length : place, least, length);
    };
    bool isBackward = strides[i] < 0;
    int64_t first = fromFront(begin[i], 0),
            after = fromFront(end[i], isBackward ? -1 : 0);
    if (isBackward && after < 0) {
      openEnds |= int64_t(1) << i;
      after = 0;
    }
    rows.insert(rows.end(), {isBackward ? std::min(first, length - 1) : first,
                             after, strides[i]});
  }
  return slice(n, rows, openEnds);
}

LogicalResult qnn::exportCrop(LayerExport &n) {
  compass::TensorInfo in = n.input(0);
  Lengths rows;
  for (auto [i, crop] :
       llvm::enumerate(compass::nestedKey(n.op, compass::keys::crops))) {
    auto fromFront = [&, length = in.shape[i]](int64_t place) {
      return place < 0 ? place + length : place;
    };
    rows.insert(rows.end(), {fromFront(crop[0]), fromFront(crop[1]), 1});
  }
  return slice(n, rows);
}

LogicalResult qnn::exportPad(LayerExport &n) {
  std::string mode = compass::wordKey(n.op, compass::keys::mode, "CONSTANT");
  int scheme = llvm::StringSwitch<int>(mode)
                   .Case("CONSTANT", 0)
                   .Case("SYMMETRIC", 1)
                   .Case("REFLECT", 2)
                   .Default(-1);
  if (scheme < 0)
    return n.refuse(compass::keys::mode,
                    Twine("with mode ") + mode + " is not exported");
  Lengths pads;
  for (ArrayRef<int64_t> pad : compass::nestedKey(n.op, compass::keys::pads))
    pads.insert(pads.end(), {pad[0], pad[1]});
  std::vector<QnnParam> params = {
      uint32Param("scheme", scheme),
      uint32sParam("pad_amount", pads, {int64_t(pads.size()) / 2, 2})};
  double border =
      compass::numberOf(n.op->getAttr(compass::keys::constant_value))
          .value_or(0);
  // Of fixed point the integer as it is stored.
  if (scheme == 0)
    params.push_back(n.input(0).isFloat()
                         ? floatParam("pad_constant_value", border)
                         : int32Param("pad_constant_value", int64_t(border)));
  return n.result("Pad", {n.in(0)}, std::move(params));
}

LogicalResult qnn::exportTile(LayerExport &n) {
  return n.result(
      "Tile", {n.in(0)},
      {uint32sParam("multiples", listKey(n, compass::keys::repeats))});
}

static QnnParam blockSize(LayerExport &n) {
  return uint32sParam("block_size",
                      {compass::intKey(n.op, compass::keys::block_size_y),
                       compass::intKey(n.op, compass::keys::block_size_x)});
}

LogicalResult qnn::exportDepthToSpace(LayerExport &n) {
  bool isCrd = compass::wordKey(n.op, compass::keys::mode, "DCR") == "CRD";
  return n.result("DepthToSpace", {n.in(0)},
                  {blockSize(n), uint32Param("mode", isCrd)});
}

LogicalResult qnn::exportSpaceToDepth(LayerExport &n) {
  return n.result("SpaceToDepth", {n.in(0)}, {blockSize(n)});
}

/// Rows above and below, columns at the left and right, from the \p sides in
/// this order.
static QnnParam borders(LayerExport &n, StringRef param,
                        std::array<compass::IntKey, 4> sides) {
  Lengths values;
  for (compass::IntKey side : sides)
    values.push_back(compass::intKey(n.op, side));
  return uint32sParam(param, values, {2, 2});
}

LogicalResult qnn::exportBatchToSpace(LayerExport &n) {
  return n.result(
      "BatchToSpace", {n.in(0)},
      {blockSize(n),
       borders(n, "crops",
               {compass::keys::crop_top, compass::keys::crop_bottom,
                compass::keys::crop_left, compass::keys::crop_right})});
}

LogicalResult qnn::exportSpaceToBatch(LayerExport &n) {
  // The border holds the integer 0 there.
  if (n.output().zp != 0)
    return n.refuse("layer_top_zp", "with a zero point is not exported");
  return n.result(
      "SpaceToBatch", {n.in(0)},
      {blockSize(n),
       borders(n, "pad_amount",
               {compass::keys::pad_top, compass::keys::pad_bottom,
                compass::keys::pad_left, compass::keys::pad_right})});
}

LogicalResult qnn::exportChannelShuffle(LayerExport &n) {
  if (n.op->getNumResults() != 1)
    return n.refuse(compass::keys::splits, "is cut into parts");
  return n.result(
      "ChannelShuffle", {n.in(0)},
      {uint32Param("num_groups", compass::intKey(n.op, compass::keys::group)),
       uint32Param("axis", int64_t(n.rank()) - 1)});
}

LogicalResult qnn::exportShape(LayerExport &n) {
  auto rank = int64_t(n.input(0).shape.size());
  auto fromFront = [&](int64_t axis) { return axis < 0 ? axis + rank : axis; };
  int64_t end = n.op->hasAttr(compass::keys::end)
                    ? compass::intKey(n.op, compass::keys::end)
                    : rank;
  return n.resultAs(DataType::UINT_32, "Shape", {n.in(0)},
                    {uint32Param("start", fromFront(compass::intKey(
                                              n.op, compass::keys::start))),
                     uint32Param("end", fromFront(end))});
}
