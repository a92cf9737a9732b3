//===- EvaluatorBackend.cpp - Models of NNAPI on the host -----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "api/nnapi/run/Backend.h"
#include "api/nnapi/run/HalfEdges.h"
#include "api/nnapi/run/Network.h"
#include "dialects/compass/network/Evaluator.h"
#include <cstddef>

using namespace yarrow;
using namespace yarrow::nnapi;

namespace {

class EvaluatorProgram final : public Program {
public:
  EvaluatorProgram(const NnModel &part, std::unique_ptr<Network> network,
                   std::unique_ptr<compass::Evaluator> evaluator)
      : halves(part), network(std::move(network)),
        evaluator(std::move(evaluator)) {}

  const std::vector<std::vector<std::uint32_t>> &outputDims() const override {
    return network->outputDims();
  }
  bool run(std::span<const Value> inputs, std::vector<Value> &outputs,
           RunNumbers &numbers, DiagnosticEngine &diags) override;

private:
  const HalfEdges halves;
  std::unique_ptr<Network> network;
  std::unique_ptr<compass::Evaluator> evaluator;
};

class EvaluatorBackend final : public Backend {
public:
  std::string name() const override { return "nnapi-reference"; }
  std::shared_ptr<Program> compile(const NnModel &part,
                                   DiagnosticEngine &diags) override {
    auto network = Network::make(part, diags);
    auto evaluator = network
                         ? compass::Evaluator::create(network->module(), diags)
                         : nullptr;
    if (!evaluator)
      return nullptr;
    return std::make_shared<EvaluatorProgram>(part, std::move(network),
                                              std::move(evaluator));
  }
};

} // namespace

/// As kernels read it: elements where their type may lie. A client's buffer may
/// begin anywhere.
static Value aligned(Value value) {
  auto address = reinterpret_cast<std::uintptr_t>(value.bytes.data());
  if (address % alignof(std::max_align_t) == 0)
    return value;
  return Value::of(value.dims, {value.bytes.begin(), value.bytes.end()});
}

bool EvaluatorProgram::run(std::span<const Value> inputs,
                           std::vector<Value> &outputs, RunNumbers &,
                           DiagnosticEngine &diags) {
  std::vector<Value> loaded = halves.load(inputs);
  std::vector<compass::TensorBytesRef> refs;
  for (Value &input : loaded) {
    input = aligned(std::move(input));
    refs.emplace_back(reinterpret_cast<const char *>(input.bytes.data()),
                      input.bytes.size());
  }
  std::vector<compass::TensorBytes> results;
  if (compass::EvaluationStop stop = evaluator->run(refs, results)) {
    stop.report(diags);
    return false;
  }
  outputs.clear();
  for (std::size_t i = 0; i < results.size(); ++i) {
    auto bytes = std::as_bytes(std::span(results[i]));
    outputs.push_back(Value::of(outputDims()[i], {bytes.begin(), bytes.end()}));
  }
  halves.store(outputs);
  return true;
}

std::shared_ptr<Backend> nnapi::evaluatorBackend() {
  return std::make_shared<EvaluatorBackend>();
}
