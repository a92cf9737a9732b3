//===- Debugger.cpp - yarrow run --step and --break -----------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/debug/Debugger.h"

#include "compiler/debug/MemoryText.h"
#include "compiler/debug/Places.h"
#include "support/Format.h"

#include <algorithm>

using namespace yarrow;
using namespace yarrow::runtime;

Debugger::Debugger(const Executable &executable, DebugInput *input,
                   Driver &driver)
    : executable(executable), input(input), driver(driver) {}
Debugger::~Debugger() = default;

sim::ExecutionObserver &Debugger::attach(Session &session,
                                         sim::ExecutionObserver &other) {
  stepper = std::make_unique<Stepper>(
      executable, session.programAddress(), conditions,
      [this](const RunPoint &at, StopReason why) { return stopped(at, why); });
  stepper->forwardTo(&other);
  end = End::None;
  tec = core = 0;
  // The first command: the program has placed its regions by then.
  if (input)
    conditions.step(StepUnit::Command);
  if (input && input->isFromTerminal())
    interrupt.emplace(conditions);
  return *stepper;
}

static std::string reasonText(StopReason reason) {
  switch (reason.kind) {
  case StopReason::Breakpoint:
    return "breakpoint " + std::to_string(reason.breakpoint) + ": ";
  case StopReason::Interrupt:
    return "interrupted: ";
  case StopReason::Step:
  case StopReason::Finish:
    return "";
  }
  return "";
}

bool Debugger::stopped(const RunPoint &at, StopReason reason) {
  point = at;
  core = at.core;
  // Another core's TECs are not what one looks at.
  uint32_t tecs = executable.machine().tecs;
  tec = at.isInstruction ? at.tec : tec / tecs == core ? tec : core * tecs;
  if (!input) {
    driver.printLine(text().stopLine(at));
    driver.printLine(text().nextText(at) + text().tensorsOf(at.layer, core) +
                     text().units() + text().tecs(true));
    point.reset();
    return false;
  }
  printLine(reasonText(reason) + text().stopLine(at) + text().nextText(at));
  converse();
  point.reset();
  return end == End::None;
}

void Debugger::runEnded(const Session &session, bool isDone) {
  interrupt.reset();
  if (!input || session.isStopped())
    return;
  driver.printNewDiagnostics();
  if (isDone)
    printLine("the run has ended, cycle " +
              formatCount(session.counters().cycles) + "\n");
  else
    printLine("the run stopped at a fault" +
              (session.fault() ? ": " + session.fault()->text : std::string()) +
              "\n");
  converse();
}

/// Until a command lets the run go on, or ends it.
void Debugger::converse() {
  for (;;) {
    std::optional<std::string> typed = input->next();
    if (!typed || driver.hasOutputFailed()) {
      end = End::Quit;
      return;
    }
    ParsedLine line = parseLine(*typed);
    bool isEmpty = typed->find_first_not_of(" \t\r") == std::string::npos;
    if (isEmpty && input->repeatsLast() && lastStep)
      line = *lastStep;
    if (!line.problem.empty())
      complain(line.problem);
    else if (line.command && execute(line) == Flow::GoOn) {
      conditions.forgetInterrupt(); // that came at the prompt
      return;
    }
  }
}

Debugger::Flow Debugger::execute(const ParsedLine &line) {
  switch (*line.command) {
  case DebugCommand::Step:
  case DebugCommand::Next:
  case DebugCommand::StepInstruction:
  case DebugCommand::NextInstruction:
  case DebugCommand::Continue:
  case DebugCommand::Finish:
  case DebugCommand::Run:
  case DebugCommand::Quit:
    return move(line);
  case DebugCommand::Break:
  case DebugCommand::TemporaryBreak:
    setBreak(line.words, *line.command == DebugCommand::TemporaryBreak);
    break;
  case DebugCommand::Delete:
    deleteBreaks(line.words);
    break;
  case DebugCommand::Where:
    where();
    break;
  case DebugCommand::Info:
    info(line.words);
    break;
  case DebugCommand::Tec:
    chooseTec(line.words);
    break;
  case DebugCommand::Print:
    print(line.rest());
    break;
  case DebugCommand::Examine:
    examine(line);
    break;
  case DebugCommand::Disassemble:
    disassemble(line.words);
    break;
  case DebugCommand::List:
    list(line.words);
    break;
  case DebugCommand::Write:
    write(line.words);
    break;
  case DebugCommand::Help:
    help(line.words);
    break;
  }
  return Flow::Ask;
}

//===--- What shows the run -----------------------------------------------===//

