//===- Network.cpp - The layers of a part of a model ----------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "api/nnapi/run/Network.h"
#include "compiler/pipeline/Context.h"
#include "dialects/compass/Compass.h"
#include "dialects/compass/Compat.h"
#include "dialects/compass/Execution.h"
#include "dialects/compass/Tensors.h"
#include "dialects/compass/graph/Graphs.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "parser/nnapi/NnapiImport.h"
#include "quantizer/given/Given.h"

using namespace yarrow;
using namespace yarrow::nnapi;

void Network::readDims(const NnModel &part) {
  auto graph = network->lookupSymbol<mlir::func::FuncOp>(compass::kMainGraph);
  for (mlir::Type type : graph.getResultTypes()) {
    compass::TensorInfo info = compass::describe(type);
    dims.emplace_back(info.shape.begin(), info.shape.end());
  }
  // A scalar is a tensor of one element in layers.
  for (std::size_t i = 0; i < part.outputs.size(); ++i)
    if (!part.operands[part.outputs[i]].isTensor())
      dims[i].clear();
}

std::unique_ptr<Network> Network::make(const NnModel &part,
                                       DiagnosticEngine &diags) {
  auto result = std::make_unique<Network>();
  result->context = makeContext();
  graph::ImportOptions options;
  options.modelName = part.name;
  result->network = importNnModel(*result->context, part, options, diags);
  if (!result->network)
    return nullptr;
  mlir::ModuleOp module = *result->network;
  if (compass::isCompat(module) && !convertGiven(module, {}, diags))
    return nullptr;
  if (!compass::checkExecutable(module, diags) ||
      !compass::checkKernels(module, /*mustRun=*/true, diags))
    return nullptr;
  result->readDims(part);
  return result;
}
