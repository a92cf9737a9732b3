//===- Run.cpp - yarrow run -----------------------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/commands/Commands.h"
#include "compiler/debug/Debugger.h"
#include "compiler/debug/Places.h"
#include "compiler/driver/EntriesInUse.h"
#include "compiler/driver/IoFiles.h"
#include "compiler/driver/Models.h"
#include "compiler/driver/Preflight.h"
#include "compiler/driver/Profile.h"
#include "compiler/driver/ReportJson.h"
#include "compiler/driver/ShapeChoice.h"
#include "compiler/page/Page.h"
#include "compiler/pipeline/Compile.h"
#include "support/AtomicFile.h"
#include "support/Format.h"
#include "support/OrderedLoop.h"

#include <CLI/CLI.hpp>

using namespace yarrow;

namespace {
struct RunFlags {
  std::string executable, inputs, output = "output.npy", machine, simulator;
  std::string report, trace, tecTrace, html, commands;
  std::vector<std::string> breaks, inputShapes;
  bool tecProfile = false;
  bool timed = false;
  bool step = false;
  uint32_t batch = 1;
  bool dequantizes = false;
  uint64_t budget = sim::kDefaultBudget;

  bool isStepped() const { return step || !commands.empty(); }
};
} // namespace

/// All samples; several at a time, each on a device of its own, and never more
/// in memory than those.
static bool runSamples(NpuRunner &runner, SampleArrays &inputs,
                       const std::function<bool(const IoBytes &)> &write,
                       Driver &driver) {
  std::size_t window = defaultWindow();
  std::vector<IoBytes> outputs(window);
  auto line = driver.progress("run", inputs.count());
  return orderedLoop(
      inputs.count(), window,
      [&](std::size_t i) {
        return runner.run(inputs.inputsOf(i), outputs[i % window],
                          driver.diags);
      },
      [&](std::size_t i) {
        line->advance();
        inputs.releaseBefore(i + 1);
        return write(outputs[i % window]);
      });
}

static std::string nearLayer(const runtime::Executable &executable,
                             const std::string &name) {
  std::vector<std::string> names;
  const auto &layers = executable.provenance().layers;
  for (std::size_t i = 0; i < layers.size(); ++i)
    if (executable.hasLayer(i))
      names.push_back(layers[i].name);
  std::string near = nearestName(name, names);
  return near.empty() ? "`yarrow inspect --layers` lists the layers"
                      : didYouMean("'" + near + "'");
}

/// The debugger with the places of --break; null without --break and --step,
/// and after errors.
static std::unique_ptr<Debugger>
makeDebugger(const RunFlags &flags, const runtime::Executable &executable,
             DebugInput *input, Driver &driver) {
  if (!input && flags.breaks.empty())
    return nullptr;
  auto debugger = std::make_unique<Debugger>(executable, input, driver);
  for (const std::string &place : flags.breaks) {
    std::string problem;
    if (auto b = findBreak(executable, place, problem))
      debugger->conditions.add(*b);
    else
      driver.usageError("--break " + place +
                            " is neither a layer nor an address (0x...)",
                        nearLayer(executable, place));
  }
  return debugger;
}

/// What was run, on what, into what.
static void describe(const RunFlags &flags,
                     const runtime::Executable &executable,
                     const std::vector<std::string> &outputs,
                     ReportDocument &report) {
  report.model = executable.provenance().model;
  report.read = {{"executable", flags.executable},
                 {"inputs", splitList(flags.inputs)}};
  report.written["outputs"] = outputs;
  if (!flags.machine.empty())
    report.read["machine"] = flags.machine;
  if (!flags.trace.empty())
    report.written["trace"] = flags.trace;
  if (!flags.tecTrace.empty())
    report.written["tec_trace"] = flags.tecTrace;
  if (!flags.html.empty())
    report.written["page"] = flags.html;
}

