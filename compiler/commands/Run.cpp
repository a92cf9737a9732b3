//===- Run.cpp - yarrow run -----------------------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/commands/RunFlags.h"
#include "compiler/debug/Debugger.h"
#include "compiler/debug/Places.h"
#include "compiler/model/Models.h"
#include "compiler/page/Page.h"
#include "compiler/report/PictureReport.h"
#include "compiler/report/ReportJson.h"
#include "compiler/run/EntriesInUse.h"
#include "compiler/run/IoFiles.h"
#include "compiler/run/RandomInputs.h"
#include "compiler/run/ShapeChoice.h"
#include "compiler/run/StateFiles.h"
#include "compiler/session/Compile.h"
#include "compiler/session/Runner.h"
#include "compiler/work/Preflight.h"
#include "support/AtomicFile.h"
#include "support/Format.h"

using namespace yarrow;

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
  report.read = {{"executable", flags.executable}};
  if (!flags.inputs.empty())
    report.read["inputs"] = splitPaths(flags.inputs);
  report.written["outputs"] = outputs;
  if (!flags.states.empty())
    report.read["states"] = flags.states;
  if (!flags.finalState.empty())
    report.written["final_state"] = flags.finalState;
  if (!flags.machine.empty())
    report.read["machine"] = flags.machine;
  if (!flags.trace.empty())
    report.written["trace"] = flags.trace;
  if (!flags.tecTrace.empty())
    report.written["tec_trace"] = flags.tecTrace;
  if (!flags.html.empty())
    report.written["page"] = flags.html;
}

/// Those of the files, or drawn ones; nullopt after errors.
static std::optional<SampleArrays>
inputsOf(const RunFlags &flags, const PictureOptions &pictures,
         const runtime::Executable &executable, Driver &driver) {
  if (!flags.inputs.empty())
    return readRunInputs(splitPaths(flags.inputs), executable.inputs(),
                         driver.diags, false, pictures);
  return makeRunInputs(randomInputs(executable.inputs(), flags.seed),
                       executable.inputs(), driver.diags);
}

/// "wrote out.npy: scores: float32[1,10]", a line for each output.
static void printOutputs(const std::vector<std::string> &paths,
                         const std::vector<OutputArray> &arrays,
                         const EntriesInUse &used, std::size_t samples,
                         Driver &driver) {
  for (std::size_t k = 0; k < arrays.size(); ++k) {
    std::string inUse = used.text(k);
    driver.printLine(
        "wrote " + pathOf(paths, k) + ": " + arrays[k].text +
        (inUse.empty() ? "" : ", " + inUse) +
        (samples > 1 ? ", " + formatCount(samples) + " samples\n" : "\n"));
  }
}

/// What is said of states means something only where there are some.
static bool checkStateFlags(const RunFlags &flags,
                            const runtime::Executable &executable,
                            Driver &driver) {
  bool isStated = flags.resetEvery || !flags.finalState.empty();
  if (!isStated || !executable.states().empty())
    return true;
  driver.usageError(
      "--reset-every and --final-state need a network that keeps a state",
      "`yarrow inspect` shows the states of an executable");
  return false;
}

namespace {

/// Everything that `yarrow run` does, in the order of its functions, each of
/// which is false after errors.
class CommandRun {
public:
  CommandRun(const RunFlags &flags, Driver &driver)
      : flags(flags), driver(driver), diags(driver.diags) {}

  bool run() {
    if (!planFiles() || !open() || !read() || !attach())
      return false;
    if (isProfiled() && !profile())
      return false;
    return isStopped || (write() && notify());
  }

private:
  bool planFiles();
  bool open();
  bool read();
  bool attach();
  bool profile();
  bool write();
  bool notify();

  bool isProfiled() const {
    return flags.timed || flags.batch > 1 || !flags.report.empty() ||
           !flags.trace.empty() || !flags.tecTrace.empty() ||
           !flags.html.empty() || !request.isEmpty();
  }
  const RunFlags &flags;
  Driver &driver;
  DiagnosticEngine &diags;
  std::vector<std::string> given; ///< Paths of outputs.
  std::unique_ptr<session::Runner> runner;
  std::optional<std::vector<std::string>> paths;
  std::optional<PictureOptions> pictures;
  std::optional<SampleArrays> inputs;
  std::unique_ptr<DebugInput> commands;
  std::unique_ptr<Debugger> debugger;
  InspectRequest request;
  bool isStopped = false; ///< By the debugger.
  std::vector<IoBytes> timedOutputs;
  std::string profileText;
  std::optional<PagePicture> picture;
  std::vector<OutputArray> arrays;
  std::optional<EntriesInUse> used;
  ReportDocument report{"run"};
};

} // namespace

bool CommandRun::planFiles() {
  FilePlan &plan = driver.files;
  plan.reads(splitPaths(flags.inputs));
  plan.reads(flags.commands);
  plan.writes({flags.report, flags.trace, flags.tecTrace, flags.html,
               flags.finalState});
  given = splitPaths(flags.output);
  plan.writes(given);
  return canBeWrittenAs(given, diags) && plan.canBeWritten(diags);
}

