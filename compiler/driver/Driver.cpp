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
#include <filesystem>
#include <iostream>
#include <sstream>
#include <system_error>

#include <unistd.h>

using namespace yarrow;

const char *const yarrow::kExitCodeHelp =
    "Exit codes: 0 done; 1 an input file is wrong (see the messages);\n"
    "2 the command line is wrong; 3 an accuracy or a comparison failed;\n"
    "4 stopped at --break, or by quit in the debugger.";

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

void Driver::say(std::string_view text) {
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
  diags.report(diag::FileUnwritable, {}, "cannot write to the standard output")
      .found(std::move(reason));
  return false;
}

std::size_t Driver::tableWidth() const {
  return isWide ? TextTable::kAnyWidth : outputColumns();
}

std::unique_ptr<Progress> Driver::progress(std::string what,
                                           std::size_t total) const {
  return std::make_unique<Progress>(
      std::cerr, !isQuiet && !isSilent() && !capture && isTerminal(2),
      std::move(what), total);
}

std::function<void(std::size_t, std::size_t)>
Driver::progressOf(std::string what) const {
  return [this, what = std::move(what), line = std::shared_ptr<Progress>(),
          shown = std::size_t(0)](std::size_t done, std::size_t total) mutable {
    if (!line)
      line = progress(what, total);
    // Who works in parallel may tell of less than before.
    line->advance(done - std::min(done, shown));
    shown = std::max(shown, done);
    if (done == total)
      line.reset();
  };
}

void Driver::usageError(std::string message, std::string hint) {
  diags.report(diag::UsageInvalid, {}, std::move(message))
      .hint(std::move(hint));
  hasUsageError = true;
}

bool yarrow::makeFolder(const std::string &folder, DiagnosticEngine &diags) {
  if (folder.empty())
    return true;
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  std::error_code unknown;
  bool isFile = std::filesystem::exists(folder, unknown) &&
                !std::filesystem::is_directory(folder, unknown);
  if (!error && !isFile && access(folder.c_str(), W_OK) == 0)
    return true;
  int reason = errno;
  Diagnostic &d =
      diags.report(diag::FileUnwritable, {folder},
                   error || isFile ? "cannot make the folder"
                                   : "the folder cannot be written to");
  if (isFile)
    d.found("a file of this name").hint("give another name for the folder");
  else
    d.found(error ? error.message() : std::generic_category().message(reason));
  return false;
}
