//===- PartialModels.cpp - Models to be quantized where they are not ------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/model/PartialModels.h"
#include "dialects/compass/Compat.h"
#include "quantizer/prequantized/PartialScales.h"
#include "support/Format.h"
#include "support/diagnostics/Quantizer.h"

using namespace yarrow;
using namespace mlir;

std::vector<ModelTensor>
yarrow::modelTensors(const std::vector<graph::ImportedTensor> &imported) {
  std::vector<ModelTensor> tensors;
  tensors.reserve(imported.size());
  for (const graph::ImportedTensor &from : imported)
    tensors.push_back({from.name, from.tensor});
  return tensors;
}

static std::string counted(std::size_t count, const char *one,
                           const char *many) {
  return formatCount(count) + " " + (count == 1 ? one : many);
}

std::optional<ModelToQuantize> yarrow::readToQuantize(
    MLIRContext &context, const std::string &path, const std::string &weights,
    std::vector<graph::ImportOptions> imports, const PrequantizedOptions &given,
    bool hasSamples, yarrow::DiagnosticEngine &diags) {
  auto read = [&](const std::vector<graph::ImportOptions> &each,
                  const PrequantizedOptions &how, PrequantizedResult *converted,
                  yarrow::DiagnosticEngine &found) {
    return readVariants(context, path, weights, found, each, how, converted);
  };
  return readToQuantize(read, path, std::move(imports), given, hasSamples,
                        diags);
}

std::optional<ModelToQuantize>
yarrow::readToQuantize(const ReadNetworks &read, const std::string &path,
                       std::vector<graph::ImportOptions> imports,
                       const PrequantizedOptions &given, bool hasSamples,
                       yarrow::DiagnosticEngine &diags) {
  ModelToQuantize model;
  imports.back().names = &model.names;
  PrequantizedOptions asked = given;
  asked.leavesPartial = hasSamples;
  model.networks = read(imports, asked, &model.converted, diags);
  if (model.networks.empty())
    return std::nullopt;
  OwningOpRef<ModuleOp> &stored = model.networks.back();
  if (!asked.leavesPartial || !compass::isCompat(*stored))
    return std::move(model);
  std::size_t lacking = layersWithoutScales(*stored);
  for (graph::ImportOptions &import : imports)
    import.inFloats = true;
  model.names.clear();
  yarrow::DiagnosticEngine reported; // the first time
  std::vector<OwningOpRef<ModuleOp>> floating =
      read(imports, given, nullptr, reported);
  if (floating.empty()) {
    for (const yarrow::Diagnostic &d : reported.all())
      diags.add(d);
    return std::nullopt;
  }
  EncodingNames names(*floating.back(), modelTensors(model.names));
  model.partial = scalesOf(*stored, names, path);
  model.networks = std::move(floating);
  diags.report(
      diag::PrequantizedSummary, {path},
      counted(lacking, "layer of products has", "layers of products have") +
          " no scales: the network is quantized with the samples, and keeps "
          "the scales of " +
          counted(model.partial->activations.size(), "tensor", "tensors") +
          " and of the weights of " +
          counted(model.partial->parameters.size(), "layer", "layers"));
  return std::move(model);
}
