//===- UsageHints.cpp - What a wrong command line was meant to be ---------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/commands/UsageHints.h"
#include "compiler/config/ConfigKeys.h"
#include "support/Diagnostics.h"
#include "support/Format.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <filesystem>

using namespace yarrow;

static const CLI::App *commandOf(const CLI::App &app,
                                 const std::vector<std::string> &args) {
  for (const std::string &argument : args)
    for (const CLI::App *command : app.get_subcommands({}))
      if (command->get_name() == argument)
        return command;
  return nullptr;
}

static void addLongNames(const CLI::App &app, std::vector<std::string> &names) {
  for (const CLI::Option *option : app.get_options())
    for (const std::string &name : option->get_lnames())
      names.push_back("--" + name);
}

static bool contains(const std::vector<std::string> &names,
                     const std::string &name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// Whether each part of \p word between dashes begins a part of \p name, in
/// order: --calib-data of --calibration-data.
static bool abbreviates(std::string_view word, std::string_view name) {
  auto next = [](std::string_view &text) {
    std::size_t end = text.find('-');
    std::string_view part = text.substr(0, end);
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
    return part;
  };
  while (!word.empty()) {
    std::string_view part = next(word);
    bool isFound = false;
    while (!isFound && !name.empty())
      isFound = next(name).starts_with(part);
    if (part.empty() || !isFound)
      return false;
  }
  return true;
}

std::string yarrow::nearestOption(std::string_view word,
                                  const std::vector<std::string> &names) {
  std::string plain(word);
  std::replace(plain.begin(), plain.end(), '_', '-');
  if (contains(names, plain))
    return plain;
  if (std::string near = nearestName(plain, names); !near.empty())
    return near;
  constexpr std::size_t leastLetters = 3; // --o begins too much.
  std::string best;
  if (plain.size() < 2 + leastLetters)
    return best;
  for (const std::string &name : names)
    if (abbreviates(plain.substr(2), name.substr(2)) &&
        (best.empty() || name.size() < best.size()))
      best = name;
  return best;
}

/// The way in \p command to what an option of others does, or "".
static std::string wayIn(const std::string &command,
                         const std::string &option) {
  struct Way {
    std::string_view command, option, hint;
  };
  static constexpr Way kWays[] = {
#define OPTION_HINT(COMMAND, OPTION, HINT) {COMMAND, OPTION, HINT},
#include "compiler/commands/OptionHints.def"
  };
  for (const Way &way : kWays)
    if (way.command == command && way.option == option)
      return std::string(way.hint);
  if (command != "build")
    return "";
  // Settings of quantization are keys of the configuration.
  std::string key = option.substr(2);
  std::ranges::replace(key, '-', '_');
  for (const config::ConfigKey &known : config::configKeys())
    if (known.section == "Optimizer" && known.name == key && known.hasEffect())
      return "`--set " + key + "=VALUE` sets it";
  return "";
}

/// The words that the command has no use for, in their order.
static std::vector<std::string>
wordsTooMany(const CLI::App &app, const std::vector<std::string> &args) {
  std::vector<std::string> left = app.remaining(/*recurse=*/true), words;
  for (const std::string &argument : args)
    if (auto it = std::ranges::find(left, argument); it != left.end()) {
      words.push_back(argument);
      left.erase(it);
    }
  return words;
}

/// The option that takes data, of commands that do.
static std::string dataOption(const CLI::App &command) {
  for (const char *name : {"--calibration-data", "--inputs", "--data"})
    if (const CLI::Option *option = command.get_option_no_throw(name))
      return option->get_snames().empty() ? name
                                          : "-" + option->get_snames()[0];
  return "";
}

/// How a path that stands alone is given, or "".
static std::string wayOfWord(const CLI::App &command, const std::string &word) {
  std::error_code error;
  std::string option = dataOption(command);
  if (option.empty() || word.starts_with("-") ||
      !std::filesystem::exists(word, error))
    return "";
  return option + " " + shellWord(word) + " passes it as data";
}

std::string yarrow::usageProblem(const CLI::App &app,
                                 const std::vector<std::string> &args,
                                 const CLI::ParseError &error) {
  const CLI::App *command = commandOf(app, args);
  std::string stated = error.what();
  if (dynamic_cast<const CLI::ExtrasError *>(&error) && command) {
    std::vector<std::string> words = wordsTooMany(app, args);
    auto option = std::ranges::find_if(
        words, [](const std::string &word) { return word.starts_with("--"); });
    if (option != words.end())
      return "'" + option->substr(0, option->find('=')) +
             "' is not an option of `yarrow " + command->get_name() + "`";
    if (!words.empty())
      return "'" + words[0] + "' is one argument too many for `yarrow " +
             command->get_name() + "` `";
  }
  // "graph is required" says little of what it is.
  constexpr std::string_view kRequired = " is required";
  if (command && stated.ends_with(kRequired))
    for (const CLI::Option *each : command->get_options())
      if (each->get_positional() &&
          stated == each->get_name(true) + std::string(kRequired))
        return stated + ": " + each->get_description();
  // "Could not convert: --threads = abc"
  constexpr std::string_view kConvert = "Could not convert: ";
  if (std::size_t equals = stated.find(" = ");
      stated.starts_with(kConvert) && equals != stated.npos)
    return stated.substr(kConvert.size(), equals - kConvert.size()) +
           " cannot be '" + stated.substr(equals + 3) + "'";
  return stated;
}

/// "`yarrow run` has it", for an option of another command.
static std::string otherCommandWith(const CLI::App &app,
                                    const std::string &option) {
  for (const CLI::App *command : app.get_subcommands({})) {
    std::vector<std::string> names;
    addLongNames(*command, names);
    if (contains(names, option))
      return "'" + option + "' is an option of `yarrow " + command->get_name() +
             "`";
  }
  return "";
}

std::string yarrow::usageHint(const CLI::App &app,
                              const std::vector<std::string> &args) {
  const CLI::App *command = commandOf(app, args);
  if (!command)
    return "`yarrow --help` lists the commands";
  std::vector<std::string> names;
  addLongNames(*command, names);
  addLongNames(app, names);
  std::string meant, elsewhere;
  for (const std::string &argument : args) {
    if (argument == "--")
      break;
    std::string name = argument.substr(0, argument.find('='));
    if (!name.starts_with("--") || contains(names, name))
      continue;
    if (std::string way = wayIn(command->get_name(), name); !way.empty())
      return way;
    if (std::string near = nearestOption(name, names); !near.empty())
      meant += (meant.empty() ? "'" : " and '") + near + "'";
    else if (elsewhere.empty())
      elsewhere = otherCommandWith(app, name);
  }
  if (!meant.empty())
    return didYouMean(meant);
  if (!elsewhere.empty())
    return elsewhere;
  for (const std::string &word : wordsTooMany(app, args))
    if (std::string way = wayOfWord(*command, word); !way.empty())
      return way;
  return "`yarrow " + command->get_name() + " --help` lists the options";
}

std::string yarrow::singleDashOption(const CLI::App &app,
                                     const std::vector<std::string> &args,
                                     std::string &found) {
  const CLI::App *command = commandOf(app, args);
  if (!command)
    return "";
  std::vector<std::string> names;
  addLongNames(*command, names);
  addLongNames(app, names);
  for (const std::string &argument : args) {
    if (argument == "--")
      break;
    bool hasOneDash = argument.size() > 2 && argument[0] == '-' &&
                      argument[1] != '-' && argument[1] != '.' &&
                      (argument[1] < '0' || argument[1] > '9');
    std::string longName = "-" + argument.substr(0, argument.find('='));
    if (!hasOneDash || !contains(names, longName))
      continue;
    found = argument.substr(0, argument.find('='));
    return longName;
  }
  return "";
}
