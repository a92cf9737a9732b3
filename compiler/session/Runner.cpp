//===- Runner.cpp - Many samples through one executable -----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/session/Runner.h"
#include "compiler/run/NpuAccuracy.h"
#include "compiler/work/Preflight.h"
#include "support/OrderedLoop.h"

using namespace yarrow;
using session::ProfiledSamples;
using session::Runner;

std::unique_ptr<Runner>
Runner::make(std::shared_ptr<const runtime::Executable> program,
             const RunSettings &settings, DiagnosticEngine &diags) {
  std::unique_ptr<Runner> runner(new Runner());
  runner->other = settings.simulated;
  if (!runner->other && !settings.machine.empty()) {
    runner->other = targetAt(settings.machine, {"machine"}, diags);
    if (!runner->other)
      return nullptr;
  }
  runner->resetEvery = settings.resetEvery;
  runner->options.machine = runner->other ? &*runner->other : nullptr;
  runner->options.budget = settings.budget;
  runner->options.library = settings.library;
  runner->npu =
      std::make_unique<NpuRunner>(std::move(program), runner->options);
  return runner;
}

bool Runner::runEach(SampleArrays &samples,
                     const std::function<bool(const IoBytes &)> &take,
                     const Call &call) {
  // The samples of a network with state are the steps of a sequence.
  std::size_t window = keepsState() ? 1 : defaultWindow();
  std::vector<IoBytes> outputs(window);
  bool isDone = false;
  auto work = [&] {
    auto step = call.work().begin("run", samples.count());
    isDone = orderedLoop(
        samples.count(), window,
        [&](std::size_t i) {
          if (resetEvery && i % resetEvery == 0)
            npu->resetState();
          return npu->run(samples.inputsOf(i), outputs[i % window], call.diags);
        },
        [&](std::size_t i) {
          step->advance(1);
          samples.releaseBefore(i + 1);
          return take(outputs[i % window]);
        });
  };
  return call.run(work) && isDone;
}

std::optional<ProfiledSamples>
Runner::profile(std::span<const IoBytes> inputs,
                const ProfileQuestions &questions, const Call &call) const {
  std::optional<ProfiledSamples> result;
  bool isDone = call.run([&] {
    std::vector<IoBytes> outputs(inputs.size());
    auto profile =
        profileSamples(npu->share(), options, inputs, questions.files,
                       questions.inspect, outputs, call.diags);
    if (profile)
      result = {std::move(*profile), std::move(outputs)};
  });
  return isDone ? std::move(result) : std::nullopt;
}

std::optional<AccuracyResult>
session::evaluate(AccuracyTask task, Runner *runner, const Call &call) {
  std::optional<AccuracyResult> result;
  bool isDone = call.run([&] {
    std::optional<NpuDevice> device;
    if (runner)
      task.npu = &device.emplace(*runner->npu);
    task.ranks = call.ranks;
    task.progress = call.work().progressOf("evaluate");
    result = measureAccuracy(task, call.diags);
  });
  return isDone ? std::move(result) : std::nullopt;
}

std::optional<Profile> session::profileOnZeros(
    const std::shared_ptr<const runtime::Executable> &program,
    const Call &call) {
  std::optional<Profile> profile;
  bool isDone = call.run([&] { profile = profileZeros(program, call.diags); });
  return isDone ? std::move(profile) : std::nullopt;
}
