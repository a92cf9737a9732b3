//===- Program.cpp - A command line of the program ------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/commands/Program.h"
#include "compiler/commands/Arguments.h"
#include "compiler/commands/Commands.h"
#include "compiler/commands/UsageHints.h"
#include "compiler/commands/Version.h"
#include "compiler/plugin/Plugin.h"
#include "support/ThreadPool.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <iostream>
#include <sstream>

using namespace yarrow;

namespace {

std::vector<std::string> commandNames(const CLI::App &app) {
  std::vector<std::string> names;
  for (const CLI::App *command : app.get_subcommands({}))
    names.push_back(command->get_name());
  return names;
}

/// A first word that is no command.
bool isUnknownCommand(const CLI::App &app, const std::vector<std::string> &args,
                      Driver &driver) {
  auto word = std::find_if(args.begin(), args.end(), [](const auto &argument) {
    return argument != "-q" && argument != "--quiet";
  });
  if (word == args.end() || word->starts_with("-"))
    return false;
  std::vector<std::string> names = commandNames(app);
  if (std::find(names.begin(), names.end(), *word) != names.end())
    return false;
  std::string near = nearestName(*word, names);
  driver.usageError("'" + *word + "' is not a command",
                    near.empty() ? "`yarrow --help` lists the commands"
                                 : didYouMean("'" + near + "'"));
  return true;
}

/// Of messages, whatever the command has under this name and whatever is wrong
/// with the rest of the line.
bool isJsonAsked(const std::vector<std::string> &args) {
  for (std::size_t i = 0; i < args.size() && args[i] != "--"; ++i)
    if (args[i] == "--format=json" ||
        (args[i] == "--format" && i + 1 < args.size() && args[i + 1] == "json"))
      return true;
  return false;
}

/// `-target X` would be `-t arget`, which a user does not mean.
bool hasSingleDash(const CLI::App &app, const std::vector<std::string> &args,
                   Driver &driver) {
  std::string found, meant = singleDashOption(app, args, found);
  if (meant.empty())
    return false;
  driver.usageError("'" + found +
                        "' is not an option: long options have two dashes",
                    didYouMean("'" + meant + "'"));
  return true;
}

void describe(CLI::App &app, Driver &driver,
              std::vector<std::string> &plugins) {
  app.name("yarrow");
  app.set_version_flag("-v,--version", "yarrow " YARROW_VERSION);
  app.add_flag("-q,--quiet", driver.isQuiet, "Print errors only");
  app.add_option_function<std::string>(
         "--format", [&](const std::string &) {},
         "Set the format of messages: json prints each as an object on its own "
         "line (docs/diagnostics.md)")
      ->check(CLI::IsMember({"text", "json"}))
      ->type_name("text|json");
  app.add_flag("--warnings-are-errors", driver.warningsAreErrors,
               "Exit with 1 after warnings, as -Werror does");
  app.add_flag("--wide", driver.isWide,
               "Print whole tables (default: leave out columns to fit the "
               "terminal, or else 80 characters)");
  app.add_option_function<unsigned>(
      "-j,--threads", [](unsigned threads) { setDefaultThreadCount(threads); },
      "Use this many threads (default: all processors); never changes a "
      "result");
  app.add_option("--plugin", plugins,
                 "Add an operator of your own: its YAML record, next to its "
                 "C++ file, which is compiled and runs in this process; can be "
                 "repeated (docs/plugins.md)")
      ->type_name("FILE")
      ->allow_extra_args(false);
  // Before the commands, whose callbacks follow.
  app.parse_complete_callback([&plugins, &driver] {
    for (const std::string &file : plugins)
      loadPlugin(file, driver.diags);
    if (driver.diags.hasErrors())
      throw CLI::RuntimeError(ExitInput);
  });
  app.fallthrough();
  app.require_subcommand(1);
  app.footer(
      std::string(
          "@FILE inserts the arguments in a file, -o - writes to the standard "
          "output,\n`yarrow help CMD` is `yarrow CMD --help`.\n"
          "Example, in examples/digits:\n"
          "  yarrow build net.cfg                    quantize, compile, run, "
          "measure\n"
          "or step by step:\n"
          "  yarrow quantize digits.txt -w digits.bin -c calibration.npy -o "
          "out\n"
          "  yarrow compile out/digits_o.txt --target X2_1204 -o aipu.bin\n"
          "  yarrow run aipu.bin -i heldout.npy -o logits.npy --timed\n"
          "`yarrow <command> --help` explains each.\n\n") +
      kExitCodeHelp);
}

} // namespace

int yarrow::runCommandLine(const std::vector<std::string> &arguments,
                           Driver &driver) {
  CLI::App app("Yarrow compiles neural networks in Compass IR for "
               "Zhouyi-style NPUs and simulates them.");
  std::vector<std::string> plugins;
  describe(app, driver, plugins);
  addCommands(app, driver);
  std::optional<std::vector<std::string>> prepared =
      prepareArguments(arguments, driver.diags);
  if (!prepared) {
    driver.finish();
    return driver.exitCode;
  }
  std::vector<std::string> args = std::move(*prepared);
  driver.printsJson = isJsonAsked(args);
  if (args.empty()) {
    std::cerr << app.help();
    return ExitUsage;
  }
  if (isUnknownCommand(app, args, driver) || hasSingleDash(app, args, driver)) {
    driver.finish();
    return driver.exitCode;
  }
  try {
    // The parser takes arguments from the back.
    app.parse(std::vector<std::string>(args.rbegin(), args.rend()));
  } catch (const CLI::CallForVersion &) {
    driver.print(versionText());
    driver.finish();
  } catch (const CLI::Success &success) { // --help
    std::ostringstream help;
    app.exit(success, help, help);
    driver.print(help.str());
    driver.finish();
  } catch (const CLI::RuntimeError &) { // a plugin that is wrong
    driver.finish();
  } catch (const CLI::ParseError &error) {
    driver.usageError(usageProblem(app, args, error), usageHint(app, args));
    driver.finish();
  }
  return driver.exitCode;
}

std::vector<std::string> yarrow::optionsOfCommand(const std::string &command) {
  CLI::App app;
  Driver driver;
  addCommands(app, driver);
  std::vector<std::string> names;
  auto isMeant = [&](const CLI::App *each) {
    return each->get_name() == command;
  };
  for (CLI::App *found : app.get_subcommands(isMeant))
    for (const CLI::Option *option : found->get_options({}))
      for (const std::string &name : option->get_lnames())
        names.push_back(name);
  return names;
}
