//===- Custom.cpp - Operators that are known by their names ---------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/tflite/FlexMap.h"
#include "parser/tflite/ModelState.h"
#include "parser/tflite/OperatorReader.h"
#include <cmath>

using namespace yarrow;
using namespace yarrow::tflite;
using graph::Attribute;
using graph::Node;

namespace {

/// Options of TFLite_Detection_PostProcess, with TFLite's defaults.
struct Option {
  const char *key;
  bool isWhole, isNeeded;
  double least; ///< Also if it is left out.
};
constexpr Option kDetection[] = {
    {"max_detections", true, true, 1},
    {"max_classes_per_detection", true, true, 1},
    {"num_classes", true, true, 1},
    {"nms_score_threshold", false, true, -INFINITY},
    {"nms_iou_threshold", false, true, -INFINITY},
    {"y_scale", false, true, 1e-30},
    {"x_scale", false, true, 1e-30},
    {"h_scale", false, true, 1e-30},
    {"w_scale", false, true, 1e-30},
    {"use_regular_nms", true, false, 0},
    {"detections_per_class", true, false, 1}};
constexpr std::int64_t kDetectionsPerClass = 100;

} // namespace

/// Boxes as differences to anchors, scores by class, anchors: the boxes that
/// non-maximum suppression keeps, their classes and scores, and how many.
bool tflite::readDetectionPostProcess(OperatorReader &r) {
  if (!r.checkCounts(3, 3, 4))
    return false;
  FlexMap map(r.customOptions);
  Node &node = r.tfliteResult(r.inputs);
  node.attributes["detections_per_class"] = Attribute::of(kDetectionsPerClass);
  bool ok = true;
  for (const Option &option : kDetection) {
    auto value = map.number(option.key);
    if (!value && !option.isNeeded)
      continue;
    constexpr double kMost = 1 << 28;
    bool isWhole = value && *value == std::floor(*value) && *value <= kMost;
    if (!value || !(*value >= option.least) || (option.isWhole && !isWhole)) {
      ok = r.bad(
          std::string("the option ") + option.key + " has an invalid value",
          value ? std::to_string(*value) : "none",
          option.isWhole
              ? "a number of " + std::to_string(std::int64_t(option.least)) +
                    " or more"
              : "a number");
      continue;
    }
    node.attributes[option.key] = option.isWhole
                                      ? Attribute::of(std::int64_t(*value))
                                      : Attribute::of(float(*value));
  }
  return ok;
}

/// MediaPipe's: input, weights [output, rows, columns, input] and biases. Its
/// options are three integers: the padding (1 SAME, 2 VALID) and the strides.
bool tflite::readTransposedBias(OperatorReader &r) {
  if (!r.checkCounts(2, 3))
    return false;
  FlatList<std::int32_t> options(r.customOptions);
  if (options.size() < 3 || options[0] < 1 || options[0] > 2)
    return r.bad("the options are not valid",
                 std::to_string(r.customOptions.size()) + " bytes",
                 "a padding and two strides, 32 bits each");
  Node &node = r.tfliteResult({r.input(0), r.input(1), r.input(2)});
  // TRANSPOSE_CONV counts paddings from 0.
  node.attributes["padding"] = Attribute::of(std::int64_t(options[0] - 1));
  node.attributes["stride_w"] = Attribute::of(std::int64_t(options[1]));
  node.attributes["stride_h"] = Attribute::of(std::int64_t(options[2]));
  return true;
}
