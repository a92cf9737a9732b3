//===- Detector.h - How layers after a detector are made --------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The parts of Detection.cpp: each kind of head has a file of its own
// (DetectorSsd.cpp, DetectorYolo.cpp).
//
//   Detector detector(emitter, options);
//   return detector.emit();
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PARSER_GRAPH_DETECTOR_H
#define YARROW_PARSER_GRAPH_DETECTOR_H

#include "parser/graph/DetectionOptions.h"
#include "parser/graph/Emitter.h"
#include "support/diagnostics/Import.h"
#include <array>

namespace yarrow::graph {

/// What stands before the suppression.
struct Found {
  mlir::Value boxes, perClass, classCount, scores, labels;
};

/// Makes the layers behind one network, kind by kind of head.
class Detector {
public:
  Detector(Emitter &emitter, const DetectionOptions &options)
      : emitter(emitter), build(emitter.build), graph(emitter.graph),
        options(options) {}

  llvm::FailureOr<llvm::SmallVector<mlir::Value>> emit();

private:
  yarrow::Diagnostic &problem(const std::string &message) {
    return emitter.state.diags.report(diag::ImportDetection,
                                      {emitter.state.file}, message);
  }
  mlir::Type type(const Shape &shape, compass::DType element) {
    return compass::plainType(build.builder.getContext(), shape, element);
  }
  void place(const std::string &name) {
    build.setPlace(options.prefix + "_" + name, emitter.state.file,
                   "detection_postprocess " + options.headName);
  }
  mlir::Value named(mlir::Value value) {
    build.nameLayers({value});
    return value;
  }
  mlir::Value layer(const char *name, llvm::StringRef layerType,
                    mlir::ValueRange operands, const Keys &keys) {
    place(name);
    return named(build.layer(layerType, operands, keys));
  }

  //===--- SSD ---===//
  llvm::FailureOr<Found> ssd();
  llvm::FailureOr<Found> decoded(mlir::Value scores, mlir::Value deltas,
                                 llvm::ArrayRef<std::array<float, 4>> anchors);
  llvm::FailureOr<std::vector<std::array<float, 4>>> anchorsOfModel();
  mlir::Value rowsOf(size_t output, int64_t boxes);
  mlir::Value activated(mlir::Value scores);

  //===--- YOLO ---===//
  llvm::FailureOr<Found> yolo();
  llvm::FailureOr<Found> region(size_t output, llvm::ArrayRef<double> anchors);
  llvm::FailureOr<Found> fused(const Found &a, const Found &b, unsigned count);
  std::vector<std::vector<double>> anchorsOfScales();

  Emitter &emitter;
  LayerBuilder &build;
  const Graph &graph;
  const DetectionOptions &options;
};

} // namespace yarrow::graph

#endif // YARROW_PARSER_GRAPH_DETECTOR_H
