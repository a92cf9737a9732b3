//===- Detection.cpp - Operations about boxes -----------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/nnapi/OperationReader.h"

using namespace yarrow;
using namespace yarrow::nnapi;
using graph::Attribute;
using graph::Node;
using graph::Tensor;

namespace {

/// The node of the operation's own; scalars of the same names as attributes.
Node &ownNode(OperationReader &r, std::vector<Tensor *> from,
              std::initializer_list<const char *> reals,
              std::initializer_list<const char *> integers) {
  std::vector<Tensor *> to = r.outputs;
  if (r.count)
    to.push_back(r.count);
  Node &node = r.add(r.entry.node, std::move(from), std::move(to));
  node.domain = kDomain;
  for (const char *name : reals)
    node.attributes[name] = Attribute::of(float(r.real(name)));
  for (const char *name : integers)
    node.attributes[name] = Attribute::of(r.scalar(name));
  return node;
}

/// An image or a heatmap with channels last.
Tensor *channelsLast(OperationReader &r, const char *name) {
  Tensor *x = r.input(name);
  return r.flag("nchw") ? r.transposed(x, {0, 2, 3, 1}, name) : x;
}

} // namespace

bool nnapi::readBoxTransform(OperationReader &r) {
  ownNode(r, r.inputs, {}, {});
  return true;
}

bool nnapi::readBoxWithNmsLimit(OperationReader &r) {
  static constexpr const char *kMethods[] = {"HARD", "LINEAR", "GAUSSIAN"};
  std::int64_t kind = r.scalar("nms_kind");
  if (kind < 0 || kind > 2)
    return r.bad("unknown suppression kernel", std::to_string(kind),
                 "0 hard, 1 linear or 2 gaussian");
  if (kind == 2 && !(r.real("sigma") > 0))
    return r.bad("sigma is not positive", std::to_string(r.real("sigma")),
                 "a number above 0");
  r.count = r.between("count");
  Node &node = ownNode(
      r, {r.input("scores"), r.input("boxes"), r.input("batch_index")},
      {"score_threshold", "iou_threshold", "sigma", "nms_score_threshold"},
      {"max_boxes"});
  node.attributes["method"] = Attribute::of(std::string(kMethods[kind]));
  return true;
}

bool nnapi::readGenerateProposals(OperationReader &r) {
  r.count = r.between("count");
  ownNode(r,
          {channelsLast(r, "scores"), channelsLast(r, "deltas"),
           r.input("anchors"), r.input("image_info")},
          {"scale_h", "scale_w", "iou_threshold", "min_size"},
          {"pre_nms_top_n", "post_nms_top_n"});
  return true;
}

bool nnapi::readDetectionPostprocessing(OperationReader &r) {
  for (const char *name : {"scale_dy", "scale_dx", "scale_dh", "scale_dw"})
    if (!(r.real(name) > 0))
      return r.bad(std::string(name) + " is not positive",
                   std::to_string(r.real(name)), "a number above 0");
  const char *limits[] = {"max_num_detections",
                          r.flag("regular_nms") ? "max_detections_per_class"
                                                : "max_classes_per_detection"};
  for (const char *name : limits)
    if (r.scalar(name) < 1)
      return r.bad(std::string(name) + " keeps no box",
                   std::to_string(r.scalar(name)), "1 or more");
  ownNode(r, {r.input("scores"), r.input("deltas"), r.input("anchors")},
          {"scale_dy", "scale_dx", "scale_dh", "scale_dw", "score_threshold",
           "iou_threshold"},
          {"regular_nms", "max_num_detections", "max_classes_per_detection",
           "max_detections_per_class", "add_background"});
  return true;
}

bool nnapi::readHeatmapMaxKeypoint(OperationReader &r) {
  ownNode(r, {channelsLast(r, "heatmaps"), r.input("boxes")}, {}, {});
  return true;
}
