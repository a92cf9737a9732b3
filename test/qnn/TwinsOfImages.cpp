//===- TwinsOfImages.cpp - Images and boxes -------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "test/qnn/TwinMaker.h"

using namespace yarrow;
using namespace yarrow::qnntwins;
using qnn::DataType;

bool qnntwins::twinBlocks(TwinMaker &t) {
  std::int64_t size = t.scalar("block_size");
  t.integers("block_size", {2}, {size, size});
  return t.node({t.tensor("input")});
}

bool qnntwins::twinBatchToSpace(TwinMaker &t) {
  auto size = t.integersOf("block_shape");
  if (!size)
    return false;
  t.integers("block_size", {2}, *size);
  return t.node({t.tensor("input")});
}

bool qnntwins::twinSpaceToBatch(TwinMaker &t) {
  auto size = t.integersOf("block_shape"), pads = t.integersOf("paddings");
  if (!size || !pads)
    return false;
  t.integers("block_size", {2}, *size);
  t.integers("pad_amount", {2, 2}, *pads);
  return t.node({t.tensor("input")});
}

bool qnntwins::twinResize(TwinMaker &t) {
  t.flag("align_corners", t.scalar("align_corners"));
  t.flag("half_pixel_centers", t.scalar("half_pixel"));
  return t.node({t.tensor("input")});
}

/// Boxes come before what belongs to them in NNAPI, too.
bool qnntwins::twinRoiAlign(TwinMaker &t) {
  t.reals("img_size_ratio",
          {float(t.number("ratio_h")), float(t.number("ratio_w"))});
  // 0 samples of NNAPI are as many as a bin has elements, QNN's -1.
  auto samples = [&](const char *name) {
    std::int64_t count = t.scalar(name);
    return count == 0 ? -1 : count;
  };
  t.integer("num_samples_y", samples("samples_h"), DataType::INT_32);
  t.integer("num_samples_x", samples("samples_w"), DataType::INT_32);
  return t.node({t.tensor("input"), t.tensor("rois"), t.tensor("batch_index")});
}

bool qnntwins::twinRoiPooling(TwinMaker &t) {
  t.reals("img_size_ratio",
          {float(t.number("ratio_h")), float(t.number("ratio_w"))});
  std::string batches = t.constant("batch_index");
  if (!t.why.empty())
    return false;
  t.at(batches).type = DataType::UINT_32;
  return t.node({t.tensor("input"), t.tensor("rois"), batches});
}

bool qnntwins::twinBoxTransform(TwinMaker &t) {
  return t.node({t.tensor("rois"), t.tensor("deltas"), t.tensor("batch_index"),
                 t.tensor("image_info")});
}

/// \p name without its first \p count columns.
static std::string withoutColumns(TwinMaker &t, const std::string &name,
                                  std::int64_t count) {
  const Dims dims = t.at(name).dims;
  std::string part = t.between(name, {dims[0], dims[1] - count}, "columns");
  t.integers("ranges", {2, 3}, {0, dims[0], 1, count, dims[1], 1},
             DataType::INT_32);
  t.add("StridedSlice", {name}, {part});
  return part;
}

/// NNAPI leaves class 0 out, which is the background. Its results are scores,
/// boxes, classes, batches; QNN's: boxes, scores, classes, batches.
bool qnntwins::twinNmsLimit(TwinMaker &t) {
  if (t.scalar("max_boxes") >= 0)
    return t.none("QNN limits boxes before suppression, NNAPI behind it");
  std::string boxes = withoutColumns(t, t.tensor("boxes"), 4),
              scores = withoutColumns(t, t.tensor("scores"), 1),
              classes = t.between(t.output(2), t.outputDims(2), "classes"),
              one = t.between(classes, {1}, "one");
  t.integer("nms_kernel_method", t.scalar("nms_kind"), DataType::INT_32);
  for (const char *name :
       {"nms_score_threshold", "score_threshold", "iou_threshold", "sigma"})
    t.real(name, t.number(name));
  t.add("BoxWithNmsLimit", {boxes, scores, t.tensor("batch_index")},
        {t.output(1), t.output(0), classes, t.output(3)});
  t.at(one).kind = qnn::TensorKind::Static;
  std::int32_t value = 1;
  auto bytes = std::as_bytes(std::span(&value, 1));
  qnn::setValue(t.at(one), {bytes.begin(), bytes.end()});
  t.add("ElementWiseAdd", {classes, one}, {t.output(2)});
  return true;
}

bool qnntwins::twinProposals(TwinMaker &t) {
  t.reals("img_size_ratio",
          {float(t.number("scale_h")), float(t.number("scale_w"))});
  t.real("min_size", t.number("min_size"));
  for (auto [name, limit] : {std::pair("pre_nms_top_n", "pre_nms_limit"),
                             std::pair("post_nms_top_n", "post_nms_limit")})
    if (t.scalar(name) > 0)
      t.integer(limit, t.scalar(name));
  t.real("iou_threshold", t.number("iou_threshold"));
  return t.node({t.tensor("scores"), t.tensor("deltas"), t.tensor("anchors"),
                 t.tensor("image_info")});
}

bool qnntwins::twinKeypoint(TwinMaker &t) {
  return t.node({t.tensor("heatmaps"), t.tensor("boxes")});
}
