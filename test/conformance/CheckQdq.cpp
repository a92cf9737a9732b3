//===- CheckQdq.cpp - Integer networks as QDQ models and back -------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// An integer network is written as an ONNX model and read again: the import
// graph must say of every tensor what the IR says of it, and every layer with
// weights must have the IR's bytes, with scales that give the IR's multiplier.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/Compat.h"
#include "dialects/compass/LayerKeys.h"
#include "dialects/compass/Layers.h"
#include "dialects/compass/Records.h"
#include "dialects/compass/graph/GraphOps.h"
#include "dialects/compass/graph/Graphs.h"
#include "parser/graph/AbsorbQuantization.h"
#include "parser/onnx/Normalise.h"
#include "parser/onnx/OnnxImport.h"
#include "parser/onnx/OnnxReader.h"
#include "parser/onnx/export/Carrier.h"
#include "parser/onnx/export/OnnxExport.h"
#include "quantizer/prequantized/Prequantized.h"
#include "test/TemporaryFile.h"
#include "test/conformance/QdqIntegers.h"
#include <algorithm>
#include <cmath>

using namespace yarrow;
using namespace yarrow::conformance;
using graph::Graph;
using graph::Quantization;
using graph::Tensor;

namespace {

/// Compares an integer network with the graph that was read of its model.
class RoundTrip {
public:
  RoundTrip(mlir::ModuleOp module, const Graph &graph)
      : module(module), graph(graph) {}

  Outcome check() {
    for (const auto &[node, why] : graph::leftInFloats(graph))
      notify(node->describe() + " stays: " + why);
    module.walk([&](mlir::Operation *op) {
      for (mlir::Value value : op->getResults())
        checkTensor(value);
      checkWeights(op);
    });
    if (!problems.empty())
      return Outcome::fail(problems);
    Outcome outcome;
    outcome.text = std::to_string(tensors) + " tensors, " +
                   std::to_string(weights) + " layers with weights";
    return outcome;
  }

private:
  void notify(const std::string &what) {
    if (++numProblems <= 5)
      problems += (problems.empty() ? "" : "; ") + what;
  }

  /// The stored form of a tensor of the IR, in either order of axes.
  const Tensor *storedForm(mlir::Value value) const {
    std::string name = compass::tensorNameOf(value) + "_quantized";
    const Tensor *tensor = graph.find(name);
    return tensor ? tensor : graph.find(name + "_channels_second");
  }

  void checkTensor(mlir::Value value) {
    compass::TensorInfo info = onnx::describe(value);
    const Tensor *tensor = info.quantized ? storedForm(value) : nullptr;
    if (!tensor)
      return; // a move that became nothing, or floats
    auto carrier = onnx::carrierOf(info);
    Quantization expected{
        carrier->type, {carrier->scale}, {carrier->zeroPoint}, 0};
    ++tensors;
    if (tensor->quantization != expected)
      notify(tensor->name + " is not stored as the IR says");
  }

  void checkWeights(mlir::Operation *op) {
    auto view = compass::tensorKey(op, compass::keys::weights)
                    ? compass::viewConstant(
                          compass::tensorKey(op, compass::keys::weights))
                    : std::nullopt;
    std::string layer = compass::layerNameOf(op).str();
    const Tensor *real = graph.find(layer + ".weights_real");
    if (!view || !real || llvm::isa<compass::ConstantOp>(op))
      return;
    ++weights;
    if (!real->constant || !real->quantization)
      return notify(layer + " has weights without integers");
    // The exporter turns axes; its own test has the order.
    std::vector<int64_t> found = real->constant->integers(), stored;
    for (int64_t i = 0, e = view->numElements(); i < e; ++i)
      stored.push_back(view->intAt(i));
    std::ranges::sort(found);
    std::ranges::sort(stored);
    if (found != stored)
      notify(layer + " has other weights");
    if (std::ranges::any_of(real->quantization->zeroPoints,
                            [](int64_t zero) { return zero != 0; }))
      notify(layer + " has weights with zero points");
    checkMultipliers(op, layer, *real->quantization);
  }

  /// Scale of weights times that of the input through that of the result.
  void checkMultipliers(mlir::Operation *op, const std::string &layer,
                        const Quantization &w) {
    compass::TensorInfo in = compass::describe(op->getOperand(0)),
                        out = compass::describe(op->getResult(0));
    mlir::ElementsAttr scale = compass::tensorKey(op, compass::keys::scale),
                       shift = compass::tensorKey(op, compass::keys::shift);
    if (!scale || !shift)
      return; // one of each, in keys of the layer
    auto scales = compass::viewConstant(scale),
         shifts = compass::viewConstant(shift);
    for (int64_t i = 0, e = scales->numElements(); i < e; ++i) {
      double expected =
          std::ldexp(double(scales->intAt(i)), -int(shifts->intAt(i)));
      double step = double(w.scales[w.isPerTensor() ? 0 : size_t(i)]);
      double found = step * double(out.scale) / double(in.scale);
      if (std::abs(found / expected - 1) > 1e-6)
        return notify(layer + " has another multiplier");
    }
  }

  mlir::ModuleOp module;
  const Graph &graph;
  std::string problems;
  size_t numProblems = 0, tensors = 0, weights = 0;
};

} // namespace

Outcome conformance::checkQdq(const Pack &pack, const Options &) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  Outcome outcome;
  auto module = readPack(context, pack, "int", outcome);
  if (!module)
    return outcome;
  DiagnosticEngine diags;
  testing::TemporaryFile file;
  onnx::ExportSummary summary;
  if (!onnx::exportOnnx(*module, file.path(), "net", summary, diags))
    return outcomeOf(diags);
  auto graph = onnx::readOnnx(file.path(), diags);
  if (!graph)
    return Outcome::fail(diags.all().front().str());
  onnx::normalise(*graph);
  graph::absorbQuantization(*graph);
  outcome = RoundTrip(*module, *graph).check();
  if (outcome.kind != Outcome::Passed)
    return outcome;
  std::vector<graph::ImportedTensor> names;
  graph::ImportOptions options;
  options.names = &names;
  auto imported = onnx::importOnnx(context, file.path(), options, diags);
  if (!imported || (compass::isCompat(*imported) &&
                    !convertPrequantized(*imported, {}, diags)))
    return Outcome::fail(outcomeOf(diags).reasons.empty()
                             ? "not imported"
                             : *outcomeOf(diags).reasons.begin());
  Outcome run = compareIntegers(pack, *module, *imported, names, diags);
  run.text = outcome.text + "; " + run.text;
  return run;
}
