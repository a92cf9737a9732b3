//===- SupportedOperations.cpp - What a device computes of a model --------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "api/nnapi/SupportedOperations.h"
#include "api/nnapi/Log.h"
#include "api/nnapi/run/Parts.h"
#include <algorithm>
#include <map>

using namespace yarrow;
using namespace yarrow::nnapi;

namespace {
/// Asks a backend, of each model once: several operations may refer to one.
class Asker {
public:
  explicit Asker(Backend &backend) : backend(backend) {}
  const std::vector<bool> &ask(const NnModel &network);

private:
  bool isSupported(const NnModel &network, const NnStep &step);

  Backend &backend;
  std::map<const NnModel *, std::vector<bool>> known;
};
} // namespace

bool Asker::isSupported(const NnModel &network, const NnStep &step) {
  if (step.kind == NnStep::Kind::If || step.kind == NnStep::Kind::While) {
    // The host decides between sub-graphs.
    auto isWhole = [&](std::uint32_t input) {
      const Operand &operand = network.operands[input];
      return operand.lifetime != Lifetime::Model ||
             std::ranges::count(ask(*network.referenced[operand.modelIndex]),
                                false) == 0;
    };
    return std::ranges::all_of(
        network.operations[step.operations.front()].inputs, isWhole);
  }
  // A run may bring what the operation's layers are made of.
  auto isKnown = [&](std::uint32_t input) {
    return network.operands[input].isStatic();
  };
  if (!step.frozen.empty() || !std::ranges::all_of(step.inputs, isKnown))
    return true;
  DiagnosticEngine diags;
  bool isCompiled = backend.compile(partOf(network, step), diags) != nullptr;
  notify("Model_getSupportedOperationsForDevices", diags);
  return isCompiled;
}

const std::vector<bool> &Asker::ask(const NnModel &network) {
  auto [place, isNew] = known.try_emplace(&network);
  std::vector<bool> &supported = place->second;
  if (isNew)
    for (std::size_t i = 0; i < network.operations.size(); ++i)
      supported.push_back(isSupported(network, stepOf(network, i)));
  return supported;
}

std::vector<bool> nnapi::supportedOperations(const NnModel &network,
                                             Backend &backend) {
  return Asker(backend).ask(network);
}
