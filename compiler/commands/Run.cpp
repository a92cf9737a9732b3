//===- Run.cpp - yarrow run -----------------------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/commands/Commands.h"
#include "compiler/driver/IoFiles.h"
#include "compiler/driver/Models.h"
#include "compiler/driver/Profile.h"
#include "support/Format.h"
#include "support/ThreadPool.h"

#include <CLI/CLI.hpp>

using namespace yarrow;

namespace {
struct RunFlags {
  std::string executable, inputs, output = "output.npy", machine;
  std::string report, trace;
  bool timed = false;
};
} // namespace

/// All samples; several at a time, each on a device of its own.
static bool runSamples(NpuRunner &runner, const RunInputs &inputs,
                       std::vector<IoBytes> &outputs, Driver &driver) {
  outputs.resize(inputs.samples.size());
  auto line = driver.progress("run", inputs.samples.size());
  std::atomic<bool> ok = true;
  parallelFor(inputs.samples.size(), [&](std::size_t s) {
    if (!runner.run(inputs.samples[s], outputs[s], driver.diags))
      ok = false;
    line->advance();
  });
  return ok;
}

static bool run(const RunFlags &flags, Driver &driver) {
  std::optional<isa::Machine> machine;
  if (!flags.machine.empty()) {
    machine = isa::findTarget(flags.machine, driver.diags);
    if (!machine)
      return false;
  }
  runtime::SessionOptions options;
  options.machine = machine ? &*machine : nullptr;
  std::unique_ptr<NpuRunner> runner =
      NpuRunner::open(flags.executable, options, driver.diags);
  if (!runner)
    return false;
  const runtime::Executable &executable = runner->executable();
  std::optional<RunInputs> inputs =
      readRunInputs(splitList(flags.inputs), executable.inputs(), driver.diags);
  if (!inputs)
    return false;
  std::vector<IoBytes> outputs;
  bool isProfiled =
      flags.timed || !flags.report.empty() || !flags.trace.empty();
  std::string profileText;
  if (isProfiled) {
    // Cycles hardly depend on the data: the first sample stands for all.
    ProfileFiles files{flags.report, flags.trace};
    IoBytes timedOutputs;
    auto profile = profileSample(runner->share(), options, inputs->samples[0],
                                 files, timedOutputs, driver.diags);
    if (!profile)
      return false;
    profileText = flags.timed ? profile->table : profile->summary;
    if (inputs->samples.size() == 1)
      outputs.push_back(std::move(timedOutputs));
  }
  if (outputs.empty() && !runSamples(*runner, *inputs, outputs, driver))
    return false;
  std::vector<std::string> written = splitList(flags.output);
  bool ok = written.size() == executable.outputs().size()
                ? writeRunOutputs(written, executable.outputs(), outputs,
                                  driver.diags)
                : writeRunOutputs(flags.output, executable.outputs(), outputs,
                                  written, driver.diags);
  if (!ok)
    return false;
  driver.say(profileText);
  for (std::size_t k = 0; k < written.size(); ++k)
    driver.say(
        "wrote " + written[k] + ": " + describeTensor(executable.outputs()[k]) +
        (outputs.size() > 1 ? ", " + formatCount(outputs.size()) + " samples\n"
                            : "\n"));
  return true;
}

void yarrow::addRunCommand(CLI::App &app, Driver &driver) {
  auto flags = std::make_shared<RunFlags>();
  CLI::App *command =
      app.add_subcommand("run", "Run an executable on the simulated NPU");
  command->add_option("executable", flags->executable, "aipu.bin")->required();
  command
      ->add_option("-i,--inputs", flags->inputs,
                   "Inputs in the order of input_tensors: a.npy,b.npy. Floats "
                   "are quantized, integers are stored values; .bin is raw. "
                   "More samples along the first axis run one by one")
      ->required();
  command
      ->add_option("-o,--output", flags->output,
                   "Outputs, as stored integers: out.npy, out1.npy ... or "
                   "a list; .bin for raw")
      ->capture_default_str();
  command->add_flag(
      "--timed", flags->timed,
      "Count cycles (of the first sample) and print them per layer");
  command->add_option("--report", flags->report,
                      "Write the cycles and counters as JSON");
  command->add_option("--trace", flags->trace,
                      "Write a timeline for Perfetto (ui.perfetto.dev)");
  command->add_option("--machine", flags->machine,
                      "Simulate another machine than it was compiled for");
  command->footer(
      std::string("Example:\n"
                  "  yarrow run aipu.bin -i image.npy -o logits.npy --timed\n"
                  "A stored integer q means (q + zero point) / scale; `yarrow "
                  "inspect`\n"
                  "shows both for every input and output.\n\n") +
      kExitCodeHelp);
  command->callback([flags, &driver] { driver.finish(run(*flags, driver)); });
}
