//===- OnnxExport.cpp - Networks as ONNX models ---------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/onnx/export/OnnxExport.h"
#include "dialects/compass/Layers.h"
#include "dialects/compass/MlirDiagnostics.h"
#include "dialects/compass/Records.h"
#include "dialects/compass/graph/GraphOps.h"
#include "dialects/compass/graph/Graphs.h"
#include "dialects/compass/graph/ModelNames.h"
#include "parser/onnx/export/Exports.h"
#include "support/diagnostics/Import.h"
#include "llvm/ADT/STLExtras.h"
#include <set>

using namespace yarrow;
using namespace yarrow::onnx;
using namespace mlir;

const ExportEntry *onnx::findExport(StringRef layerType) {
  static constexpr ExportEntry kEntries[] = {
#define EXPORT(LAYER_TYPE, FUNCTION, NODES) {LAYER_TYPE, FUNCTION},
#include "parser/onnx/export/Exports.def"
  };
  const ExportEntry *entry = llvm::find_if(
      kEntries, [&](const auto &e) { return layerType == e.layerType; });
  return entry == std::end(kEntries) ? nullptr : entry;
}

namespace {

class Exporter {
public:
  Exporter(func::FuncOp graph, ModelSpec &model, bool isExact)
      : graph(graph), model(model), forms(model, graph), isExact(isExact) {}

  LogicalResult run();
  size_t layers = 0, layersInSteps = 0;

private:
  LogicalResult addInput(Value input);
  LogicalResult addLayer(Operation &op);
  void addOutput(Value output);

  func::FuncOp graph;
  ModelSpec &model;
  TensorForms forms;
  bool isExact;
};

} // namespace

/// A quantized input is given in floats.
LogicalResult Exporter::addInput(Value input) {
  compass::TensorInfo info = describe(input);
  Order order = plainOrder(info.shape.size());
  std::string name = forms.freeName(compass::tensorNameOf(input));
  compass::DType type = info.quantized ? compass::DType::F32 : info.dtype;
  model.inputs.push_back(
      {name, type, Lengths(info.shape.begin(), info.shape.end())});
  if (!info.quantized) {
    forms.define(input, name, order);
    return success();
  }
  LayerExport layer(forms, input.getDefiningOp());
  if (!isExact)
    return layer.result(0, name, order);
  // The reciprocal scale of a QuantizeLinear would break ties another way.
  return layer.resultSteps(
      0, layer.node("Mul", {name, forms.scalar(info.scale)}), order);
}

LogicalResult Exporter::addLayer(Operation &op) {
  LayerExport layer(forms, &op);
  if (isa<compass::ConstantOp>(op)) {
    forms.defineConstant(op.getResult(0),
                         *compass::viewConstant(
                             compass::tensorKey(&op, compass::keys::weights)));
    return success();
  }
  ++layers;
  const compass::OperatorRecord *record = compass::recordOf(&op);
  const ExportEntry *entry = record ? findExport(record->layerType) : nullptr;
  if (!entry)
    return layer.refuse("", "is not exported to ONNX");
  auto exact = isExact ? exportExactly(layer) : std::nullopt;
  layersInSteps += exact.has_value();
  if (failed(exact ? *exact : entry->run(layer)))
    return failure();
  for (Value result : op.getResults())
    if (!result.use_empty() && !forms.isDefined(result))
      return layer.refuse("", "has a result that ONNX's operator does not have")
          .found(compass::tensorNameOf(result));
  return success();
}

void Exporter::addOutput(Value output) {
  compass::TensorInfo info = describe(output);
  Order order = plainOrder(info.shape.size());
  std::string name = compass::tensorNameOf(output);
  std::string held =
      info.quantized ? forms.real(output, order) : forms.stored(output, order);
  auto hasName = [&](const ValueSpec &value) { return value.name == name; };
  if (held != name && llvm::none_of(model.outputs, hasName)) {
    name = forms.freeName(name);
    forms.addNode(name, "Identity", {held}, name);
  }
  compass::DType type = info.quantized ? compass::DType::F32 : info.dtype;
  model.outputs.push_back(
      {name, type, Lengths(info.shape.begin(), info.shape.end())});
}

