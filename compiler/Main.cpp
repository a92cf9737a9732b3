//===- Main.cpp - The program yarrow --------------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//   yarrow build net.cfg
//
//===----------------------------------------------------------------------===//
#include "compiler/commands/Program.h"
#include "compiler/driver/Mpi.h"
#include "compiler/driver/Process.h"

#include <algorithm>
#include <string_view>

using namespace yarrow;

/// Commands whose samples several processes can share.
static bool runsOnRanks(int argc, char **argv) {
  return std::any_of(argv + 1, argv + argc, [](std::string_view argument) {
    return argument == "eval" || argument == "quantize";
  });
}

/// mpirun takes an exit code other than 0 of any process for its own; the first
/// process's tells what there is to tell.
static int runRanks(int argc, char **argv) {
  std::vector<std::string> arguments(argv + 1, argv + argc);
  Driver driver;
  if (MpiSession::processes() > 1 &&
      (!MpiSession::isAvailable() || !runsOnRanks(argc, argv))) {
    driver.usageError(
        MpiSession::isAvailable()
            ? "mpirun has started several processes, but this command runs as "
              "one"
            : "mpirun has started several processes of a program that was "
              "built without MPI",
        MpiSession::isAvailable() ? "eval and quantize share their samples"
                                  : "install libopenmpi-dev, and build again");
    driver.finish();
    return driver.exitCode;
  }
  std::unique_ptr<MpiSession> session = MpiSession::start();
  if (!session)
    return runCommandLine(arguments, driver);
  driver.ranks = &session->ranks();
  int code = runCommandLine(arguments, driver);
  bool isSilent = driver.isSilent(), haveAllEnded = session->finish();
  if (!isSilent)
    return code;
  // What went wrong here alone the first process does not know.
  driver.ranks = nullptr;
  if (!haveAllEnded && code != ExitOk)
    driver.printNewDiagnostics();
  return ExitOk;
}

// What endAfter does not know goes on to end the process.
int main(int argc, char **argv) { // NOLINT(bugprone-exception-escape)
  prepareProcess();
  try {
    return runRanks(argc, argv);
  } catch (const std::exception &exception) {
    endAfter(exception);
    throw;
  }
}
