//===- Detection.cpp - Layers behind a detector ---------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/graph/Detection.h"
#include "parser/graph/Detector.h"

using namespace yarrow;
using namespace yarrow::graph;
using namespace mlir;
using compass::DType;

FailureOr<SmallVector<Value>> Detector::emit() {
  if (graph.outputs.size() != options.numOutputs()) {
    problem("the network does not have the outputs that " + options.headName +
            " reads")
        .found(std::to_string(graph.outputs.size()))
        .expected(std::to_string(options.numOutputs()))
        .hint("name the tensors of the heads with output = ... in [Parser]");
    return failure();
  }
  bool isSsd = options.head == DetectionOptions::Ssd ||
               options.head == DetectionOptions::SsdResnet;
  FailureOr<Found> found = isSsd ? ssd() : yolo();
  if (failed(found))
    return failure();
  int64_t batch = shapeOf(found->boxes)[0], most = options.mostBoxes,
          classes = shapeOf(found->perClass)[1];
  place("nms");
  SmallVector<Value> kept = build.declared(
      "NMS", {found->boxes, found->perClass, found->classCount, found->scores},
      {{"method", "HARD"},
       {"center_point_box", 0},
       {"image_width", options.width},
       {"image_height", options.height},
       {"iou_threshold", options.overlap},
       {"score_threshold", 0.0}, // told by the layers before
       {"soft_nms_sigma", 0.0},
       {"max_output_size", most}},
      {type({batch, most, 4}, DType::F32), type({batch, classes}, DType::I32),
       type({batch, most}, DType::F32), type({batch, most}, DType::I32)});
  if (!kept[0])
    return failure();
  build.nameLayers(kept);
  kept.insert(kept.begin(), found->labels);
  return kept;
}

FailureOr<SmallVector<Value>>
graph::emitDetection(Emitter &emitter, const DetectionOptions &options) {
  return Detector(emitter, options).emit();
}
