//===- Run.cpp - Runs of executables ------------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/session/Run.h"
#include "compiler/run/IoFiles.h"

#include <algorithm>
#include <cstring>

using namespace yarrow;
using session::Call;
using session::Data;
using session::DataTarget;
using session::Measured;
using session::Output;
using session::Runner;
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
  std::unique_ptr<Runner> runner;
  std::optional<SampleArrays> samples;

  const runtime::Executable &program() const { return runner->executable(); }
};

} // namespace

/// The arrays for the inputs of \p program; nullopt after errors.
static std::optional<std::vector<NpyView>>
arraysFor(const runtime::Executable &program, const Data &data,
          DiagnosticEngine &diags) {
  DataTarget target;
  for (const auto &input : program.inputs()) {
    target.inputs.push_back({input.name, input.tensor});
    target.shapes.push_back(input.shape);
  }
  return session::bindArrays(data, target, diags);
}

/// False after errors.
static bool prepare(const session::Executable &executable, const Data &data,
                    const RunSettings &settings, DiagnosticEngine &diags,
                    Prepared &to) {
  auto arrays = arraysFor(*executable.program(), data, diags);
  if (!arrays)
    return false;
  to.runner = Runner::make(session::variantFor(executable.program(), *arrays),
                           settings, diags);
  if (!to.runner)
    return false;
  to.samples = makeRunInputs(*arrays, to.program().inputs(), diags);
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
       const RunSettings &settings, const Call &call) {
  Prepared prepared;
  if (!prepare(executable, data, settings, call.diags, prepared))
    return std::nullopt;
  std::size_t runs = prepared.samples->count(), run = 0;
  auto outputs = outputsFor(prepared.program(), settings.isReal, runs);
  bool isDone = prepared.runner->runEach(
      *prepared.samples,
      [&](const IoBytes &results) {
        for (std::size_t k = 0; k < results.size(); ++k)
          store(results[k], prepared.program().outputs()[k], settings.isReal,
                run, runs, outputs[k]);
        ++run;
        return true;
      },
      call);
  return isDone ? std::optional(std::move(outputs)) : std::nullopt;
}

std::optional<std::vector<Output>>
session::run(const session::Executable &executable, const Data &data,
             const RunSettings &settings, const Call &call) {
  std::optional<std::vector<Output>> outputs;
  bool isDone =
      call.run([&] { outputs = runNow(executable, data, settings, call); });
  return isDone ? std::move(outputs) : std::nullopt;
}

/// The first sample of \p data, or zeros. Nullopt after errors.
static std::optional<IoBytes> firstInputs(const session::Executable &executable,
                                          const Data &data,
                                          const RunSettings &settings,
                                          DiagnosticEngine &diags,
                                          Prepared &to) {
  if (!data.parts.empty())
    return prepare(executable, data, settings, diags, to)
               ? std::optional(to.samples->inputsOf(0))
               : std::nullopt;
  to.runner = Runner::make(executable.program(), settings, diags);
  if (!to.runner)
    return std::nullopt;
  IoBytes zeros;
  for (const auto &input : to.program().inputs())
    zeros.emplace_back(input.sizeBytes);
  return zeros;
}

static std::optional<Measured> measureNow(const session::Executable &executable,
                                          const Data &data,
                                          const RunSettings &settings,
                                          const Call &call) {
  Prepared prepared;
  auto inputs = firstInputs(executable, data, settings, call.diags, prepared);
  auto profiled =
      inputs ? prepared.runner->profile({&*inputs, 1}, {}, call) : std::nullopt;
  if (!profiled)
    return std::nullopt;
  Measured measured{std::move(profiled->profile.report),
                    outputsFor(prepared.program(), settings.isReal, 1)};
  const IoBytes &results = profiled->outputs.front();
  for (std::size_t k = 0; k < results.size(); ++k)
    store(results[k], prepared.program().outputs()[k], settings.isReal, 0, 1,
          measured.outputs[k]);
  return measured;
}

std::optional<Measured> session::measure(const session::Executable &executable,
                                         const Data &data,
                                         const RunSettings &settings,
                                         const Call &call) {
  std::optional<Measured> measured;
  bool isDone = call.run(
      [&] { measured = measureNow(executable, data, settings, call); });
  return isDone ? std::move(measured) : std::nullopt;
}
