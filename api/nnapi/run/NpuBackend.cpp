//===- NpuBackend.cpp - Models of NNAPI on a simulated machine ------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "api/nnapi/run/Backend.h"
#include "api/nnapi/run/HalfEdges.h"
#include "api/nnapi/run/Network.h"
#include "compiler/session/Compile.h"
#include "runtime/SessionPool.h"

using namespace yarrow;
using namespace yarrow::nnapi;
using runtime::Session;

namespace {

class NpuProgram final : public Program {
public:
  NpuProgram(const NnModel &part, const session::Executable &executable,
             std::vector<std::vector<std::uint32_t>> dims)
      : halves(part), dims(std::move(dims)),
        sessions(executable.program(),
                 runtime::SimulationOptions{.timed = true}) {}

  const std::vector<std::vector<std::uint32_t>> &outputDims() const override {
    return dims;
  }
  bool run(std::span<const Value> inputs, std::vector<Value> &outputs,
           RunNumbers &numbers, DiagnosticEngine &diags) override;

private:
  const HalfEdges halves;
  const std::vector<std::vector<std::uint32_t>> dims;
  runtime::SessionPool sessions;
};

class NpuBackend final : public Backend {
public:
  NpuBackend(const isa::Machine &machine, const std::string &cache)
      : machine(machine) {
    settings.machine = machine;
    settings.cache = cache;
    settings.warnsOfSpeed = false;
  }
  std::string name() const override { return "yarrow-" + machine.name; }
  std::shared_ptr<Program> compile(const NnModel &part,
                                   DiagnosticEngine &diags) override;

private:
  const isa::Machine machine;
  session::CompileSettings settings;
};

} // namespace

bool NpuProgram::run(std::span<const Value> inputs, std::vector<Value> &outputs,
                     RunNumbers &numbers, DiagnosticEngine &diags) {
  std::unique_ptr<Session> session = sessions.take(diags);
  if (!session)
    return false;
  std::vector<Value> loaded = halves.load(inputs);
  for (std::size_t i = 0; i < loaded.size(); ++i)
    if (!session->setInput(i, loaded[i].bytes, diags))
      return false;
  if (!session->run(diags))
    return false;
  outputs.clear();
  for (std::size_t i = 0; i < dims.size(); ++i) {
    auto result = session->output(i);
    outputs.push_back(Value::of(dims[i], {result.begin(), result.end()}));
  }
  halves.store(outputs);
  std::uint64_t cycles = session->counters().cycles;
  numbers.cycles += cycles;
  numbers.nanoseconds += cycles * 1000 / session->machine().clockMhz;
  sessions.give(std::move(session));
  return true;
}

std::shared_ptr<Program> NpuBackend::compile(const NnModel &part,
                                             DiagnosticEngine &diags) {
  auto network = Network::make(part, diags);
  if (!network)
    return nullptr;
  auto dims = network->outputDims();
  session::Call call{diags};
  // Which each function of NNAPI turns into its result.
  call.passesExhaustion = true;
  auto executable =
      session::compile(std::move(*network).handOver(), settings, call);
  return executable
             ? std::make_shared<NpuProgram>(part, *executable, std::move(dims))
             : nullptr;
}

std::shared_ptr<Backend> nnapi::npuBackend(const isa::Machine &machine,
                                           const std::string &cache) {
  return std::make_shared<NpuBackend>(machine, cache);
}
