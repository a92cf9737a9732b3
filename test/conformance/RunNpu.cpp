//===- RunNpu.cpp - Compile and simulate one network ----------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "test/conformance/RunNpu.h"
#include "compiler/pipeline/Compile.h"
#include "prove/Prove.h"
#include "runtime/SimulatedDevice.h"
#include "test/TemporaryFile.h"

using namespace yarrow;

static bool
runSamples(runtime::Session &session,
           const std::vector<std::vector<compass::TensorBytes>> &samples,
           conformance::SampleOutputs &outputs,
           yarrow::DiagnosticEngine &diags) {
  outputs.clear();
  for (const auto &sample : samples) {
    for (size_t i = 0; i < sample.size(); ++i)
      if (!session.setInput(i, std::as_bytes(std::span(sample[i])), diags))
        return false;
    if (!session.run(diags))
      return false;
    auto &result = outputs.emplace_back();
    for (size_t i = 0; i < session.executable().outputs().size(); ++i) {
      auto bytes = session.output(i);
      const char *data = reinterpret_cast<const char *>(bytes.data());
      result.emplace_back(data, data + bytes.size());
    }
  }
  return true;
}

bool conformance::compileAndRun(
    mlir::ModuleOp module, const NpuConfig &config,
    const std::vector<std::vector<compass::TensorBytes>> &samples,
    SampleOutputs &functional, SampleOutputs &timed,
    yarrow::DiagnosticEngine &diags) {
  auto machine = isa::findTarget(config.target, diags);
  if (!machine)
    return false;
  CompileOptions options;
  options.optimize = config.optimize;
  testing::TemporaryFile file;
  if (!compileNetwork(module, *machine, options, file.path(), diags))
    return false;
  auto executable = runtime::Executable::open(file.path(), diags);
  // What no run can miss: order, presence and writer of all that is read.
  if (executable &&
      !prove::prove(*executable, diags, {.outputStages = false}).holds)
    return false;
  auto session =
      executable ? runtime::simulatedSession(executable, {}, diags) : nullptr;
  if (!session || !runSamples(*session, samples, functional, diags))
    return false;
  session->device().countCycles(true);
  return runSamples(*session, samples, timed, diags);
}