void Debugger::where() {
  if (point)
    printLine(text().stopLine(*point) + text().nextText(*point) +
              text().tensorsOf(point->layer, core));
  else
    printLine("the run has ended: `run` begins again\n");
  printLine(text().units());
}

void Debugger::info(const Words &words) {
  // As in gdb, `i r` is of registers.
  const std::string_view topics[] = {"registers", "breakpoints", "layers",
                                     "regions",   "tensors",     "units"};
  auto found = std::find_if(
      std::begin(topics), std::end(topics), [&](std::string_view each) {
        return !words.empty() && each.starts_with(words[0]);
      });
  std::string_view topic = found != std::end(topics) ? *found : "";
  if (topic == "layers")
    printLine(text().layers());
  else if (topic == "tensors")
    printLine(text().tensors(core));
  else if (topic == "breakpoints")
    printLine(text().breakpoints(conditions));
  else if (topic == "units")
    printLine(text().units() + text().tecs(false));
  else if (topic == "regions")
    printLine(text().regions(core));
  else if (topic == "registers")
    infoRegisters({words.begin() + 1, words.end()});
  else
    complain("info needs one of: layers, tensors, breakpoints, units, regions "
             "or registers");
}

/// A number chooses a TEC, other words registers.
void Debugger::infoRegisters(const Words &words) {
  Words names;
  uint32_t of = tec;
  for (const std::string &word : words)
    if (auto number = parseNumber(word); number && *number <= UINT32_MAX)
      of = uint32_t(*number);
    else
      names.push_back(word.starts_with("$") ? word.substr(1) : word);
  std::optional<TecRegisters> registers = stepper->registersOf(of);
  if (!registers)
    return complain(
        "TEC " + std::to_string(of) +
        (of < stepper->numTecs() ? " has not begun" : " does not exist"));
  for (const std::string &name : names) {
    std::string problem;
    bool isVector = text().registers(of, *registers, {name}) != "";
    if (!isVector && !findRegister(*stepper, of, name, problem))
      return complain(problem);
  }
  printLine(text().registers(of, *registers, names));
}

void Debugger::chooseTec(const Words &words) {
  if (!words.empty()) {
    auto number = parseNumber(words[0]);
    if (!number || *number >= stepper->numTecs() ||
        !stepper->registersOf(uint32_t(*number)))
      return complain("'" + words[0] + "' is not a TEC that has begun");
    tec = uint32_t(*number);
    core = tec / executable.machine().tecs;
  }
  if (!stepper->numTecs())
    return complain("no TEC has begun");
  uint32_t pc = stepper->pcOf(tec);
  printLine("TEC " + std::to_string(tec) + " of core " + std::to_string(core) +
            " is shown\n" + text().instructions(core, pc, 1, pc));
}

std::optional<std::pair<std::size_t, std::string>>
Debugger::tensorAndIndices(const std::string &asked,
                           std::string &problem) const {
  std::string ignored;
  // A name may have brackets in it.
  if (auto whole = findTensor(stepper->tensors(), asked, ignored))
    return std::pair(*whole, std::string());
  std::size_t bracket = asked.rfind('[');
  std::string name = asked;
  if (asked.ends_with("]") && bracket != std::string::npos)
    name = asked.substr(0, bracket);
  while (name.ends_with(" "))
    name.pop_back();
  auto index = findTensor(stepper->tensors(), name, problem);
  if (!index) {
    // A layer stands for its result.
    auto layer = findLayer(executable, name, ignored);
    std::vector<std::size_t> results =
        layer ? stepper->tensors().resultsOf(int64_t(*layer))
              : std::vector<std::size_t>();
    if (results.size() != 1) {
      if (layer)
        problem = "layer '" + name +
                  (results.empty()
                       ? "' does not have its whole result in memory"
                       : "' has several results: `info tensors` lists them");
      return std::nullopt;
    }
    index = results[0];
  }
  return std::pair(*index,
                   name.size() == asked.size()
                       ? std::string()
                       : asked.substr(bracket + 1, asked.size() - bracket - 2));
}

void Debugger::print(const std::string &asked) {
  std::string problem;
  if (asked.empty())
    return complain("print needs a tensor: `info tensors` lists them");
  if (asked.starts_with("$")) {
    std::optional<TecRegisters> registers = stepper->registersOf(tec);
    std::string shown =
        registers ? text().registers(tec, *registers, {asked.substr(1)}) : "";
    if (shown.empty())
      findRegister(*stepper, tec, asked.substr(1), problem);
    return shown.empty() ? complain(problem) : void(printLine(shown));
  }
  auto found = tensorAndIndices(asked, problem);
  if (!found)
    return complain(problem);
  const RunTensor &tensor = stepper->tensors().all()[found->first];
  auto ranges = parseIndices(found->second, tensor.shape, problem);
  if (!ranges)
    return complain(problem);
  printLine(tensorText(tensor, stepper->look(found->first, core), *ranges));
}

