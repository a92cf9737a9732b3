//===- QnnExport.cpp - Networks as QNN graphs -----------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/qnn/export/QnnExport.h"
#include "dialects/compass/Compass.h"
#include "dialects/compass/Layers.h"
#include "dialects/compass/MlirDiagnostics.h"
#include "dialects/compass/Records.h"
#include "dialects/compass/graph/GraphOps.h"
#include "dialects/compass/graph/Graphs.h"
#include "parser/export/LayerNumbers.h"
#include "parser/qnn/JsonWriter.h"
#include "parser/qnn/Weights.h"
#include "parser/qnn/export/Exports.h"
#include "support/AtomicFile.h"
#include "support/diagnostics/Import.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <filesystem>

using namespace yarrow;
using namespace yarrow::qnn;
using namespace mlir;

const ExportEntry *qnn::findExport(StringRef layerType) {
  static constexpr ExportEntry kEntries[] = {
#define EXPORT(LAYER_TYPE, FUNCTION, NODES) {LAYER_TYPE, FUNCTION},
#include "parser/qnn/export/Exports.def"
  };
  const ExportEntry *entry = llvm::find_if(
      kEntries, [&](const auto &e) { return layerType == e.layerType; });
  return entry == std::end(kEntries) ? nullptr : entry;
}

/// Whether all results have types of QNN's.
static LogicalResult checkTypes(LayerExport &layer) {
  for (auto [i, result] : llvm::enumerate(layer.op->getResults()))
    if (!layer.graph.typeOf(result)) {
      compass::TensorInfo info = layer.output(unsigned(i));
      return layer.refuse("layer_top_type", "has a type that QNN does not have")
          .found(compass::dtypeName(info.storedType()) +
                 (info.quantized ? " with zero point " + std::to_string(info.zp)
                                 : std::string()));
    }
  return success();
}

static LogicalResult addLayer(LayerExport &layer) {
  if (isa<compass::ConstantOp, compass::InputOp>(layer.op))
    return success(); // Tensors, which are added with who reads them.
  const ExportEntry *entry = findExport(layer.layerType());
  if (!entry)
    return layer.refuse("", "is not exported to QNN");
  std::vector<QnnNode> &nodes = layer.graph.model.nodes;
  size_t first = nodes.size();
  if (failed(entry->run(layer)))
    return failure();
  for (Value result : layer.op->getResults()) {
    auto writes = [&](const QnnNode &node) {
      return llvm::is_contained(node.outputs, layer.graph.tensor(result));
    };
    if (!result.use_empty() &&
        std::none_of(nodes.begin() + std::ptrdiff_t(first), nodes.end(),
                     writes))
      return layer.refuse("", "has a result that QNN's operator does not have")
          .found(compass::tensorNameOf(result));
  }
  return success();
}

/// An output is no static tensor: a node copies it.
static void addConstantOutput(GraphExport &g, Value output) {
  compass::TensorInfo info = exports::describe(output);
  std::string constant = g.tensor(output);
  std::string name =
      g.add({compass::tensorNameOf(output) + "_output", *g.typeOf(output),
             Lengths(info.shape.begin(), info.shape.end()), TensorKind::Output,
             g.encodingOf(output)});
  g.addNode(name, "Reshape", {constant}, {name});
}

std::optional<QnnModel> qnn::qnnModelOf(ModuleOp module, ExportSummary &summary,
                                        yarrow::DiagnosticEngine &diags) {
  compass::DiagnosticForwarder forward(module.getContext(), diags,
                                       diag::QnnExport);
  func::FuncOp graph = compass::mainGraph(module);
  QnnModel model;
  GraphExport g(graph, model);
  bool isOk = true;
  SmallVector<Operation *> layers;
  for (Operation &op : graph.getBody().front().without_terminator()) {
    layers.push_back(&op);
    LayerExport layer(g, &op);
    isOk &= succeeded(checkTypes(layer));
  }
  // Types are known then, of which the operators' functions make no check.
  if (!isOk)
    return std::nullopt;
  for (Value input : compass::graphInputs(graph))
    g.tensor(input);
  for (Operation *op : layers) {
    LayerExport layer(g, op);
    isOk &= succeeded(addLayer(layer));
    summary.layers += !isa<compass::ConstantOp, compass::InputOp>(op);
    summary.otherMultipliers += !g.steps.isConsistent(op);
  }
  if (!isOk)
    return std::nullopt;
  for (Value output : compass::graphOutputs(graph))
    if (isa<compass::ConstantOp>(output.getDefiningOp()))
      addConstantOutput(g, output);
  summary.nodes = model.nodes.size();
  summary.names = g.irNames();
  summary.isQuantized =
      llvm::any_of(model.tensors, [](const QnnTensor &tensor) {
        return tensor.entry().isFixed();
      });
  return model;
}

std::string qnn::weightsPathOf(const std::string &path) {
  std::filesystem::path json(path);
  std::string name = json.stem().string();
  StringRef stem = name;
  (void)stem.consume_back("_net");
  return (json.parent_path() / (stem + ".bin").str()).string();
}

bool qnn::exportQnn(ModuleOp module, const std::string &path,
                    ExportSummary &summary, yarrow::DiagnosticEngine &diags) {
  auto model = qnnModelOf(module, summary, diags);
  if (!model)
    return false;
  std::string text = jsonOf(*model), weights = weightsPathOf(path);
  if (!writeWeights(*model, weights, diags) || !writeFile(path, text, diags))
    return false;
  std::error_code error;
  std::uintmax_t weightBytes = std::filesystem::file_size(weights, error);
  summary.sizeBytes = text.size() + (error ? 0 : weightBytes);
  return true;
}
