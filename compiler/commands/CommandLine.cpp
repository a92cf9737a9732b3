//===- CommandLine.cpp - yarrow completion, yarrow manual -----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/commands/CommandLine.h"
#include "compiler/commands/Commands.h"
#include "compiler/work/NewFolders.h"
#include "compiler/work/Preflight.h"
#include "support/AtomicFile.h"

#include <CLI/CLI.hpp>

#include <filesystem>

using namespace yarrow;

// Shells ask the program, so that a script never lags behind it. Where it knows
// of nothing, file names are meant.
static constexpr const char kBash[] = R"sh(# bash completion for yarrow
_yarrow() {
    local IFS=$'\n'
    COMPREPLY=($(yarrow complete -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
    [ ${#COMPREPLY[@]} -gt 0 ] || compopt -o default
}
complete -F _yarrow yarrow
)sh";

static constexpr const char kZsh[] = R"sh(#compdef yarrow
_yarrow() {
    local -a found
    found=(${(f)"$(yarrow complete -- "${(@)words[2,CURRENT]}" 2>/dev/null)"})
    if (( ${#found} )); then compadd -a found; else _files; fi
}
_yarrow "$@"
)sh";

static void addCompletion(CLI::App &app, Driver &driver) {
  auto shell = std::make_shared<std::string>();
  CLI::App *command = app.add_subcommand(
      "completion",
      "Print a script with which a shell completes commands and options");
  command->add_option("shell", *shell, "The shell")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh"}));
  command->footer("Packages install it. To do so by hand:\n"
                  "  source <(yarrow completion bash)");
  command->callback([shell, &driver] {
    driver.printLine(*shell == "bash" ? kBash : kZsh);
    driver.finish();
  });
}

/// Called by the scripts above.
static void addComplete(CLI::App &app, Driver &driver) {
  auto words = std::make_shared<std::vector<std::string>>();
  CLI::App *command = app.add_subcommand(
      "complete", "Complete a command line, for completion scripts");
  command->group(""); // not listed
  command->add_option("words", *words,
                      "Words of the command line; the last is completed");
  command->callback([words, &app, &driver] {
    std::string text;
    for (const std::string &word : completions(app, *words))
      text += word + "\n";
    driver.printLine(text);
    driver.finish();
  });
}

static bool writeManual(const CLI::App &app, const std::string &folder,
                        Driver &driver) {
  if (!makeFolder(folder, driver.diags))
    return false;
  auto write = [&](const std::string &name, const CLI::App &command) {
    return writeFile((std::filesystem::path(folder) / name).string(),
                     manualPage(app, command), driver.diags);
  };
  bool ok = write("yarrow.1", app);
  std::size_t count = 1;
  for (const CLI::App *command : app.get_subcommands({})) {
    if (command->get_group().empty())
      continue;
    ok &= write("yarrow-" + command->get_name() + ".1", *command);
    ++count;
  }
  driver.printLine("wrote " + std::to_string(count) + " pages to " + folder +
                   "\n");
  return ok;
}

static void addManual(CLI::App &app, Driver &driver) {
  auto folder = std::make_shared<std::string>();
  CLI::App *command = app.add_subcommand(
      "manual", "Write a manual page for each command, for packages");
  command
      ->add_option("folder", *folder,
                   "Folder to write to, for example share/man/man1")
      ->required();
  command->callback([folder, &app, &driver] {
    driver.finish(writeManual(app, *folder, driver));
  });
}

void yarrow::addCommandLineCommands(CLI::App &app, Driver &driver) {
  addCompletion(app, driver);
  addComplete(app, driver);
  addManual(app, driver);
}