LogicalResult Exporter::run() {
  bool isOk = true;
  // What reads a refused layer is looked at all the same.
  auto refuse = [&](Operation &op) {
    isOk = false;
    for (Value result : op.getResults())
      if (!forms.isDefined(result))
        forms.define(result, forms.freeName("refused"),
                     plainOrder(describe(result).shape.size()));
  };
  for (Value input : compass::graphInputs(graph))
    if (failed(addInput(input)))
      refuse(*input.getDefiningOp());
  for (Operation &op : graph.getBody().front().without_terminator())
    if (!isa<compass::InputOp>(op) && failed(addLayer(op)))
      refuse(op);
  if (!isOk)
    return failure();
  for (Value output : compass::graphOutputs(graph))
    addOutput(output);
  // Inputs and outputs are said once.
  llvm::erase_if(model.values, [&](const ValueSpec &value) {
    auto isSame = [&](const ValueSpec &other) {
      return other.name == value.name;
    };
    return llvm::any_of(model.inputs, isSame) ||
           llvm::any_of(model.outputs, isSame);
  });
  return success();
}

namespace {

/// Gives tensors of a model other names.
class Renaming {
public:
  explicit Renaming(ModelSpec &model) : model(model) {
    forEachName([&](std::string &name) { used.insert(name); });
  }

  /// A tensor that has the name \p to already makes room.
  void rename(const std::string &from, const std::string &to) {
    if (from == to || !renamed.insert(to).second)
      return;
    if (used.contains(to))
      apply(to, freeName(to));
    apply(from, to);
  }

private:
  std::string freeName(const std::string &name) const {
    std::string free = name + "_inside";
    for (int i = 2; used.contains(free); ++i)
      free = name + "_inside_" + std::to_string(i);
    return free;
  }

  void apply(const std::string &from, const std::string &to) {
    forEachName([&](std::string &name) {
      if (name == from)
        name = to;
    });
    used.erase(from);
    used.insert(to);
  }

  template <typename F> void forEachName(F handle) {
    for (NodeSpec &node : model.nodes) {
      llvm::for_each(node.inputs, handle);
      llvm::for_each(node.outputs, handle);
    }
    for (TensorSpec &constant : model.constants)
      handle(constant.name);
    for (auto *values : {&model.inputs, &model.outputs, &model.values})
      for (ValueSpec &value : *values)
        handle(value.name);
  }

  ModelSpec &model;
  std::set<std::string> used, renamed;
};

} // namespace

/// Inputs and outputs have the names of the model that the network came from.
static void useModelNames(ModuleOp module, ModelSpec &model) {
  Renaming renaming(model);
  auto rename = [&](const std::vector<ValueSpec> &values,
                    const std::vector<std::string> &names) {
    for (size_t k = 0; k < values.size() && k < names.size(); ++k)
      renaming.rename(std::string(values[k].name), names[k]);
  };
  rename(model.inputs, compass::inputNames(module));
  rename(model.outputs, compass::outputNames(module));
}

bool onnx::exportOnnx(ModuleOp module, const std::string &path,
                      const std::string &name, ExportSummary &summary,
                      yarrow::DiagnosticEngine &diags,
                      const ExportOptions &options) {
  compass::DiagnosticForwarder forward(module.getContext(), diags,
                                       diag::ExportForm);
  ModelSpec model;
  model.graphName = name;
  Exporter exporter(compass::mainGraph(module), model, options.isExact);
  if (failed(exporter.run()))
    return false;
  useModelNames(module, model);
  auto isOf = [](StringRef op) {
    return [op](const NodeSpec &node) { return node.op == op; };
  };
  summary.layers = exporter.layers;
  summary.layersInSteps = exporter.layersInSteps;
  summary.nodes = model.nodes.size();
  summary.transposes = llvm::count_if(model.nodes, isOf("Transpose"));
  summary.isQuantized = llvm::any_of(model.nodes, isOf("QuantizeLinear"));
  auto sizeBytes = writeModel(model, path, diags, options.externalPath);
  summary.sizeBytes = sizeBytes.value_or(0);
  return sizeBytes.has_value();
}
