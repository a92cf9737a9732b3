//===- Network.cpp - A network in memory --------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/session/Network.h"
#include "compiler/model/ImportSettings.h"
#include "compiler/model/Models.h"
#include "compiler/model/PartialModels.h"
#include "compiler/model/ShapeRange.h"
#include "compiler/pipeline/Context.h"
#include "support/diagnostics/Quantizer.h"

#include <mutex>

using namespace yarrow;
using session::Network;

/// Reads \p source into \p context.
static ReadNetworks readerOf(mlir::MLIRContext &context,
                             const session::ModelSource &source) {
  if (!source.bytes)
    return [&context, source](const std::vector<graph::ImportOptions> &imports,
                              const PrequantizedOptions &given,
                              PrequantizedResult *converted,
                              DiagnosticEngine &diags) {
      return readVariants(context, source.path, source.weights, diags, imports,
                          given, converted);
    };
  ModelInMemory model{MappedFile::ofMemory(source.path, *source.bytes)};
  if (source.weightBytes)
    model.weights = MappedFile::ofMemory(source.weights.empty()
                                             ? "the weights of " + source.path
                                             : source.weights,
                                         *source.weightBytes);
  return [&context, model](const std::vector<graph::ImportOptions> &imports,
                           const PrequantizedOptions &given,
                           PrequantizedResult *converted,
                           DiagnosticEngine &diags) {
    return readVariants(context, model, diags, imports, given, converted);
  };
}

std::shared_ptr<Network>
Network::read(const ModelSource &source,
              const std::vector<graph::ImportOptions> &imports, ReadAs use,
              DiagnosticEngine &diags) {
  std::shared_ptr<Network> network(new Network());
  network->source.path = source.path;
  network->source.weights = source.weights;
  network->context = makeContext();
  DiagnosticEngine found;
  auto model = readToQuantize(readerOf(*network->context, source), source.path,
                              imports, source.given,
                              /*hasSamples=*/use == ReadAs::ToQuantize, found);
  bool isPartial = model && model->partial;
  for (const Diagnostic &d : found.all())
    if (!isPartial)
      diags.add(d);
    else if (d.id == diag::PrequantizedSummary)
      network->partialNote = d;
  if (!model)
    return nullptr;
  network->names = std::move(model->names);
  network->partial = std::move(model->partial);
  network->take(std::move(model->networks));
  return network;
}

std::shared_ptr<const Network> session::load(const ModelSource &source,
                                             const Call &call) {
  std::shared_ptr<const Network> result;
  auto work = [&] {
    auto import = importOptions({source.shapes, source.states}, call.diags);
    auto imports = import
                       ? shapeVariants(*import, source.shapeRanges, call.diags)
                       : std::nullopt;
    if (!imports)
      return;
    ModelSource named = source;
    if (source.bytes && source.path.empty())
      named.path = "the model";
    using ReadAs = Network::ReadAs;
    auto network =
        Network::read(named, *imports, ReadAs::ToQuantize, call.diags);
    if (network && network->partial) {
      std::shared_ptr<const Network> incomplete = std::move(network);
      network = Network::read(named, *imports, ReadAs::ToCompile, call.diags);
      if (network)
        network->incomplete = std::move(incomplete);
    }
    result = std::move(network);
  };
  return call.run(work) ? result : nullptr;
}

void Network::take(Variants variants) {
  networks = std::move(variants);
  modelName = modelNameOf(module());
  hasIntegers = yarrow::isQuantized(module());
}

std::shared_ptr<const Network>
Network::make(std::unique_ptr<mlir::MLIRContext> context, Variants variants,
              std::shared_ptr<const Network> constants) {
  std::shared_ptr<Network> result(new Network());
  result->names = constants->names;
  result->source = constants->source;
  result->constantsOf = std::move(constants);
  result->context = std::move(context);
  result->take(std::move(variants));
  return result;
}

std::vector<InputName> Network::inputNames() const {
  std::shared_lock shared(mutex);
  return inputNamesOf(module());
}

std::vector<std::vector<int64_t>> Network::inputShapes() const {
  std::shared_lock shared(mutex);
  return inputShapesOf(module());
}

session::Variants Network::copyInto(mlir::MLIRContext &other) const {
  std::unique_lock alone(mutex);
  Variants copies;
  for (mlir::OwningOpRef<mlir::ModuleOp> &network : networks)
    copies.push_back(shareWith(other, *network));
  return copies;
}
