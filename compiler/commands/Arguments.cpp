//===- Arguments.cpp - A command line before it is parsed -----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/commands/Arguments.h"
#include "support/MappedFile.h"
#include "support/diagnostics/Settings.h"

using namespace yarrow;

std::optional<std::vector<std::string>>
yarrow::argumentWords(std::string_view text) {
  std::vector<std::string> words;
  std::optional<std::string> word; ///< Which may be empty: ''.
  char quote = 0;
  auto end = [&] {
    if (word)
      words.push_back(std::move(*word));
    word.reset();
  };
  auto add = [&](char c) { (word ? *word : word.emplace()) += c; };
  for (std::size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    bool isEscape = c == '\\' && quote != '\'' && i + 1 < text.size();
    if (isEscape) {
      add(text[++i]);
    } else if (quote) {
      if (c == quote)
        quote = 0;
      else
        add(c);
    } else if (c == '\'' || c == '"') {
      quote = c;
      word = word.value_or("");
    } else if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
      end();
    } else if (c == '#' && !word) {
      while (i + 1 < text.size() && text[i + 1] != '\n')
        ++i;
    } else {
      add(c);
    }
  }
  end();
  return quote ? std::nullopt : std::optional(std::move(words));
}

/// Adds \p argument, or what the file has that it names by @.
static bool addArgument(const std::string &argument,
                        std::vector<std::string> &args,
                        DiagnosticEngine &diags) {
  if (argument.size() < 2 || argument[0] != '@') {
    args.push_back(argument);
    return true;
  }
  std::string path = argument.substr(1);
  auto file = MappedFile::open(path, diags);
  if (!file)
    return false;
  std::optional<std::vector<std::string>> words = argumentWords(file->text());
  if (!words) {
    diags.report(diag::UsageInvalid, {path}, "a quote is not closed")
        .hint("quotes in a file of arguments work as in a shell");
    return false;
  }
  args.insert(args.end(), words->begin(), words->end());
  return true;
}

/// -O0 and -O as compilers spell them; short options here have one letter.
static std::string longSpelling(const std::string &argument) {
  if (argument == "-O0")
    return "--no-optimize";
  if (argument == "-O" || argument == "-O1" || argument == "-O2" ||
      argument == "-O3")
    return "--optimize";
  if (argument == "-Werror")
    return "--warnings-are-errors";
  return argument;
}

/// Options that name an output.
static bool namesOutput(const std::string &option) {
  for (const char *name : {"-o", "--output", "--report", "--json", "--trace"})
    if (option == name)
      return true;
  return false;
}

std::optional<std::vector<std::string>>
yarrow::prepareArguments(const std::vector<std::string> &arguments,
                         DiagnosticEngine &diags) {
  std::vector<std::string> args;
  bool ok = true;
  for (const std::string &argument : arguments)
    ok &= addArgument(argument, args, diags);
  if (!ok)
    return std::nullopt;
  for (std::size_t i = 0; i < args.size(); ++i) {
    if (args[i] == "--")
      break;
    bool isStandardOutput = args[i] == "-" && i > 0 && namesOutput(args[i - 1]);
    args[i] = isStandardOutput ? "/dev/stdout" : longSpelling(args[i]);
  }
  // The command that `help` is about answers itself.
  if (!args.empty() && args[0] == "help") {
    args.erase(args.begin());
    args.resize(std::min<std::size_t>(args.size(), 1));
    args.emplace_back("--help");
  }
  return args;
}
