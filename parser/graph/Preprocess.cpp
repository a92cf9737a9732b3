//===- Preprocess.cpp - Layers in front of a network ----------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/graph/Preprocess.h"
#include "parser/graph/Emitter.h"
#include "support/diagnostics/Import.h"
#include "llvm/ADT/StringExtras.h"

using namespace yarrow;
using namespace yarrow::graph;

namespace {

class PictureSteps {
public:
  PictureSteps(Graph &graph, yarrow::DiagnosticEngine &diags)
      : graph(graph), diags(diags) {}

  bool add(const std::vector<PreprocessStep> &steps) {
    if (!hasOnePicture())
      return false;
    // From the network outwards: what a step has to give is known, not what it
    // gets.
    Tensor *wanted = graph.inputs[0];
    for (const PreprocessStep &step : llvm::reverse(steps))
      if (!(wanted = before(step, wanted)))
        return false;
    // The network's input keeps its name, which users know.
    std::swap(wanted->name, graph.inputs[0]->name);
    graph.inputs[0] = wanted;
    for (auto &node : llvm::reverse(made))
      nodes.push_back(std::move(node));
    for (auto &node : graph.nodes)
      nodes.push_back(std::move(node));
    graph.nodes = std::move(nodes);
    return true;
  }

private:
  yarrow::Diagnostic &problem(const std::string &message) {
    return diags.report(diag::ImportPreprocess, {graph.file}, message);
  }

  bool hasOnePicture() {
    if (graph.inputs.size() != 1) {
      problem("preprocessing needs a network with one input")
          .found(std::to_string(graph.inputs.size()) + " inputs")
          .expected("one input")
          .hint("cut the network at one tensor with input = ... in [Parser]");
      return false;
    }
    const Tensor &input = *graph.inputs[0];
    if (irElement(*input.type) == compass::DType::F32 &&
        input.shape->size() == 4)
      return true;
    problem("the input " + input.name + " is not an image")
        .found(shapeText(*input.shape))
        .expected("floats of 4 axes, [N,C,H,W] or [N,H,W,C]");
    return false;
  }

  /// What \p step gets if it gives \p result; null after an error.
  Tensor *before(const PreprocessStep &step, Tensor *result) {
    name = llvm::StringRef(step.name).lower();
    switch (step.kind) {
    case PreprocessStep::Resize:
      return resize(step, result);
    case PreprocessStep::SwapChannels:
      return swap(step, result);
    case PreprocessStep::Gray:
      return gray(step, result);
    }
    return nullptr;
  }

  Tensor *resize(const PreprocessStep &step, Tensor *result) {
    const Shape &small = *result->shape, &large = step.shape;
    bool fits = large.size() == 4 && large[0] == small[0];
    bool isFirst = fits && large[1] == small[1];
    if (!isFirst && !(fits && large[3] == small[3])) {
      problem("the images to resize do not match the network")
          .found(shapeText(large))
          .expected("as many images and channels as " + shapeText(small));
      return nullptr;
    }
    Tensor *output = isFirst ? result : transposed(result, /*toLast=*/true);
    Tensor *input = tensor(isFirst ? large : permuted(large, firstPerm(4)));
    Tensor *sizes = constant(Constant::ofIntegers({4}, *output->shape));
    Node &node =
        add("Resize", {input, nullptr, nullptr, sizes}, {output}, name);
    std::string mode = step.isNearest ? "nearest" : "linear";
    node.attributes.insert({"mode", graph::Attribute::of(mode)});
    return isFirst ? input : transposed(input, /*toLast=*/false);
  }

  /// The axis of three channels, or of \p other ones; -1 after an error.
  int64_t channelAxis(const PreprocessStep &step, const Tensor &t,
                      int64_t other) {
    for (int64_t axis : {1, 3})
      if ((*t.shape)[size_t(axis)] == 3)
        return axis;
    for (int64_t axis : {1, 3})
      if ((*t.shape)[size_t(axis)] == other)
        return axis;
    problem(step.name + " needs the channels of an image")
        .found(shapeText(*t.shape))
        .expected(other == 1 ? "1 or 3 channels" : "3 channels");
    return -1;
  }

  Tensor *swap(const PreprocessStep &step, Tensor *result) {
    int64_t axis = channelAxis(step, *result, 3);
    if (axis < 0)
      return nullptr;
    Shape one = *result->shape;
    one[size_t(axis)] = 1;
    std::vector<Tensor *> parts = {tensor(one), tensor(one), tensor(one)};
    Tensor *input = tensor(*result->shape);
    Node &concat =
        add("Concat", {parts[2], parts[1], parts[0]}, {result}, name);
    Node &split = add("Split", {input}, parts, name + "_split");
    for (Node *node : {&concat, &split})
      node->attributes.insert({"axis", graph::Attribute::of(axis)});
    return input;
  }

  Tensor *gray(const PreprocessStep &step, Tensor *result) {
    int64_t axis = channelAxis(step, *result, 1);
    if (axis < 0)
      return nullptr;
    // A network of three channels gets the same in all of them.
    int64_t rows = (*result->shape)[size_t(axis)];
    std::vector<float> weights;
    for (int64_t i = 0; i < rows; ++i)
      weights.insert(weights.end(), step.weights.begin(), step.weights.end());
    bool isFirst = axis == 1;
    Tensor *output = isFirst ? result : transposed(result, /*toLast=*/true);
    Shape shape = *output->shape;
    shape[1] = 3;
    Tensor *input = tensor(shape);
    add("Conv", {input, constant(Constant::ofFloats({rows, 3, 1, 1}, weights))},
        {output}, name);
    return isFirst ? input : transposed(input, /*toLast=*/false);
  }

  Tensor *tensor(const Shape &shape) {
    Tensor *t = graph.addTensor(name + "_" + std::to_string(numTensors++));
    t->setType(*graph.inputs[0]->type, shape);
    return t;
  }
  Tensor *constant(Constant value) {
    Tensor *t = graph.addTensor(name + "_" + std::to_string(numTensors++));
    t->setType(value.type, value.shape);
    t->constant = std::move(value);
    return t;
  }

  /// What a Transpose that brings the channels to the end, or back behind the
  /// first axis, turns into \p result.
  Tensor *transposed(Tensor *result, bool toLast) {
    Tensor *t =
        tensor(permuted(*result->shape, toLast ? firstPerm(4) : lastPerm(4)));
    Node &node = add("Transpose", {t}, {result},
                     name + (toLast ? "_channels_last" : "_channels_first"));
    node.attributes.insert(
        {"perm", graph::Attribute::of(toLast ? lastPerm(4) : firstPerm(4))});
    return t;
  }

  /// From the last node to the first.
  Node &add(const char *op, std::vector<Tensor *> inputs,
            std::vector<Tensor *> outputs, std::string nodeName) {
    auto node = std::make_unique<Node>();
    node->op = op;
    node->name = std::move(nodeName);
    node->inputs = std::move(inputs);
    node->outputs = std::move(outputs);
    made.push_back(std::move(node));
    return *made.back();
  }

  Graph &graph;
  yarrow::DiagnosticEngine &diags;
  std::vector<std::unique_ptr<Node>> made, nodes;
  std::string name;
  unsigned numTensors = 0;
};
} // namespace

bool graph::addPreprocessing(Graph &graph,
                             const std::vector<PreprocessStep> &steps,
                             yarrow::DiagnosticEngine &diags) {
  return steps.empty() || PictureSteps(graph, diags).add(steps);
}
