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
#include "parser/nnapi/FlatDims.h"
#include "parser/nnapi/NnapiImport.h"
#include "quantizer/prequantized/Prequantized.h"
#include "support/diagnostics/Import.h"
#include <algorithm>

using namespace yarrow;
using namespace yarrow::nnapi;

void Network::readDims(const NnModel &part) {
  for (mlir::Type type : compass::mainGraph(*network).getResultTypes()) {
    compass::TensorInfo info = compass::describe(type);
    dims.emplace_back(info.shape.begin(), info.shape.end());
  }
  // A scalar is a tensor of one element in layers.
  for (std::size_t i = 0; i < part.outputs.size(); ++i)
    if (!part.operands[part.outputs[i]].isTensor())
      dims[i].clear();
  for (const Operation &operation : part.operations) {
    auto flat = flatResultDims(part, operation);
    auto output = std::ranges::find(part.outputs, operation.outputs[0]);
    if (flat && output != part.outputs.end())
      dims[std::size_t(output - part.outputs.begin())] = std::move(*flat);
  }
}

/// Whether layers take and give what the part does: float16 as float32.
bool Network::checkEdges(const NnModel &part, DiagnosticEngine &diags) const {
  mlir::func::FuncOp graph = compass::mainGraph(*network);
  llvm::SmallVector<mlir::Value> inputs = compass::graphInputs(graph);
  llvm::ArrayRef<mlir::Type> outputs = graph.getResultTypes();
  bool ok = inputs.size() == part.inputs.size() &&
            outputs.size() >= part.outputs.size();
  std::uint32_t wrong = 0;
  auto isStored = [&](mlir::Type type, std::uint32_t operand) {
    ElementType element = part.operands[operand].entry().element;
    if (element == ElementType::F16)
      element = ElementType::F32;
    bool isSame = kernels::dtypeBytes(compass::describe(type).dtype) ==
                  elementBytes(element);
    wrong = isSame ? wrong : operand;
    return isSame;
  };
  for (std::size_t i = 0; ok && i < part.inputs.size(); ++i)
    ok = isStored(inputs[i].getType(), part.inputs[i]);
  for (std::size_t i = 0; ok && i < part.outputs.size(); ++i)
    ok = isStored(outputs[i], part.outputs[i]);
  if (!ok)
    diags
        .report(diag::ImportForm, {part.name + ": " + describe(part, wrong)},
                "layers do not store an operand as the model does")
        .found(part.operands[wrong].entry().name);
  return ok;
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
  if (compass::isCompat(module) && !convertPrequantized(module, {}, diags))
    return nullptr;
  if (!compass::checkExecutable(module, diags) ||
      !compass::checkKernels(module, /*mustRun=*/true, diags))
    return nullptr;
  if (!result->checkEdges(part, diags))
    return nullptr;
  result->readDims(part);
  return result;
}

std::shared_ptr<const session::Network> Network::handOver() && {
  session::Variants variants;
  variants.push_back(std::move(network));
  return session::Network::make(std::move(context), std::move(variants),
                                /*constants=*/nullptr);
}
