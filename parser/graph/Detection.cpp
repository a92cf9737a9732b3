//===- Detection.cpp - Layers behind a detector ---------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/graph/Detection.h"
#include "dialects/compass/Records.h"
#include <array>

using namespace yarrow;
using namespace yarrow::graph;
using namespace mlir;
using compass::DType;

namespace {

/// What stands before the suppression.
struct Found {
  Value boxes, perClass, classCount, scores, labels;
};

class Detector {
public:
  Detector(Emitter &emitter, const DetectionOptions &options)
      : emitter(emitter), build(emitter.build), graph(emitter.graph),
        options(options) {}

  FailureOr<SmallVector<Value>> emit() {
    if (graph.outputs.size() != options.numOutputs()) {
      problem("the network has another number of outputs than " +
              options.headName + " reads")
          .found(std::to_string(graph.outputs.size()))
          .expected(std::to_string(options.numOutputs()))
          .hint("output = ... in [Parser] names the tensors of the heads");
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
        "NMS",
        {found->boxes, found->perClass, found->classCount, found->scores},
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

private:
  yarrow::Diagnostic &problem(const std::string &message) {
    return emitter.state.diags.report(DiagId::ImportDetection,
                                      {emitter.state.file}, message);
  }
  Type type(const Shape &shape, DType element) {
    return compass::plainType(build.builder.getContext(), shape, element);
  }
  void place(const std::string &name) {
    build.setPlace(options.prefix + "_" + name, emitter.state.file,
                   "detection_postprocess " + options.headName);
  }
  Value named(Value value) {
    build.nameLayers({value});
    return value;
  }
  Value layer(const char *name, StringRef layerType, ValueRange operands,
              const Keys &keys) {
    place(name);
    return named(build.layer(layerType, operands, keys));
  }

  //===--- SSD ---===//
  FailureOr<Found> ssd();
  FailureOr<Found> decoded(Value scores, Value deltas,
                           ArrayRef<std::array<float, 4>> anchors);
  FailureOr<std::vector<std::array<float, 4>>> anchorsOfModel();
  Value rowsOf(size_t output, int64_t boxes);
  Value activated(Value scores);

  //===--- YOLO ---===//
  FailureOr<Found> yolo();
  FailureOr<Found> region(size_t output, ArrayRef<double> anchors);
  FailureOr<Found> fused(const Found &a, const Found &b, unsigned count);
  std::vector<std::vector<double>> anchorsOfScales();

  Emitter &emitter;
  LayerBuilder &build;
  const Graph &graph;
  const DetectionOptions &options;
};
} // namespace

//===----------------------------------------------------------------------===//
// SSD
//===----------------------------------------------------------------------===//

FailureOr<std::vector<std::array<float, 4>>> Detector::anchorsOfModel() {
  if (options.anchorTensor.empty()) {
    if (!options.featureMaps.empty())
      return ssdAnchors(options);
    problem("the anchors of the detector are not known")
        .found("neither feature_map nor anchor_tensor_name")
        .expected("feature_map = [[19,19],[10,10],...], or the name of a "
                  "constant of the model");
    return failure();
  }
  const Tensor *tensor = graph.find(options.anchorTensor);
  bool fits = tensor && tensor->constant && !tensor->constant->shape.empty() &&
              tensor->constant->shape.back() == 4;
  if (!fits) {
    problem("anchor_tensor_name names no anchors")
        .found(!tensor ? options.anchorTensor + ", which is not there"
               : tensor->constant ? shapeText(tensor->constant->shape)
                                  : tensor->name + ", which is computed")
        .expected("a constant of 4 numbers for each anchor");
    return failure();
  }
  std::vector<double> values = tensor->constant->numbers();
  std::vector<std::array<float, 4>> anchors(values.size() / 4);
  for (size_t i = 0; i < anchors.size(); ++i) {
    double v[4];
    for (size_t k = 0; k < 4; ++k)
      v[k] = values[4 * i + (options.isXy ? k ^ 1 : k)];
    if (options.hasCorners)
      anchors[i] = {float((v[0] + v[2]) / 2), float((v[1] + v[3]) / 2),
                    float(v[2] - v[0]), float(v[3] - v[1])};
    else
      anchors[i] = {float(v[0]), float(v[1]), float(v[2]), float(v[3])};
  }
  return anchors;
}

/// An output as [batch, boxes, numbers]; null after an error.
Value Detector::rowsOf(size_t output, int64_t boxes) {
  Value x = emitter.plain(graph.outputs[output]);
  if (!x)
    return x;
  SmallVector<int64_t> shape(shapeOf(x));
  int64_t batch = shape.empty() ? 1 : shape[0],
          all = numElements(Shape(shape.begin(), shape.end())),
          numbers = boxes > 0 && batch > 0 ? all / batch / boxes : 0;
  if (shape.size() < 2 || numbers < 1 || numbers * boxes * batch != all) {
    problem("an output of the network does not fit the anchors")
        .found(graph.outputs[output]->name + " " +
               shapeText(Shape(shape.begin(), shape.end())))
        .expected("4 deltas, or a score of each class, for each of " +
                  std::to_string(boxes) + " anchors")
        .hint("feature_map lists rows and columns of all feature maps");
    return {};
  }
  place(output == 0 ? "first_head" : "second_head");
  if (shape.size() == 3 && shape[2] == boxes && shape[1] == numbers &&
      boxes != numbers)
    return named(build.transpose(x, {0, 2, 1}));
  return named(build.reshape(x, {batch, boxes, numbers}));
}

/// Whether \p x has gone through \p layerType (with \p method), and only been
/// moved since.
static bool comesFrom(Value x, StringRef layerType, StringRef method) {
  while (Operation *op = x ? x.getDefiningOp() : nullptr) {
    const compass::OperatorRecord *record = compass::recordOf(op);
    if (!record)
      return false;
    if (record->layerType == layerType) {
      auto attr = op->getAttrOfType<StringAttr>("method");
      return method.empty() || (attr && attr.getValue() == method);
    }
    if (record->layerType != "Reshape" && record->layerType != "Transpose" &&
        record->layerType != "Concat")
      return false;
    x = op->getOperand(0);
  }
  return false;
}

Value Detector::activated(Value scores) {
  if (comesFrom(scores, "Softmax", "") ||
      comesFrom(scores, "Activation", "SIGMOID"))
    return scores;
  return options.isSigmoid
             ? layer("sigmoid", "Activation", {scores}, {{"method", "SIGMOID"}})
             : layer("softmax", "Softmax", {scores}, {{"axis", 2}});
}

FailureOr<Found> Detector::ssd() {
  auto anchors = anchorsOfModel();
  if (failed(anchors))
    return failure();
  auto boxes = int64_t(anchors->size());
  Value first = rowsOf(0, boxes), second = rowsOf(1, boxes);
  if (!first || !second)
    return failure();
  if (shapeOf(second)[2] == 4)
    std::swap(first, second);
  if (shapeOf(first)[2] != 4 || shapeOf(first)[0] != shapeOf(second)[0]) {
    problem("no output of the network holds deltas of boxes")
        .found(std::to_string(shapeOf(first)[2]) + " and " +
               std::to_string(shapeOf(second)[2]) + " numbers for each anchor")
        .expected("4 numbers in one output");
    return failure();
  }
  Value scores = activated(second);
  if (options.isXy || options.head == DetectionOptions::SsdResnet) {
    place("yx");
    Value order = build.constantOf({4}, ArrayRef<int32_t>({1, 0, 3, 2}));
    first = named(build.layer("Gather", {first, order},
                              {{"axis", 2}, {"batch_dims", 0}}));
  }
  if (!scores || !first)
    return failure();
  return decoded(scores, first, *anchors);
}

FailureOr<Found> Detector::decoded(Value scores, Value deltas,
                                   ArrayRef<std::array<float, 4>> anchors) {
  int64_t batch = shapeOf(scores)[0], columns = shapeOf(scores)[2],
          most = options.mostBoxes;
  // Some count the background, too.
  if (columns < 2 || (options.classes != 0 && options.classes != columns - 1 &&
                      options.classes != columns)) {
    problem("the network has another number of classes")
        .found(std::to_string(columns) + " scores for each anchor")
        .expected("one for the background and " +
                  (options.classes
                       ? std::to_string(options.classes) + " for classes"
                       : std::string("one for each class")));
    return failure();
  }
  place("decode_box");
  Keys keys = {{"image_width", options.width},
               {"image_height", options.height},
               {"max_box_num", most},
               {"class_num", columns - 1},
               {"score_threshold", options.score},
               {"proposal_normalized", options.isNormalized}};
  if (!options.variance.empty())
    keys.push_back({"variance", options.variance});
  static const char *const kAnchorKeys[] = {"ycenter", "xcenter", "ha", "wa"};
  for (auto [k, key] : llvm::enumerate(kAnchorKeys)) {
    std::vector<float> values;
    for (const std::array<float, 4> &anchor : anchors)
      values.push_back(anchor[k]);
    keys.push_back({key, build.floats({int64_t(values.size())}, values)});
  }
  SmallVector<Value> r = build.declared(
      "DecodeBox", {scores, deltas}, keys,
      {type({batch, most, 4}, DType::F32), type({batch, most}, DType::I32),
       type({batch, 1}, DType::I32), type({batch, most}, DType::F32),
       type({batch, most}, DType::I32)});
  if (!r[0])
    return failure();
  build.nameLayers(r);
  return Found{r[0], r[1], r[2], r[3], r[4]};
}

//===----------------------------------------------------------------------===//
// YOLO
//===----------------------------------------------------------------------===//

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
    bool isTold = options.classes == 0 || options.classes == classes;
    return isTold ? classes : 0;
  };
  bool isFirst = shape.size() == 4 && classesOf(1) > 0;
  int64_t classes = shape.size() != 4 ? 0 : classesOf(isFirst ? 1 : 3);
  if (classes < 1) {
    problem("an output of the network is no head of " + options.headName)
        .found(tensor->name + " " + shapeText(shape))
        .expected("[N," + std::to_string(boxes) + " * (5 + " +
                  (options.classes ? std::to_string(options.classes)
                                   : std::string("classes")) +
                  "),rows,columns], or with these last");
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

FailureOr<SmallVector<Value>>
graph::emitDetection(Emitter &emitter, const DetectionOptions &options) {
  return Detector(emitter, options).emit();
}
