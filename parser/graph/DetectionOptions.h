//===- DetectionOptions.h - What comes after a detector ---------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The layers that compute boxes from a detector's heads, by the names that the
// Compass Parser has for them.
//
//   DetectionOptions detection;
//   detection.head = DetectionOptions::Ssd;
//   detection.featureMaps = {{19, 19}, {10, 10}};
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PARSER_GRAPH_DETECTIONOPTIONS_H
#define YARROW_PARSER_GRAPH_DETECTIONOPTIONS_H

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace yarrow::graph {

struct DetectionOptions {
  enum Head { Ssd, SsdResnet, Yolo2, Yolo3Tiny, Yolo3Full } head = Ssd;
  std::string headName; ///< As the user calls it.
  std::string prefix;   ///< Of the layers' names.
  double overlap = 0.5; ///< Above which a box counts as found.
  double score = 0.5;   ///< That a box has to exceed.
  std::int64_t mostBoxes = 5000;
  std::int64_t width = 416, height = 416; ///< Of the image.
  std::int64_t classes = 0; ///< Without the background; 0: as the heads have.
  /// Pairs of width and height in cells (YOLO); none: those of the original.
  std::vector<double> anchors = {};

  // SSD
  bool isXy = false;      ///< Boxes are x, y, w, h, not y, x, h, w.
  bool isSigmoid = false; ///< What becomes of the classes: sigmoid or softmax.
  bool isNormalized = true;
  std::vector<double> variance = {}; ///< Divisors of y, x, h and w.
  /// Rows and columns of the feature maps, for which anchors are made.
  std::vector<std::pair<std::int64_t, std::int64_t>> featureMaps = {};
  /// A constant of the model that holds the anchors instead.
  std::string anchorTensor;
  bool hasCorners = false; ///< Anchors are y1, x1, y2, x2.

  // YOLO
  bool compensatesGrid = true;

  std::size_t numOutputs() const {
    return head == Yolo2 ? 1 : head == Yolo3Full ? 3 : 2;
  }
};

} // namespace yarrow::graph

#endif // YARROW_PARSER_GRAPH_DETECTIONOPTIONS_H
