//===- Driver.cpp - What all commands of the program share ----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/driver/Driver.h"
#include "compiler/driver/DiagnosticPrinter.h"
#include "compiler/driver/Terminal.h"
#include "support/AtomicFile.h"
#include "support/Format.h"
#include "support/MappedFile.h"
#include "support/TextTable.h"
#include "support/diagnostics/Files.h"
#include "support/diagnostics/Settings.h"

#include <algorithm>
#include <cerrno>
#include <iostream>
#include <map>
#include <mutex>
#include <sstream>
#include <system_error>

#include <unistd.h>

using namespace yarrow;

const char *const yarrow::kExitCodeHelp =
    "Exit codes: 0 done; 1 an input file is wrong (see the messages);\n2 the "
    "command line is wrong; 3 an accuracy or a comparison failed;\n4 stopped "
    "at --break, or by quit in the debugger.";

void Driver::printNewDiagnostics() {
  if (isSilent() || capture)
    return;
  DiagnosticPrinter printer(DiagnosticStyle::of(2));
  for (; numPrinted < diags.all().size(); ++numPrinted) {
    const Diagnostic &d = diags.all()[numPrinted];
    if (isQuiet && !d.isError())
      continue;
    std::cerr << (printsJson ? diagnosticLine(d) : printer.text(d)) << '\n';
  }
  std::cerr.flush();
}

/// Of -Werror.
void Driver::refuseWarnings() {
  auto isWarning = [](const Diagnostic &d) {
    return diagSeverity(d.id) == "warning";
  };
  auto count = std::size_t(std::ranges::count_if(diags.all(), isWarning));
  if (!warningsAreErrors || count == 0)
    return;
  warningsAreErrors = false; // it is said once
  diags.report(diag::WarningsRefused, {"-Werror"},
               formatCount(count) + (count == 1 ? " warning is an error"
                                                : " warnings are errors"));
}

void Driver::finish(bool passed) {
  checkReadFiles(diags);
  refuseWarnings();
  printNewDiagnostics();
  if (!logFile.empty() && !isSilent()) {
    std::ostringstream log;
    diags.print(log);
    DiagnosticEngine logProblems;
    if (!writeFile(logFile, log.str(), logProblems))
      logProblems.print(std::cerr);
  }
  if (hasUsageError)
    exitCode = ExitUsage;
  else if (diags.hasErrors())
    exitCode = ExitInput;
  else
    exitCode = passed ? passCode : ExitCheck;
}

void Driver::printLine(std::string_view text) {
  if (!isQuiet)
    print(text);
}

bool Driver::print(std::string_view text) {
  if (isSilent())
    return true;
  if (capture) {
    capture->append(text);
    return true;
  }
  if (outputFailed) // said already
    return false;
  if (writeDescriptor(files.usesStandardOutput() ? 2 : 1, text))
    return true;
  std::string reason = std::generic_category().message(errno);
  outputFailed = true;
  diags.report(diag::FileUnwritable, {}, "cannot write to standard output")
      .found(std::move(reason));
  return false;
}

std::size_t Driver::tableWidth() const {
  return isWide ? TextTable::kAnyWidth : outputColumns();
}

bool Driver::showsProgress() const {
  return !isQuiet && !isSilent() && !capture && isTerminal(2);
}

std::unique_ptr<Progress> Driver::progress(std::string what,
                                           std::size_t total) const {
  return std::make_unique<Progress>(std::cerr, showsProgress(), std::move(what),
                                    total);
}

/// A line for each step that is on its way.
struct Driver::ShownSteps {
  struct Line {
    std::unique_ptr<Progress> shown;
    std::size_t done = 0;
  };

  void notify(const StepProgress &step) {
    std::lock_guard lock(mutex);
    std::string name(step.step);
    if (step.isOver) {
      lines.erase(name);
      return;
    }
    Line &line = lines[name];
    if (!line.shown)
      line.shown =
          std::make_unique<Progress>(std::cerr, true, name, step.total);
    // Two steps of one name may be on their way.
    std::size_t before = std::min(line.done, step.done);
    line.shown->advance(step.done - before, std::string(step.detail));
    line.done = std::max(line.done, step.done);
  }

private:
  std::mutex mutex;
  std::map<std::string, Line> lines;
};

Work Driver::work() {
  Work work{diags, {}, ranks, &files};
  if (!showsProgress())
    return work;
  if (!shownSteps)
    shownSteps = std::make_shared<ShownSteps>();
  work.listener = [steps = shownSteps](const StepProgress &step) {
    steps->notify(step);
  };
  return work;
}

session::Call Driver::call() {
  return {diags,
          work().listener,
          /*cancellation=*/nullptr,
          ranks,
          &files,
          /*passesExhaustion=*/true};
}

void Driver::usageError(std::string message, std::string hint) {
  diags.report(diag::UsageInvalid, {}, std::move(message))
      .hint(std::move(hint));
  hasUsageError = true;
}
