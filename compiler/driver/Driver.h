//===- Driver.h - What all commands of the program share ------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Libraries collect diagnostics; the driver is the one place that prints them
// and that knows exit codes, colours and progress. Each command adds itself to
// the command line and leaves its result in exitCode.
//
//   void addCompileCommand(CLI::App &app, Driver &driver) {
//     CLI::App *command = app.add_subcommand("compile", "...");
//     command->callback([=, &driver] { driver.finish(compile(...)); });
//   }
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_DRIVER_DRIVER_H
#define YARROW_COMPILER_DRIVER_DRIVER_H

#include "compiler/session/Call.h"
#include "compiler/work/FilePlan.h"
#include "compiler/work/Work.h"
#include "support/Diagnostics.h"
#include "support/Progress.h"
#include "support/Ranks.h"

#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace yarrow {

enum ExitCode : int {
  ExitOk = 0,
  ExitInput = 1,   ///< A file is wrong; the diagnostics say how.
  ExitUsage = 2,   ///< The command line is wrong.
  ExitCheck = 3,   ///< It ran, but an accuracy or a comparison failed.
  ExitStopped = 4, ///< It was stopped: by --break, or in the debugger.
};

/// The paragraph of --help on exit codes.
extern const char *const kExitCodeHelp;

class Driver {
public:
  DiagnosticEngine diags;
  int exitCode = ExitOk;
  bool isQuiet = false;
  /// Messages are objects of JSON, one a line.
  bool printsJson = false;
  /// The exit code after warnings is that of errors (-Werror).
  bool warningsAreErrors = false;
  /// Tables with all their columns, however wide (--wide).
  bool isWide = false;
  /// The exit code of a command that passes.
  int passCode = ExitOk;
  /// Of a program that runs a command for itself: takes what would be printed.
  /// Diagnostics are left in diags then, and there is no progress.
  std::string *capture = nullptr;

  /// Prints the diagnostics, once, and sets the exit code: ExitInput if there
  /// are errors, else ExitCheck unless \p passed.
  void finish(bool passed = true);
  /// Prints what has come up so far and was not printed yet; before output
  /// that builds on it.
  void printNewDiagnostics();
  /// Leaves out of later printing what has come up so far: it was shown in
  /// another form.
  void dropDiagnostics() { numPrinted = diags.all().size(); }
  /// Writes to the standard output, unless --quiet. Goes to the stream of
  /// messages where the standard output is one of the command's files.
  void printLine(std::string_view text);
  /// The same, even if --quiet: what was asked for by --help, or is a
  /// simulated program's own. FileUnwritable, once, if it cannot be written.
  bool print(std::string_view text);
  /// Whether print() has failed.
  bool hasOutputFailed() const { return outputFailed; }
  /// How wide a table may be.
  std::size_t tableWidth() const;
  /// A line on the terminal while something takes long.
  std::unique_ptr<Progress> progress(std::string what, std::size_t total) const;
  /// What steps of the compiler work with: they report here, and are shown.
  Work work();
  /// The same for calls of the library.
  session::Call call();
  /// See Work::progressOf.
  std::function<void(std::size_t, std::size_t)> progressOf(std::string what) {
    return work().progressOf(std::move(what));
  }
  /// Reports ExitUsage: what cannot be asked for like this.
  void usageError(std::string message, std::string hint = "");
  /// The files that the command reads and writes.
  FilePlan files;
  /// Processes that do the command together; null for one. Only the first one
  /// prints and writes.
  Ranks *ranks = nullptr;
  bool isSilent() const { return ranks && !ranks->isFirst(); }
  /// Messages also go to this file at the end (log_file of a configuration).
  std::string logFile;

private:
  struct ShownSteps;

  void refuseWarnings();
  bool showsProgress() const;

  std::shared_ptr<ShownSteps> shownSteps;
  std::size_t numPrinted = 0;
  bool hasUsageError = false, outputFailed = false;
};

} // namespace yarrow

#endif // YARROW_COMPILER_DRIVER_DRIVER_H
