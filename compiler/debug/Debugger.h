//===- Debugger.h - yarrow run --step and --break ---------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Takes commands wherever a run stops, and when it has ended; or, without
// commands, describes where it stops first and ends it.
//
//   Debugger debugger(executable, input.get(), driver);
//   debugger.conditions.add(breakpoint);
//   runner.profile(inputs, {.inspect = {.companion = &debugger}}, call);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_DEBUG_DEBUGGER_H
#define YARROW_COMPILER_DEBUG_DEBUGGER_H

#include "compiler/debug/CommandLanguage.h"
#include "compiler/debug/DebugInput.h"
#include "compiler/debug/Interrupt.h"
#include "compiler/debug/MachineText.h"
#include "compiler/session/Runner.h"

namespace yarrow {

class Debugger final : public RunCompanion {
public:
  /// Without \p input the run ends at its first stop.
  Debugger(const runtime::Executable &executable, DebugInput *input,
           Driver &driver);
  ~Debugger() override;

  /// Breakpoints, which stay from run to run.
  runtime::StopConditions conditions;

  sim::ExecutionObserver &attach(runtime::Session &session,
                                 sim::ExecutionObserver &other) override;
  /// Lets look at what is left in the machine.
  void runEnded(const runtime::Session &session, bool isDone) override;
  /// The user wants another run.
  bool isToRunAgain() const { return end == End::Restart; }

private:
  enum class End : uint8_t { None, Quit, Restart };
  /// Whether a command lets the run go on.
  enum class Flow : uint8_t { Ask, GoOn };
  using Words = std::vector<std::string>;

  bool stopped(const runtime::RunPoint &point, runtime::StopReason reason);
  void converse();
  Flow execute(const ParsedLine &line);

  // What changes the run: DebuggerFlow.cpp.
  Flow move(const ParsedLine &line);
  Flow step(bool isOver, Words words);
  Flow stepInstruction(bool isOver, uint64_t count);
  Flow finish();
  Flow runAgain();
  void setBreak(const Words &words, bool isTemporary);
  std::optional<runtime::Breakpoint> breakOf(const Words &words,
                                             std::string &problem) const;
  void deleteBreaks(const Words &words);

  // What shows it.
  void where();
  void info(const Words &words);
  void infoRegisters(const Words &words);
  void chooseTec(const Words &words);
  void print(const std::string &text);
  void examine(const ParsedLine &line);
  void disassemble(const Words &words);
  void list(const Words &words);
  void write(const Words &words);
  void help(const Words &words);

  /// Of \p text, "TENSOR" or "TENSOR[...]".
  std::optional<std::pair<std::size_t, std::string>>
  tensorAndIndices(const std::string &text, std::string &problem) const;
  bool printLine(const std::string &text) { return driver.print(text); }
  void complain(const std::string &problem) { printLine(problem + "\n"); }
  MachineText text() const {
    return {executable, *stepper, driver.tableWidth()};
  }

  const runtime::Executable &executable;
  DebugInput *input;
  Driver &driver;
  std::unique_ptr<runtime::Stepper> stepper;
  std::optional<Interrupt> interrupt; ///< While a run goes on.
  /// Where the run stands; nothing when it has ended.
  std::optional<runtime::RunPoint> point;
  uint32_t tec = 0; ///< That is looked at.
  uint32_t core = 0;
  std::optional<ParsedLine> lastStep; ///< What an empty line repeats.
  End end = End::None;
};

} // namespace yarrow

#endif // YARROW_COMPILER_DEBUG_DEBUGGER_H