static bool run(const RunFlags &flags, Driver &driver) {
  FilePlan &plan = driver.files;
  plan.reads(splitList(flags.inputs));
  plan.reads(flags.commands);
  plan.writes({flags.report, flags.trace, flags.tecTrace, flags.html});
  std::vector<std::string> given = splitList(flags.output);
  plan.writes(given);
  if (!plan.canBeWritten(driver.diags))
    return false;
  std::optional<isa::Machine> machine;
  if (!flags.machine.empty()) {
    machine = targetAt(flags.machine, {"--machine"}, driver.diags);
    if (!machine)
      return false;
  }
  runtime::SimulationOptions options;
  options.machine = machine ? &*machine : nullptr;
  options.budget = flags.budget;
  options.library = flags.simulator;
  std::shared_ptr<const runtime::Executable> model =
      runtime::Executable::open(flags.executable, driver.diags);
  if (model)
    model = chooseShapes(std::move(model), splitList(flags.inputs),
                         flags.inputShapes, driver.diags);
  if (!model)
    return false;
  auto runner = std::make_unique<NpuRunner>(std::move(model), options);
  const runtime::Executable &executable = runner->executable();
  warnOfIdleCores(machine ? *machine : executable.machine(),
                  executable.usesSeveralCores() || flags.batch > 1,
                  driver.diags);
  std::optional<std::vector<std::string>> paths =
      outputPaths(given, executable.outputs(), driver.diags);
  for (size_t k = given.size(); paths && k < paths->size(); ++k)
    plan.writes((*paths)[k]); // named after the first
  if (!plan.check(driver.diags))
    return false;
  std::optional<SampleArrays> inputs =
      readRunInputs(splitList(flags.inputs), executable.inputs(), driver.diags);
  if (!inputs || !paths)
    return false;
  std::unique_ptr<DebugInput> commands;
  if (flags.isStepped()) {
    commands = openDebugInput(flags.commands, driver);
    if (!commands)
      return false;
  }
  std::unique_ptr<Debugger> debugger =
      makeDebugger(flags, executable, commands.get(), driver);
  if (driver.diags.hasErrors())
    return false;
  InspectRequest request;
  request.profilesTecs = flags.tecProfile;
  request.companion = debugger.get();
  request.tableWidth = driver.tableWidth();
  bool isProfiled = flags.timed || flags.batch > 1 || !flags.report.empty() ||
                    !flags.trace.empty() || !flags.tecTrace.empty() ||
                    !flags.html.empty() || !request.isEmpty();
  std::string profileText;
  ReportDocument report("run");
  std::vector<IoBytes> timedOutputs;
  std::optional<PagePicture> picture;
  if (isProfiled) {
    // Cycles hardly depend on the data: the first samples stand for all.
    std::vector<IoBytes> first;
    for (std::size_t i = 0; i < flags.batch; ++i)
      first.push_back(inputs->inputsOf(i % inputs->count()));
    timedOutputs.resize(first.size());
    ProfileFiles files{flags.trace, flags.tecTrace};
    std::optional<Profile> profile;
    do
      profile = profileSamples(runner->share(), options, first, files, request,
                               timedOutputs, driver.diags);
    while (debugger && debugger->isToRunAgain());
    if (!profile)
      return false;
    if (profile->isStopped) {
      driver.passCode = ExitStopped;
      return true;
    }
    addPerformance(report, profile->report);
    if (!flags.html.empty())
      picture = makePicture(
          executable, machine ? *machine : executable.machine(), *profile);
    profileText = flags.timed ? profile->report.text(driver.tableWidth())
                              : profile->report.summary();
    if (!profile->tecProfile.empty())
      profileText += "\n" + profile->tecProfile;
  }
  const std::vector<IoDescription> &stored = executable.outputs();
  std::vector<IoDescription> tensors =
      flags.dequantizes ? asReal(stored) : stored;
  OutputFiles files(*paths, tensors, inputs->count(), driver.diags);
  EntriesInUse used(executable);
  auto write = [&](const IoBytes &outputs) {
    used.add(outputs);
    return files.append(flags.dequantizes ? dequantize(outputs, stored)
                                          : outputs);
  };
  bool isDone = isProfiled && inputs->count() == 1
                    ? write(timedOutputs[0])
                    : runSamples(*runner, *inputs, write, driver);
  if (!isDone || !files.commit())
    return false;
  describe(flags, executable, *paths, report);
  report.entriesInUse = used.json();
  if (!writeReport(flags.report, report, driver.diags))
    return false;
  if (picture) {
    PageBuild build[] = {pageBuildOf(flags.executable, report,
                                     std::move(picture), driver.diags)};
    if (!writeFile(flags.html, pageHtml(build), driver.diags))
      return false;
  }
  driver.say(profileText);
  for (std::size_t k = 0; k < paths->size(); ++k) {
    std::string inUse = used.text(k);
    driver.say("wrote " + (*paths)[k] + ": " + describeTensor(tensors[k]) +
               (inUse.empty() ? "" : ", " + inUse) +
               (inputs->count() > 1
                    ? ", " + formatCount(inputs->count()) + " samples\n"
                    : "\n"));
  }
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
  command->add_flag("--dequantize", flags->dequantizes,
                    "Write outputs as real numbers, float32");
  command->add_flag(
      "--timed", flags->timed,
      "Count cycles (of the first sample) and print them per layer");
  command
      ->add_option(
          "--batch", flags->batch,
          "Count cycles of so many samples, on as many cores at a time "
          "as there are; given again if there are fewer")
      ->check(CLI::Range(1, 64))
      ->capture_default_str();
  command->add_option("--report,--json", flags->report,
                      "Write the cycles and counters as JSON "
                      "(docs/report.md)");
  addPageOption(*command, flags->html);
  command->add_option("--trace", flags->trace,
                      "Write a timeline for Perfetto (ui.perfetto.dev)");
  command->add_option("--tec-trace", flags->tecTrace,
                      "Write every instruction of the TECs (of the first "
                      "sample), with the registers that it changes");
  command->add_flag("--tec-profile", flags->tecProfile,
                    "Count the TECs' instructions, cycles and stalls, and "
                    "print them per function and per layer");
  command
      ->add_option("--break", flags->breaks,
                   "Stop before a layer computes, or before a pc (0x...), and "
                   "print its tensors, where every unit is, and the registers; "
                   "may be repeated")
      ->allow_extra_args(false);
  command->add_flag("--step", flags->step,
                    "Stop before the first command and go on as commands say: "
                    "from layer to layer, command to command, instruction to "
                    "instruction (docs/debugger.md)");
  command->add_option("-x,--commands", flags->commands,
                      "The same with commands from this file, not from the "
                      "standard input");
  command->add_option("--machine", flags->machine,
                      "Simulate another machine than it was compiled for");
  command
      ->add_option("--input-shape", flags->inputShapes,
                   "Shape of an input, if the files fit several of those that "
                   "the executable has programs for: x=1,3,224,224")
      ->type_name("NAME=SHAPE")
      ->allow_extra_args(false);
  addBudgetOption(*command, flags->budget);
  CLI::Option *simulator = command->add_option(
      "--simulator", flags->simulator,
      "Run on a simulator in a shared library, as the Compass driver loads it "
      "(docs/driver.md)");
  for (const char *name :
       {"--timed", "--batch", "--report", "--html", "--trace", "--tec-trace",
        "--tec-profile", "--break", "--step", "--commands"})
    simulator->excludes(command->get_option(name));
  command->footer(
      std::string("Example:\n"
                  "  yarrow run aipu.bin -i image.npy -o logits.npy --timed\n"
                  "A stored integer q means (q + zero point) / scale; `yarrow "
                  "inspect`\n"
                  "shows both for every input and output.\n\n") +
      kExitCodeHelp);
  command->callback([flags, &driver] { driver.finish(run(*flags, driver)); });
}