/// What is shown of memory at most.
static constexpr uint64_t kMostBytes = 64 * 1024;

void Debugger::examine(const ParsedLine &line) {
  std::optional<ExamineFormat> how = parseExamine(line.suffix);
  if (!how || line.words.empty())
    return complain(
        "x needs COUNT FORMAT SIZE ADDRESS, such as x/16xb sram; `help "
        "x` lists formats and sizes");
  std::string problem, place = line.rest();
  std::erase(place, ' ');
  auto address = findAddress(*stepper, tec, core, place, problem);
  if (!address)
    return complain(problem);
  if (how->count > kMostBytes / how->sizeBytes)
    return complain("at most " + formatCount(kMostBytes) +
                    " bytes are shown at a time");
  if (how->format == 'i')
    return void(printLine(text().instructions(
        core, *address, how->count,
        stepper->numTecs() ? std::optional(stepper->pcOf(tec))
                           : std::nullopt)));
  std::span<const std::byte> bytes =
      stepper->read(core, *address, how->count * how->sizeBytes);
  if (bytes.empty())
    return complain("only a part of the " +
                    formatCount(how->count * how->sizeBytes) + " bytes at " +
                    addressText(*address) + " is memory");
  printLine(memoryText(bytes, *address, *how));
}

void Debugger::disassemble(const Words &words) {
  constexpr uint32_t kBefore = 5;
  constexpr uint64_t kCount = 12;
  if (!stepper->numTecs())
    return complain("no TEC has begun");
  uint32_t pc = stepper->pcOf(tec);
  std::optional<uint32_t> address = pc > 4 * kBefore ? pc - 4 * kBefore : pc;
  std::optional<uint64_t> count = kCount;
  std::string problem;
  if (!words.empty())
    address = findAddress(*stepper, tec, core, words[0], problem);
  if (words.size() > 1)
    count = parseCount(words[1]);
  if (!address || !count)
    return complain(!address ? problem : "'" + words[1] + "' is not a count");
  printLine(text().instructions(core, *address,
                                std::min(*count, kMostBytes / 4), pc));
}

void Debugger::list(const Words &words) {
  constexpr uint64_t kAround = 2, kCount = 5;
  std::optional<CommandId> present = point ? point->command : std::nullopt;
  std::string problem;
  if (words.empty()) {
    CommandId from = present.value_or(CommandId{isa::Unit::TensorEngine, 0});
    uint64_t first = from.index > kAround ? from.index - kAround : 0;
    printLine(text().commands(from.unit, first, kCount, present));
    return;
  }
  std::string name = ParsedLine{.words = words}.rest();
  if (auto layer = findLayer(executable, name, problem)) {
    printLine(text().commandsOf(int64_t(*layer), present));
    return;
  }
  std::string noCommand;
  bool looksLikeCommand = parseNumber(words.back()).has_value();
  if (auto command = findCommand(executable, words, noCommand))
    printLine(text().commands(command->unit, command->index, kCount, present));
  else
    complain(looksLikeCommand ? noCommand : problem);
}

void Debugger::write(const Words &words) {
  std::string problem;
  if (words.size() < 2)
    return complain("write needs TENSOR FILE.npy");
  std::string name =
      ParsedLine{.words = {words.begin(), words.end() - 1}}.rest();
  auto found = tensorAndIndices(name, problem);
  if (!found)
    return complain(problem);
  if (!found->second.empty())
    return complain("write takes a whole tensor, without indices");
  const RunTensor &tensor = stepper->tensors().all()[found->first];
  RunTensors::Contents contents = stepper->look(found->first, core);
  if (contents.state == RunTensors::State::NoPlace)
    return complain("'" + name + "' has no place in memory yet");
  DiagnosticEngine problems;
  if (!writeNpy(words.back(), storedType(tensor), tensor.shape,
                contents.bytes.data(), problems)) {
    for (const Diagnostic &d : problems.all())
      complain(d.str());
    return;
  }
  bool isWhole = contents.state == RunTensors::State::Whole;
  printLine("wrote " + words.back() + ": " + typeText(tensor) +
            (isWhole ? "" : ", " + std::string(stateText(contents.state))) +
            "\n");
}

void Debugger::help(const Words &words) {
  std::string shown =
      debugHelp(words.empty() ? "" : words[0], driver.tableWidth());
  if (shown.empty())
    complain(parseLine(words[0]).problem);
  else
    printLine(shown);
}
