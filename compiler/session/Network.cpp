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
using session::LoadFor;
using session::Network;
using session::OwnNetwork;

/// Reads \p source into \p context.
static ReadNetworks readerOf(mlir::MLIRContext &context,
                             const session::ModelSource &source) {
  auto purpose = source.use == LoadFor::Inspection
                     ? compass::ReadFor::Inspection
                     : compass::ReadFor::Execution;
  if (!source.bytes)
    return [&context, purpose,
            source](const std::vector<graph::ImportOptions> &imports,
                    const PrequantizedOptions &given,
                    PrequantizedResult *converted, DiagnosticEngine &diags) {
      return readVariants(context, source.path, source.weights, diags, imports,
                          given, converted, purpose);
    };
  ModelInMemory model{MappedFile::ofMemory(source.path, *source.bytes)};
  if (source.weightBytes)
    model.weights = MappedFile::ofMemory(source.weights.empty()
                                             ? "the weights of " + source.path
                                             : source.weights,
                                         *source.weightBytes);
  return [&context, purpose,
          model](const std::vector<graph::ImportOptions> &imports,
                 const PrequantizedOptions &given,
                 PrequantizedResult *converted, DiagnosticEngine &diags) {
    return readVariants(context, model, diags, imports, given, converted,
                        purpose);
  };
}

std::shared_ptr<Network>
Network::read(const ModelSource &source,
              const std::vector<graph::ImportOptions> &imports,
              DiagnosticEngine &diags) {
  std::shared_ptr<Network> network(new Network());
  network->source.path = source.path;
  network->source.weights = source.weights;
  network->context = makeContext();
  auto model = readToQuantize(
      readerOf(*network->context, source), source.path, imports, source.given,
      /*hasSamples=*/source.use == LoadFor::Quantization, diags);
  if (!model)
    return nullptr;
  network->names = std::move(model->names);
  network->partial = std::move(model->partial);
  network->taken = model->converted;
  network->take(std::move(model->networks));
  return network;
}

/// Both the float network that a model with some scales stands for and what it
/// is without samples: quantize() and others choose.
std::shared_ptr<const Network>
Network::readForAnything(const ModelSource &source,
                         const std::vector<graph::ImportOptions> &imports,
                         DiagnosticEngine &diags) {
  ModelSource each = source;
  each.use = LoadFor::Quantization;
  DiagnosticEngine found;
  auto network = read(each, imports, found);
  bool isPartial = network && network->partial;
  for (const Diagnostic &d : found.all())
    if (!isPartial)
      diags.add(d);
    else if (d.id == diag::PrequantizedSummary)
      network->partialNote = d;
  if (!isPartial)
    return network;
  each.use = LoadFor::Execution;
  auto executed = read(each, imports, diags);
  if (executed)
    executed->incomplete = std::move(network);
  return executed;
}

/// What the model is imported with, for each shape. Nullopt after errors.
static std::optional<std::vector<graph::ImportOptions>>
importsOf(const session::ModelSource &source, DiagnosticEngine &diags) {
  if (!source.imports.empty())
    return source.imports;
  auto import = importOptions({source.shapes, source.states}, diags);
  return import ? shapeVariants(*import, source.shapeRanges, diags)
                : std::nullopt;
}

std::shared_ptr<const Network> session::load(const ModelSource &source,
                                             const Call &call) {
  std::shared_ptr<const Network> result;
  auto work = [&] {
    auto imports = importsOf(source, call.diags);
    if (!imports)
      return;
    ModelSource named = source;
    if (source.bytes && source.path.empty())
      named.path = "the model";
    result = source.use == LoadFor::Anything
                 ? Network::readForAnything(named, *imports, call.diags)
                 : Network::read(named, *imports, call.diags);
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
  if (constants) {
    result->names = constants->names;
    result->source = constants->source;
  }
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

OwnNetwork::OwnNetwork(std::shared_ptr<const Network> given)
    : from(std::move(given)) {
  // Nobody but this owner can get at it any more; whoever could is done.
  if (from.use_count() == 1) {
    std::unique_lock alone(from->mutex);
    context = std::move(from->context);
    variants = std::move(from->networks);
    return;
  }
  context = makeContext();
  variants = from->copyInto(*context);
}

OwnNetwork::OwnNetwork(const Network &network)
    : context(makeContext()), variants(network.copyInto(*context)) {}

std::vector<mlir::ModuleOp> OwnNetwork::modules() const {
  std::vector<mlir::ModuleOp> modules;
  modules.reserve(variants.size());
  for (const mlir::OwningOpRef<mlir::ModuleOp> &variant : variants)
    modules.push_back(variant.get());
  return modules;
}

std::shared_ptr<const Network> OwnNetwork::become(Variants made) && {
  return Network::make(std::move(context), std::move(made), std::move(from));
}
