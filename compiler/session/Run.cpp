//===- Run.cpp - Runs of executables ------------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/session/Run.h"
#include "compiler/run/IoFiles.h"
#include "compiler/run/NpuRunner.h"
#include "compiler/run/Profile.h"
#include "compiler/work/Preflight.h"
#include "support/ThreadPool.h"

#include <algorithm>
#include <atomic>
#include <cstring>

using namespace yarrow;
using session::Data;
using session::DataTarget;
using session::Measured;
using session::Output;
using session::RunSettings;

std::shared_ptr<const runtime::Executable>
session::variantFor(const std::shared_ptr<const runtime::Executable> &program,
                    const std::vector<NpyView> &arrays) {
  for (std::size_t v = 0; v < program->variants().size(); ++v) {
    auto variant = program->withVariant(v);
    bool fits = true;
    for (std::size_t i = 0; i < arrays.size(); ++i)
      fits &= fitSamples(arrays[i].shape, sampleInputOf(variant->inputs()[i]))
                  .runs > 0;
    if (fits)
      return variant;
  }
  return program;
}

namespace {

/// Everything that a run needs.
struct Prepared {
  std::optional<isa::Machine> machine;
  runtime::SimulationOptions options;
  std::shared_ptr<const runtime::Executable> program;
  std::optional<SampleArrays> samples;
};

} // namespace

/// False after errors.
static bool chooseMachine(const RunSettings &settings, DiagnosticEngine &diags,
                          Prepared &to) {
  if (!settings.machine.empty()) {
    to.machine = targetAt(settings.machine, {"machine"}, diags);
    if (!to.machine)
      return false;
  }
  to.options.machine = to.machine ? &*to.machine : nullptr;
  to.options.budget = settings.budget;
  return true;
}

/// False after errors.
static bool prepare(const session::Executable &executable, const Data &data,
                    const RunSettings &settings, DiagnosticEngine &diags,
                    Prepared &to) {
  if (!chooseMachine(settings, diags, to))
    return false;
  DataTarget target;
  for (const auto &input : executable.program()->inputs()) {
    target.inputs.push_back({input.name, input.tensor});
    target.shapes.push_back(input.shape);
  }
  auto arrays = session::bindArrays(data, target, diags);
  if (!arrays)
    return false;
  to.program = session::variantFor(executable.program(), *arrays);
  to.samples = makeRunInputs(*arrays, to.program->inputs(), diags);
  return to.samples.has_value();
}

/// An output of all runs, to be filled.
static Output outputOf(const runtime::IoDescription &tensor, bool isReal,
                       std::size_t runs) {
  Output output;
  output.name = tensor.name;
  output.type = isReal ? NpyType::Float32 : npyTypeOf(tensor.type);
  output.shape = tensor.shape;
  if (output.shape.empty())
    output.shape = {int64_t(numElements(tensor))};
  output.shape[0] *= int64_t(runs);
  output.bytes.resize(numElements(tensor) * runs * npyTypeBytes(output.type));
  return output;
}

static void store(const std::vector<char> &bytes,
                  const runtime::IoDescription &tensor, bool isReal,
                  std::size_t run, std::size_t runs, Output &to) {
  std::size_t perRun = to.bytes.size() / runs;
  char *at = to.bytes.data() + run * perRun;
  if (!isReal) {
    std::memcpy(at, bytes.data(), std::min(bytes.size(), perRun));
    return;
  }
  std::vector<float> reals = dequantize(bytes, tensor);
  std::memcpy(at, reals.data(), std::min(reals.size() * sizeof(float), perRun));
}

static std::vector<Output> outputsFor(const runtime::Executable &program,
                                      bool isReal, std::size_t runs) {
  std::vector<Output> outputs;
  for (const auto &tensor : program.outputs())
    outputs.push_back(outputOf(tensor, isReal, runs));
  return outputs;
}

static std::optional<std::vector<Output>>
runNow(const session::Executable &executable, const Data &data,
       const RunSettings &settings, DiagnosticEngine &diags) {
  Prepared prepared;
  if (!prepare(executable, data, settings, diags, prepared))
    return std::nullopt;
  std::size_t runs = prepared.samples->count();
  auto outputs = outputsFor(*prepared.program, settings.isReal, runs);
  NpuRunner runner(prepared.program, prepared.options);
  std::atomic<bool> hasFailed = false;
  parallelFor(runs, [&](std::size_t run) {
    IoBytes results;
    if (!runner.run(prepared.samples->inputsOf(run), results, diags)) {
      hasFailed = true;
      return;
    }
    for (std::size_t k = 0; k < results.size(); ++k)
      store(results[k], prepared.program->outputs()[k], settings.isReal, run,
            runs, outputs[k]);
  });
  return hasFailed ? std::nullopt : std::optional(std::move(outputs));
}

std::optional<std::vector<Output>>
session::run(const session::Executable &executable, const Data &data,
             const RunSettings &settings, const Call &call) {
  std::optional<std::vector<Output>> outputs;
  bool isDone = call.run(
      [&] { outputs = runNow(executable, data, settings, call.diags); });
  return isDone ? std::move(outputs) : std::nullopt;
}

static std::optional<Measured> measureNow(const session::Executable &executable,
                                          const Data &data,
                                          const RunSettings &settings,
                                          DiagnosticEngine &diags) {
  Prepared prepared;
  IoBytes inputs[1], results[1];
  if (data.parts.empty()) {
    if (!chooseMachine(settings, diags, prepared))
      return std::nullopt;
    prepared.program = executable.program();
    for (const auto &input : prepared.program->inputs())
      inputs[0].emplace_back(input.sizeBytes);
  } else if (prepare(executable, data, settings, diags, prepared)) {
    inputs[0] = prepared.samples->inputsOf(0);
  } else {
    return std::nullopt;
  }
  auto profile = profileSamples(prepared.program, prepared.options, inputs, {},
                                {}, results, diags);
  if (!profile)
    return std::nullopt;
  Measured measured{std::move(profile->report),
                    outputsFor(*prepared.program, settings.isReal, 1)};
  for (std::size_t k = 0; k < results[0].size(); ++k)
    store(results[0][k], prepared.program->outputs()[k], settings.isReal, 0, 1,
          measured.outputs[k]);
  return measured;
}

std::optional<Measured> session::measure(const session::Executable &executable,
                                         const Data &data,
                                         const RunSettings &settings,
                                         const Call &call) {
  std::optional<Measured> measured;
  bool isDone = call.run(
      [&] { measured = measureNow(executable, data, settings, call.diags); });
  return isDone ? std::move(measured) : std::nullopt;
}
