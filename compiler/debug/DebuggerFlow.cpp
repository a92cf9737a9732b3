//===- DebuggerFlow.cpp - What lets a run go on, and where it stops -------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/debug/Debugger.h"
#include "compiler/debug/Places.h"

#include <algorithm>
#include <cstring>

using namespace yarrow;
using namespace yarrow::runtime;

Debugger::Flow Debugger::move(const ParsedLine &line) {
  if (*line.command == DebugCommand::Quit) {
    end = End::Quit;
    return Flow::GoOn;
  }
  if (*line.command == DebugCommand::Run)
    return runAgain();
  if (!point) {
    complain("the run has ended: `run` begins again");
    return Flow::Ask;
  }
  Flow flow = Flow::Ask;
  switch (*line.command) {
  case DebugCommand::Step:
  case DebugCommand::Next:
    flow = step(*line.command == DebugCommand::Next, line.words);
    break;
  case DebugCommand::StepInstruction:
  case DebugCommand::NextInstruction: {
    Words words = line.words;
    words.insert(words.begin(), "instruction");
    flow = step(*line.command == DebugCommand::NextInstruction, words);
    break;
  }
  case DebugCommand::Finish:
    flow = finish();
    break;
  default:
    conditions.goOn();
    flow = Flow::GoOn;
  }
  if (flow == Flow::GoOn)
    lastStep = line;
  return flow;
}

Debugger::Flow Debugger::runAgain() {
  end = End::Restart;
  lastStep.reset();
  return Flow::GoOn;
}

/// A unit and a count, either of which may be left out.
Debugger::Flow Debugger::step(bool isOver, Words words) {
  const std::pair<std::string_view, StepUnit> units[] = {
      {"layer", StepUnit::Layer},
      {"command", StepUnit::Command},
      {"instruction", StepUnit::Instruction}};
  StepUnit unit = isOver ? StepUnit::Layer : StepUnit::Command;
  if (!words.empty() && !parseNumber(words[0])) {
    auto it =
        std::find_if(std::begin(units), std::end(units), [&](const auto &each) {
          return each.first.starts_with(words[0]);
        });
    if (it == std::end(units)) {
      complain("a step is a layer, a command or an instruction, not '" +
               words[0] + "'");
      return Flow::Ask;
    }
    unit = it->second;
    words.erase(words.begin());
  }
  std::optional<uint64_t> count = words.empty() ? 1 : parseCount(words[0]);
  if (!count || words.size() > 1) {
    complain("'" + words.back() + "' is not a number of steps");
    return Flow::Ask;
  }
  if (unit == StepUnit::Instruction)
    return stepInstruction(isOver, *count);
  conditions.step(unit, *count);
  return Flow::GoOn;
}

/// jal and jalr that keep where they return to, in ra.
static bool isCall(uint32_t word) {
  uint32_t opcode = word & 0x7f, link = word >> 7 & 0x1f;
  return (opcode == 0x6f || opcode == 0x67) && link == 1;
}

Debugger::Flow Debugger::stepInstruction(bool isOver, uint64_t count) {
  uint32_t word = 0;
  if (point->isInstruction) {
    std::span<const std::byte> bytes = stepper->read(core, point->pc, 4);
    if (bytes.size() == 4)
      std::memcpy(&word, bytes.data(), 4);
  }
  if (isOver && count == 1 && isCall(word))
    conditions.stepOver(*point);
  else
    // From a command on, the next one of any TEC.
    conditions.step(StepUnit::Instruction, count,
                    point->isInstruction ? point->tec
                                         : StopConditions::kAnyTec);
  return Flow::GoOn;
}

Debugger::Flow Debugger::finish() {
  if (point->layer < 0) {
    complain("the next command does not belong to a layer");
    return Flow::Ask;
  }
  conditions.finish(point->layer);
  return Flow::GoOn;
}

//===--- Breakpoints ------------------------------------------------------===//

std::optional<Breakpoint> Debugger::breakOf(const Words &words,
                                            std::string &problem) const {
  std::string place = ParsedLine{.words = words}.rest();
  if (auto b = findBreak(executable, place, problem))
    return b;
  auto atAddress = [&](const std::string &text) -> std::optional<Breakpoint> {
    auto address = findAddress(*stepper, tec, core, text, problem);
    if (!address)
      return std::nullopt;
    return Breakpoint{.kind = Breakpoint::Address, .address = *address};
  };
  if (words.size() > 1 && words[0] == "command") {
    auto command =
        findCommand(executable, std::span(words).subspan(1), problem);
    if (!command)
      return std::nullopt;
    return Breakpoint{.kind = Breakpoint::Command, .command = *command};
  }
  if (words.size() == 2 && words[0] == "layer")
    return findBreak(executable, words[1], problem);
  if (words.size() == 2 && words[0] == "pc")
    return atAddress(words[1]);
  if (place.starts_with("*"))
    return atAddress(place.substr(1));
  if (auto function = findFunction(*stepper, place))
    return Breakpoint{.kind = Breakpoint::Address, .address = *function};
  return std::nullopt;
}

void Debugger::setBreak(const Words &words, bool isTemporary) {
  std::string problem;
  if (words.size() == 1 && words[0] == "fault")
    return complain("a fault always stops the run, at the place of the fault");
  std::optional<Breakpoint> b;
  if (!words.empty())
    b = breakOf(words, problem);
  else if (!point)
    problem = "the run has ended: name a place to stop";
  else if (point->isInstruction)
    b = Breakpoint{.kind = Breakpoint::Address, .address = point->pc};
  else if (point->command)
    b = Breakpoint{.kind = Breakpoint::Command, .command = *point->command};
  else
    problem = "the program has no next command: name a place to stop";
  if (!b)
    return complain(problem);
  b->isTemporary = isTemporary;
  unsigned number = conditions.add(*b);
  printLine("breakpoint " + std::to_string(number) + ": " +
            text().breakpointText(conditions.breakpoints().back()) + "\n");
}

void Debugger::deleteBreaks(const Words &words) {
  if (words.empty())
    conditions.eraseAll();
  for (const std::string &word : words) {
    auto number = parseNumber(word);
    if (!number || *number > UINT32_MAX || !conditions.erase(unsigned(*number)))
      complain("there is no breakpoint '" + word + "'");
  }
}
