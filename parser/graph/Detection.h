//===- Detection.h - Layers after a detector --------------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// SSD: Softmax, DecodeBox, NMS. YOLO: a Region for each scale, RegionFuse, NMS.
// The results, in the order of the Compass Parser: labels of the classes that
// were found, boxes, boxes of each class, scores, and indices of the boxes.
//
//   if (auto results = emitDetection(emitter, options); succeeded(results))
//     ... // in place of the graph's outputs
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PARSER_GRAPH_DETECTION_H
#define YARROW_PARSER_GRAPH_DETECTION_H

#include "parser/graph/DetectionOptions.h"
#include "parser/graph/Emitter.h"
#include <array>

namespace yarrow::graph {

/// Makes layers of the outputs of the emitter's graph, all nodes of which have
/// theirs. Problems are reported.
llvm::FailureOr<llvm::SmallVector<mlir::Value>>
emitDetection(Emitter &emitter, const DetectionOptions &options);

/// y, x, h and w of each anchor of an SSD with \p options.featureMaps.
std::vector<std::array<float, 4>> ssdAnchors(const DetectionOptions &options);

} // namespace yarrow::graph

#endif // YARROW_PARSER_GRAPH_DETECTION_H
