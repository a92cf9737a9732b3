//===- Network.cpp - A network in memory --------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/session/Network.h"
#include "compiler/model/ImportSettings.h"
#include "compiler/model/Models.h"
#include "compiler/model/ShapeRange.h"
#include "compiler/pipeline/Context.h"

#include <mutex>

using namespace yarrow;
using session::Network;

static session::Variants read(mlir::MLIRContext &context,
                              const session::ModelSource &source,
                              const std::vector<graph::ImportOptions> &imports,
                              DiagnosticEngine &diags) {
  const std::string &path = source.path;
  if (!source.bytes)
    return readVariants(context, path, source.weights, diags, imports,
                        source.given);
  ModelInMemory model{MappedFile::ofMemory(path, *source.bytes)};
  if (source.weightBytes)
    model.weights = MappedFile::ofMemory(
        source.weights.empty() ? "the weights of " + path : source.weights,
        *source.weightBytes);
  return readVariants(context, model, diags, imports, source.given);
}

std::shared_ptr<const Network> session::load(const ModelSource &source,
                                             const Call &call) {
  std::shared_ptr<Network> result;
  auto work = [&] {
    auto import = importOptions({source.shapes, source.states}, call.diags);
    auto imports = import
                       ? shapeVariants(*import, source.shapeRanges, call.diags)
                       : std::nullopt;
    if (!imports)
      return;
    std::shared_ptr<Network> network(new Network());
    network->source.path = source.path;
    network->source.weights = source.weights;
    if (source.bytes && source.path.empty())
      network->source.path = "the model";
    imports->back().names = &network->names;
    network->context = makeContext();
    ModelSource named = source;
    named.path = network->source.path;
    Variants variants = read(*network->context, named, *imports, call.diags);
    if (variants.empty())
      return;
    network->take(std::move(variants));
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
