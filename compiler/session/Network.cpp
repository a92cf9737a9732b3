//===- Network.cpp - A network in memory --------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/session/Network.h"
#include "compiler/model/ImportSettings.h"
#include "compiler/model/Models.h"
#include "compiler/pipeline/Context.h"

#include <mutex>

using namespace yarrow;
using session::Network;

static mlir::OwningOpRef<mlir::ModuleOp>
read(mlir::MLIRContext &context, const session::ModelSource &source,
     const graph::ImportOptions &import, DiagnosticEngine &diags) {
  if (!source.bytes)
    return readModel(context, source.path, source.weights, diags,
                     compass::ReadFor::Execution, import, source.given);
  const std::string &path = source.path;
  ModelInMemory model{MappedFile::ofMemory(path, *source.bytes)};
  if (source.weightBytes)
    model.weights = MappedFile::ofMemory(
        source.weights.empty() ? "the weights of " + path : source.weights,
        *source.weightBytes);
  return readModel(context, model, diags, import, source.given);
}

std::shared_ptr<const Network> session::load(const ModelSource &source,
                                             const Call &call) {
  std::shared_ptr<Network> result;
  auto work = [&] {
    auto import = importOptions(source.shapes, call.diags);
    if (!import)
      return;
    std::shared_ptr<Network> network(new Network());
    network->source.path = source.path;
    network->source.weights = source.weights;
    if (source.bytes && source.path.empty())
      network->source.path = "the model";
    import->names = &network->names;
    network->context = makeContext();
    ModelSource named = source;
    named.path = network->source.path;
    auto module = read(*network->context, named, *import, call.diags);
    if (!module)
      return;
    network->take(std::move(module));
    result = std::move(network);
  };
  return call.run(work) ? result : nullptr;
}

void Network::take(mlir::OwningOpRef<mlir::ModuleOp> module) {
  network = std::move(module);
  modelName = modelNameOf(*network);
  hasIntegers = yarrow::isQuantized(*network);
}

std::shared_ptr<const Network>
Network::make(std::unique_ptr<mlir::MLIRContext> context,
              mlir::OwningOpRef<mlir::ModuleOp> module,
              std::shared_ptr<const Network> constants) {
  std::shared_ptr<Network> result(new Network());
  result->names = constants->names;
  result->source = constants->source;
  result->constantsOf = std::move(constants);
  result->context = std::move(context);
  result->take(std::move(module));
  return result;
}

std::vector<InputName> Network::inputNames() const {
  std::shared_lock shared(mutex);
  return inputNamesOf(*network);
}

std::vector<std::vector<int64_t>> Network::inputShapes() const {
  std::shared_lock shared(mutex);
  return inputShapesOf(*network);
}

mlir::OwningOpRef<mlir::ModuleOp>
Network::copyInto(mlir::MLIRContext &other) const {
  std::unique_lock alone(mutex);
  return shareWith(other, *network);
}
