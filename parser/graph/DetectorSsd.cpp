//===- DetectorSsd.cpp - Heads of an SSD ----------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/Keys.h"
#include "dialects/compass/Records.h"
#include "parser/graph/Detection.h"
#include "parser/graph/Detector.h"

using namespace yarrow;
using namespace yarrow::graph;
using namespace mlir;
using compass::DType;

FailureOr<std::vector<std::array<float, 4>>> Detector::anchorsOfModel() {
  if (options.anchorTensor.empty()) {
    if (!options.featureMaps.empty())
      return ssdAnchors(options);
    problem("the anchors of the detector are missing")
        .found("neither feature_map nor anchor_tensor_name")
        .expected("feature_map = [[19,19],[10,10],...], or the name of a "
                  "constant of the model");
    return failure();
  }
  const Tensor *tensor = graph.find(options.anchorTensor);
  bool fits = tensor && tensor->constant && !tensor->constant->shape.empty() &&
              tensor->constant->shape.back() == 4;
  if (!fits) {
    problem("anchor_tensor_name does not name a tensor of anchors")
        .found(!tensor ? options.anchorTensor + ", which does not exist"
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
    problem("an output of the network does not match the anchors")
        .found(graph.outputs[output]->name + " " +
               shapeText(Shape(shape.begin(), shape.end())))
        .expected("4 deltas, or one score for each class, for each of " +
                  std::to_string(boxes) + " anchors")
        .hint("list rows and columns of all feature maps in feature_map");
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
      auto attr = op->getAttrOfType<StringAttr>(compass::keys::method);
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
    problem("the number of classes of the network does not match")
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