bool CommandRun::open() {
  session::RunSettings settings;
  if (!flags.machine.empty()) {
    settings.simulated = targetAt(flags.machine, {"--machine"}, diags);
    if (!settings.simulated)
      return false;
  }
  settings.budget = flags.budget;
  settings.library = flags.simulator;
  settings.resetEvery = flags.resetEvery;
  auto opened = session::Executable::open(flags.executable, diags);
  auto program = opened
                     ? chooseShapes(opened->program(), splitPaths(flags.inputs),
                                    flags.inputShapes, diags)
                     : nullptr;
  runner = program ? session::Runner::make(program, settings, diags) : nullptr;
  if (!runner)
    return false;
  warnOfIdleCores(runner->machine(),
                  runner->executable().usesSeveralCores() || flags.batch > 1,
                  diags);
  return true;
}

bool CommandRun::read() {
  const runtime::Executable &executable = runner->executable();
  paths = outputPaths(given, describeAll(executable.outputs()), diags);
  for (size_t k = given.size(); paths && k < paths->size(); ++k)
    driver.files.writes((*paths)[k]); // named after the first
  if (!driver.files.check(diags))
    return false;
  auto states = readStates(flags.states, executable, diags);
  if (!states || !checkStateFlags(flags, executable, driver))
    return false;
  runner->setFirstStates(std::move(*states));
  pictures = pictureOptions(flags.pictures, diags);
  if (!pictures)
    return false;
  inputs = inputsOf(flags, *pictures, executable, driver);
  return inputs && paths;
}

/// The debugger, and what else looks at the run.
bool CommandRun::attach() {
  if (flags.isStepped()) {
    commands = openDebugInput(flags.commands, driver);
    if (!commands)
      return false;
  }
  debugger = makeDebugger(flags, runner->executable(), commands.get(), driver);
  request.profilesTecs = flags.tecProfile;
  request.companion = debugger.get();
  request.tableWidth = driver.tableWidth();
  return !diags.hasErrors();
}

/// Cycles hardly depend on the data: the first samples stand for all.
bool CommandRun::profile() {
  std::vector<IoBytes> first;
  for (std::size_t i = 0; i < flags.batch; ++i)
    first.push_back(inputs->inputsOf(i % inputs->count()));
  session::ProfileQuestions questions{{flags.trace, flags.tecTrace}, request};
  std::optional<session::ProfiledSamples> profiled;
  do
    profiled = runner->profile(first, questions, driver.call());
  while (debugger && debugger->isToRunAgain());
  if (!profiled)
    return false;
  const Profile &profile = profiled->profile;
  isStopped = profile.isStopped;
  if (isStopped) {
    driver.passCode = ExitStopped;
    return true;
  }
  timedOutputs = std::move(profiled->outputs);
  addPerformance(report, profile.report);
  if (!flags.html.empty())
    picture = makePicture(runner->executable(), runner->machine(), profile);
  profileText = flags.timed ? profile.report.text(driver.tableWidth())
                            : profile.report.summary();
  if (!profile.tecProfile.empty())
    profileText += "\n" + profile.tecProfile;
  return true;
}

bool CommandRun::write() {
  const runtime::Executable &executable = runner->executable();
  const std::vector<IoDescription> &stored = executable.outputs();
  OutputNumbers numbers = flags.numbers(executable.provenance().cameInFloats());
  arrays = outputArrays(stored, numbers, *paths);
  OutputFiles files(*paths, arrays, inputs->count(), diags);
  used.emplace(executable);
  auto write = [&](const IoBytes &outputs) {
    used->add(outputs);
    return files.append(outputBytes(outputs, stored, numbers, *paths));
  };
  bool isDone = isProfiled() && inputs->count() == 1 && !runner->keepsState()
                    ? write(timedOutputs[0])
                    : runner->runEach(*inputs, write, driver.call());
  if (!isDone || !files.commit())
    return false;
  return flags.finalState.empty() ||
         writeStates(flags.finalState, executable, runner->statesNow(diags),
                     diags);
}

bool CommandRun::notify() {
  const runtime::Executable &executable = runner->executable();
  warnOfPictureFlags(flags.pictures, splitPaths(flags.inputs), diags);
  report.pictures = picturesJson(*pictures, splitPaths(flags.inputs));
  describe(flags, executable, *paths, report);
  report.entriesInUse = used->json();
  if (!writeReport(flags.report, report, diags))
    return false;
  if (picture) {
    PageBuild build[] = {pageBuildOf(flags.executable, report,
                                     std::move(picture), diags,
                                     factsOf(executable))};
    if (!writeFile(flags.html, pageHtml(build), diags))
      return false;
  }
  driver.printLine(profileText);
  if (flags.inputs.empty())
    driver.printLine("the inputs are random, with seed " +
                     std::to_string(flags.seed) + "; give others with -i\n");
  printOutputs(*paths, arrays, *used, inputs->count(), driver);
  return true;
}

bool yarrow::runExecutable(const RunFlags &flags, Driver &driver) {
  return CommandRun(flags, driver).run();
}
