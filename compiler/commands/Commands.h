//===- Commands.h - The commands of the program ---------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// One function per command, one file per function. Each adds a subcommand whose
// callback does the work and calls driver.finish().
//
//   Driver driver;
//   CLI::App app;
//   addCommands(app, driver);
//   app.parse(argc, argv);
//   return driver.exitCode;
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_COMMANDS_COMMANDS_H
#define YARROW_COMPILER_COMMANDS_COMMANDS_H

#include "compiler/driver/Driver.h"

#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
} // namespace CLI

namespace yarrow {

struct PrequantizedOptions;
struct ReadingFlags;

void addBuildCommand(CLI::App &app, Driver &driver);
void addImportCommand(CLI::App &app, Driver &driver);
void addExportCommand(CLI::App &app, Driver &driver);
void addQuantizeCommand(CLI::App &app, Driver &driver);
void addDiagnoseCommand(CLI::App &app, Driver &driver);
void addSearchCommand(CLI::App &app, Driver &driver);
void addSweepCommand(CLI::App &app, Driver &driver);
void addDiffCommand(CLI::App &app, Driver &driver);
void addBisectCommand(CLI::App &app, Driver &driver);
void addDemoCommand(CLI::App &app, Driver &driver);
/// completion, manual, and what completion scripts call.
void addCommandLineCommands(CLI::App &app, Driver &driver);

/// `yarrow build CONFIG`, for commands that end in it. False after errors, or
/// if the executable computes something else than the integer network.
bool buildAsConfigured(const std::string &config, Driver &driver);
void addCompileCommand(CLI::App &app, Driver &driver);
void addRunCommand(CLI::App &app, Driver &driver);
void addGenerateCommand(CLI::App &app, Driver &driver);
void addEvalCommand(CLI::App &app, Driver &driver);
void addCheckCommand(CLI::App &app, Driver &driver);
void addInspectCommand(CLI::App &app, Driver &driver);
void addProveCommand(CLI::App &app, Driver &driver);
void addTecCommand(CLI::App &app, Driver &driver);
void addTargetsCommand(CLI::App &app, Driver &driver);
void addOpsCommand(CLI::App &app, Driver &driver);
void addPhasesCommand(CLI::App &app, Driver &driver);
void addExplainCommand(CLI::App &app, Driver &driver);

/// --winograd=off|auto|all, which several commands have.
void addWinogradOption(CLI::App &command, std::string &use);
/// --input-shape and --state, which the commands that read models of other
/// formats have.
void addReadingOptions(CLI::App &command, ReadingFlags &flags);
/// --input-shape-range, which the commands that compile those have.
CLI::Option *addShapeRangeOption(CLI::App &command,
                                 std::vector<std::string> &ranges);
/// --tflite-rounding, which the commands that compute have.
void addRoundingOption(CLI::App &command, PrequantizedOptions &given);
/// --threshold, of commands that compare outputs but do not take every key.
void addThresholdOption(CLI::App &command, std::string &threshold);
/// --html, which the commands that count cycles have.
CLI::Option *addPageOption(CLI::App &command, std::string &path);
/// --reset-every, which the commands that run a network on data have.
void addResetOption(CLI::App &command, std::size_t &runs);
/// --budget, which the commands that run executables have.
void addBudgetOption(CLI::App &command, uint64_t &budget);

inline void addCommands(CLI::App &app, Driver &driver) {
  addBuildCommand(app, driver);
  addImportCommand(app, driver);
  addExportCommand(app, driver);
  addQuantizeCommand(app, driver);
  addDiagnoseCommand(app, driver);
  addSearchCommand(app, driver);
  addSweepCommand(app, driver);
  addDiffCommand(app, driver);
  addBisectCommand(app, driver);
  addDemoCommand(app, driver);
  addCompileCommand(app, driver);
  addRunCommand(app, driver);
  addGenerateCommand(app, driver);
  addEvalCommand(app, driver);
  addCheckCommand(app, driver);
  addInspectCommand(app, driver);
  addProveCommand(app, driver);
  addTecCommand(app, driver);
  addTargetsCommand(app, driver);
  addOpsCommand(app, driver);
  addPhasesCommand(app, driver);
  addExplainCommand(app, driver);
  addCommandLineCommands(app, driver);
}

} // namespace yarrow

#endif // YARROW_COMPILER_COMMANDS_COMMANDS_H
