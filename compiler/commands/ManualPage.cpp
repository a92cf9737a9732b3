//===- ManualPage.cpp - Pages for man -------------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/commands/CommandLine.h"

#include <CLI/CLI.hpp>

using namespace yarrow;

/// A backslash begins a command, and so do a dot and a quote where a line
/// begins; a dash would be broken at.
static std::string escaped(const std::string &text) {
  std::string out;
  bool atBegin = true;
  for (char c : text) {
    if (atBegin && (c == '.' || c == '\''))
      out += "\\&";
    if (c == '\\')
      out += "\\e";
    else if (c == '-')
      out += "\\-";
    else
      out += c;
    atBegin = c == '\n';
  }
  return out;
}

/// "-t, --target TEXT"
static std::string headOf(const CLI::Option &option) {
  std::string names = optionNames(option), type = option.get_type_name();
  std::string text = "\\fB" + escaped(names) + "\\fR";
  if (takesValue(option) && !option.get_positional() && !type.empty())
    text += " \\fI" + escaped(type) + "\\fR";
  return text;
}

static std::string optionPart(const CLI::App &command, bool arePositional) {
  std::string text;
  for (const CLI::Option *option : command.get_options()) {
    if (option->get_positional() != arePositional ||
        option->get_group().empty())
      continue;
    text +=
        ".TP\n" + headOf(*option) + "\n" + escaped(option->get_description());
    if (std::string value = option->get_default_str(); !value.empty())
      text += " (default: " + escaped(value) + ")";
    text += "\n";
  }
  return text;
}

static std::string synopsisOf(const CLI::App &app, const CLI::App &command) {
  std::string text = "\\fByarrow\\fR";
  if (&app == &command)
    return text + " [\\fIoptions\\fR] \\fIcommand\\fR ...";
  text += " \\fB" + command.get_name() + "\\fR [\\fIoptions\\fR]";
  for (const CLI::Option *option : command.get_options())
    if (option->get_positional()) {
      std::string name = "\\fI" + escaped(option->get_name()) + "\\fR";
      text += option->get_required() ? " " + name : " [" + name + "]";
    }
  return text;
}

std::string yarrow::manualPage(const CLI::App &app, const CLI::App &command) {
  bool isProgram = &app == &command;
  std::string name = isProgram ? "yarrow" : "yarrow-" + command.get_name();
  std::string title = name;
  std::transform(title.begin(), title.end(), title.begin(),
                 [](unsigned char c) { return std::toupper(c); });
  std::string text = ".TH \"" + escaped(title) +
                     "\" 1 \"\" \"yarrow " YARROW_VERSION "\" \"Yarrow\"\n";
  text += ".SH NAME\n" + escaped(name) + " \\- " +
          escaped(command.get_description()) + "\n";
  text += ".SH SYNOPSIS\n" + synopsisOf(app, command) + "\n";
  if (std::string part = optionPart(command, true); !part.empty())
    text += ".SH ARGUMENTS\n" + part;
  text += ".SH OPTIONS\n" + optionPart(command, false);
  if (isProgram) {
    text += ".SH COMMANDS\n";
    for (const CLI::App *each : app.get_subcommands({}))
      if (!each->get_group().empty())
        text += ".TP\n\\fByarrow\\-" + escaped(each->get_name()) + "\\fR(1)\n" +
                escaped(each->get_description()) + "\n";
  }
  if (std::string footer = command.get_footer(); !footer.empty())
    text += ".SH NOTES\n.nf\n" + escaped(footer) + "\n.fi\n";
  if (!isProgram)
    text += ".SH SEE ALSO\n\\fByarrow\\fR(1)\n";
  return text;
}
