//===- SupportedOperations.cpp - What a device computes of a model --------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "api/nnapi/SupportedOperations.h"
#include "api/nnapi/Log.h"
#include "parser/nnapi/OperationTable.h"
#include <algorithm>
#include <map>

using namespace yarrow;
using namespace yarrow::nnapi;

namespace {
/// One operation taken out of its model.
struct Excerpt {
  NnModel model;
  std::map<std::uint32_t, std::uint32_t> numbers; ///< Old to new.

  std::uint32_t take(const NnModel &network, std::uint32_t index,
                     Lifetime whereComputed) {
    auto [place, isNew] = numbers.try_emplace(index, 0);
    if (!isNew)
      return place->second;
    Operand operand = network.operands[index];
    bool isComputed = operand.lifetime == Lifetime::Temporary ||
                      operand.lifetime == Lifetime::Input ||
                      operand.lifetime == Lifetime::Output;
    if (isComputed)
      operand.lifetime = whereComputed;
    std::uint32_t number = model.add(std::move(operand));
    if (isComputed)
      (whereComputed == Lifetime::Input ? model.inputs : model.outputs)
          .push_back(number);
    return place->second = number;
  }
};
} // namespace

/// Whether a run may bring what the operation's layers are made of.
static bool dependsOnRun(const NnModel &network, const Operation &operation) {
  auto isOpen = [&](std::uint32_t index) {
    const Operand &operand = network.operands[index];
    return operand.lifetime != Lifetime::None &&
           operand.lifetime != Lifetime::Model && !operand.isStatic();
  };
  if (std::ranges::any_of(operation.inputs, isOpen))
    return true;
  auto match = matchForm(*findOperation(operation.code), network, operation);
  if (!match)
    return false;
  for (std::size_t i = 0; i < operation.inputs.size(); ++i) {
    const Operand &operand = network.operands[operation.inputs[i]];
    bool isPart = match->rows[i]->isConstant || !operand.isTensor();
    if (isPart && operand.lifetime != Lifetime::Constant &&
        operand.lifetime != Lifetime::None)
      return true;
  }
  return false;
}

static bool isSupported(const NnModel &network, const Operation &operation,
                        Backend &backend) {
  bool isControl = false;
  for (std::uint32_t index : operation.inputs) {
    const Operand &operand = network.operands[index];
    if (operand.lifetime != Lifetime::Model)
      continue;
    isControl = true;
    std::vector<bool> inner =
        supportedOperations(*network.referenced[operand.modelIndex], backend);
    if (std::ranges::find(inner, false) != inner.end())
      return false;
  }
  // The host decides between sub-graphs.
  if (isControl || dependsOnRun(network, operation))
    return true;
  Excerpt excerpt;
  excerpt.model.isRelaxed = network.isRelaxed;
  Operation copy{operation.code, {}, {}};
  for (std::uint32_t index : operation.inputs)
    copy.inputs.push_back(excerpt.take(network, index, Lifetime::Input));
  for (std::uint32_t index : operation.outputs)
    copy.outputs.push_back(excerpt.take(network, index, Lifetime::Output));
  excerpt.model.operations.push_back(std::move(copy));
  DiagnosticEngine diags;
  bool isCompiled = backend.compile(excerpt.model, diags) != nullptr;
  tell("Model_getSupportedOperationsForDevices", diags);
  return isCompiled;
}

std::vector<bool> nnapi::supportedOperations(const NnModel &network,
                                             Backend &backend) {
  std::vector<bool> supported;
  for (const Operation &operation : network.operations)
    supported.push_back(isSupported(network, operation, backend));
  return supported;
}
