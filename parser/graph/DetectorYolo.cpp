//===- DetectorYolo.cpp - Heads of YOLO -----------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/graph/Detector.h"

using namespace yarrow;
using namespace yarrow::graph;
using namespace mlir;
using compass::DType;

/// Those that were given, in equal parts, or those of the networks that the
/// heads are named after.
std::vector<std::vector<double>> Detector::anchorsOfScales() {
  size_t scales = options.numOutputs();
  if (!options.anchors.empty()) {
    std::vector<std::vector<double>> parts(scales);
    size_t each = options.anchors.size() / scales;
    for (size_t i = 0; i < scales; ++i)
      parts[i].assign(options.anchors.begin() + long(i * each),
                      options.anchors.begin() + long((i + 1) * each));
    return parts;
  }
  if (options.head == DetectionOptions::Yolo2)
    return {{1.3221, 1.73145, 3.19275, 4.00944, 5.05587, 8.09892, 9.47112,
             4.84053, 11.2364, 10.0071}};
  if (options.head == DetectionOptions::Yolo3Tiny)
    return {{2.53125, 2.5625, 4.21875, 5.28125, 11.65625, 9.96875},
            {0.625, 0.875, 1.4375, 1.6875, 2.3125, 3.625}};
  std::vector<std::vector<double>> pixels = {{116, 90, 156, 198, 373, 326},
                                             {30, 61, 62, 45, 59, 119},
                                             {10, 13, 16, 30, 33, 23}};
  for (auto [i, scale] : llvm::enumerate(pixels))
    for (double &side : scale)
      side /= double(32 >> i);
  return pixels;
}

FailureOr<Found> Detector::region(size_t output, ArrayRef<double> anchors) {
  const Tensor *tensor = graph.outputs[output];
  auto boxes = int64_t(anchors.size() / 2);
  const Shape &shape = *tensor->shape;
  // x, y, w, h, objectness and a score of each class for every box of a cell.
  auto classesOf = [&](size_t axis) {
    int64_t classes = shape[axis] % boxes ? 0 : shape[axis] / boxes - 5;
    bool isReported = options.classes == 0 || options.classes == classes;
    return isReported ? classes : 0;
  };
  bool isFirst = shape.size() == 4 && classesOf(1) > 0;
  int64_t classes = shape.size() != 4 ? 0 : classesOf(isFirst ? 1 : 3);
  if (classes < 1) {
    problem("an output of the network is not a head of " + options.headName)
        .found(tensor->name + " " + shapeText(shape))
        .expected("[N," + std::to_string(boxes) + " * (5 + " +
                  (options.classes ? std::to_string(options.classes)
                                   : std::string("classes")) +
                  "),rows,columns], or the same with these channels last");
    return failure();
  }
  place("head_" + std::to_string(output + 1));
  Value x = isFirst ? emitter.last(tensor) : emitter.plain(tensor);
  if (!x)
    return failure();
  SmallVector<int64_t> s(shapeOf(x));
  x = named(build.reshape(x, {s[0], s[1], s[2], boxes, classes + 5}));
  place("region_" + std::to_string(output + 1));
  int64_t most = options.mostBoxes;
  SmallVector<Value> r = build.declared(
      "Region", {x},
      {{"anchors", std::vector<double>(anchors)},
       {"max_box_num", most},
       {"box_per_grid", boxes},
       {"grid_height", s[1]},
       {"grid_width", s[2]},
       {"class_num", classes},
       {"obj_thresh", options.score},
       {"grid_compensate", options.compensatesGrid}},
      {type({s[0], most}, DType::F32), type({s[0], most, 4}, DType::F32),
       type({s[0], classes}, DType::I32), type({s[0], classes}, DType::I32),
       type({s[0], 1}, DType::I32)});
  if (!r[0])
    return failure();
  build.nameLayers(r);
  return Found{r[1], r[2], r[4], r[0], r[3]};
}

FailureOr<Found> Detector::fused(const Found &a, const Found &b,
                                 unsigned count) {
  int64_t batch = shapeOf(a.scores)[0], classes = shapeOf(a.perClass)[1],
          most = shapeOf(a.scores)[1] + shapeOf(b.scores)[1];
  if (shapeOf(b.perClass)[1] != classes) {
    problem("the heads have different numbers of classes")
        .found(std::to_string(classes) + " and " +
               std::to_string(shapeOf(b.perClass)[1]));
    return failure();
  }
  place("region_fuse_" + std::to_string(count));
  SmallVector<Value> r = build.declared(
      "RegionFuse",
      {a.scores, b.scores, a.boxes, b.boxes, a.perClass, b.perClass, a.labels,
       b.labels, a.classCount, b.classCount},
      {{"class_num", classes}},
      {type({batch, most}, DType::F32), type({batch, most, 4}, DType::F32),
       type({batch, classes}, DType::I32), type({batch, classes}, DType::I32),
       type({batch, 1}, DType::I32)});
  if (!r[0])
    return failure();
  build.nameLayers(r);
  return Found{r[1], r[2], r[4], r[0], r[3]};
}

FailureOr<Found> Detector::yolo() {
  std::vector<std::vector<double>> anchors = anchorsOfScales();
  FailureOr<Found> all = region(0, anchors[0]);
  for (size_t i = 1; succeeded(all) && i < anchors.size(); ++i) {
    FailureOr<Found> next = region(i, anchors[i]);
    all = failed(next) ? FailureOr<Found>(failure())
                       : fused(*all, *next, unsigned(i));
  }
  return all;
}
