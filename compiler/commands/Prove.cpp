//===- Prove.cpp - yarrow prove -------------------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "prove/Prove.h"
#include "compiler/commands/Commands.h"
#include "support/AtomicFile.h"

#include <CLI/CLI.hpp>

using namespace yarrow;

namespace {
struct ProveFlags {
  std::string executable, certificate;
  bool everySum = false;
};
} // namespace

/// None if there is nothing to prove anything of.
static std::optional<bool> proveExecutable(const ProveFlags &flags,
                                           Driver &driver) {
  driver.files.reads({flags.executable});
  driver.files.writes(flags.certificate);
  if (!driver.files.check(driver.diags))
    return std::nullopt;
  auto executable = runtime::Executable::open(flags.executable, driver.diags);
  if (!executable)
    return std::nullopt;
  prove::ProveOptions options;
  options.everySum = flags.everySum;
  options.progress = driver.progressOf("output stages");
  prove::Certificate certificate =
      prove::prove(*executable, driver.diags, options);
  driver.printNewDiagnostics();
  if (!flags.certificate.empty() &&
      !writeFile(flags.certificate, certificate.json(), driver.diags))
    return std::nullopt;
  driver.printLine(executable->name() + " " + certificate.text());
  return certificate.holds;
}

void yarrow::addProveCommand(CLI::App &app, Driver &driver) {
  auto flags = std::make_shared<ProveFlags>();
  CLI::App *command = app.add_subcommand(
      "prove",
      "Prove properties of an executable for every timing and every input");
  command->add_option("executable", flags->executable, "aipu.bin")->required();
  command->add_option(
      "-o,--output", flags->certificate,
      "Write what was proved, and what was not, as JSON (docs/prove.md)");
  command->add_flag("--every-sum", flags->everySum,
                    "Try every sum of every output stage, also where the ends "
                    "of its constant pieces are enough");
  command->footer(
      std::string("The proof reads only the file: it runs nothing and does not "
                  "use the compiler.\nExit code 3: a property does not hold.\n"
                  "Example:\n"
                  "  yarrow prove aipu.bin -o certificate.json\n\n") +
      kExitCodeHelp);
  command->callback([flags, &driver] {
    std::optional<bool> holds = proveExecutable(*flags, driver);
    driver.finish();
    // The file could be read; what it says does not hold.
    if (holds && !*holds && driver.exitCode == ExitInput)
      driver.exitCode = ExitCheck;
  });
}
