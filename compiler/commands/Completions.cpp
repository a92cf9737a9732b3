//===- Completions.cpp - What a command line may go on with ---------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/commands/CommandLine.h"
#include "compiler/model/Models.h"
#include "dialects/compass/Records.h"
#include "isa/Machine.h"
#include "support/Diagnostics.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <set>

using namespace yarrow;

bool yarrow::takesValue(const CLI::Option &option) {
  return option.get_expected_max() > 0 && option.get_type_size() > 0;
}

std::string yarrow::optionNames(const CLI::Option &option) {
  std::string names;
  for (const std::string &name : option.get_snames())
    names += (names.empty() ? "-" : ",-") + name;
  for (const std::string &name : option.get_lnames())
    names += (names.empty() ? "--" : ",--") + name;
  return names.empty() ? option.get_name() : names;
}

/// "{a,b,c}" in a type's name, as a list of choices has it.
static std::vector<std::string> choicesOf(const CLI::Option &option) {
  std::string type = option.get_type_name();
  std::size_t begin = type.find('{'), end = type.find('}');
  if (begin == type.npos || end == type.npos)
    return {};
  return splitList(type.substr(begin + 1, end - begin - 1));
}

static std::vector<std::string> operatorNames() {
  std::vector<std::string> names;
  for (const compass::OperatorRecord &record : compass::allOperators())
    names.push_back(record.layerType.str());
  return names;
}

/// What a positional argument of the command may be; none for files.
static std::vector<std::string> argumentsOf(const std::string &command) {
  std::vector<std::string> names;
  if (command == "targets")
    names = isa::builtinTargetNames();
  else if (command == "ops")
    names = operatorNames();
  else if (command == "explain")
    for (DiagId id : allDiagIds())
      names.emplace_back(id->code);
  return names;
}

static std::vector<std::string> valuesOf(const CLI::Option &option) {
  const std::vector<std::string> &names = option.get_lnames();
  if (std::find(names.begin(), names.end(), "target") != names.end() ||
      std::find(names.begin(), names.end(), "machine") != names.end())
    return isa::builtinTargetNames();
  return choicesOf(option);
}

static void addOptions(const CLI::App &app, std::set<std::string> &found) {
  for (const CLI::Option *option : app.get_options())
    for (const std::string &name : option->get_lnames())
      if (!option->get_group().empty())
        found.insert("--" + name);
}

std::vector<std::string>
yarrow::completions(const CLI::App &app,
                    const std::vector<std::string> &words) {
  std::string word = words.empty() ? "" : words.back();
  const CLI::App *command = nullptr;
  for (std::size_t i = 0; i + 1 < words.size() && !command; ++i)
    for (const CLI::App *each : app.get_subcommands({}))
      if (each->get_name() == words[i])
        command = each;
  std::set<std::string> found;
  const CLI::Option *before = nullptr;
  if (words.size() > 1)
    for (const CLI::App *level : {command, &app})
      for (const CLI::Option *option :
           level ? level->get_options() : std::vector<const CLI::Option *>())
        if (option->check_name(words[words.size() - 2]) &&
            words[words.size() - 2].starts_with("-") && takesValue(*option))
          before = option;
  if (before) {
    for (std::string &value : valuesOf(*before))
      found.insert(std::move(value));
  } else if (word.starts_with("-")) {
    addOptions(app, found);
    if (command)
      addOptions(*command, found);
  } else if (command) {
    for (std::string &name : argumentsOf(command->get_name()))
      found.insert(std::move(name));
  } else {
    for (const CLI::App *each : app.get_subcommands({}))
      if (!each->get_group().empty())
        found.insert(each->get_name());
  }
  std::vector<std::string> fitting;
  for (const std::string &name : found)
    if (name.starts_with(word))
      fitting.push_back(name);
  return fitting;
}
