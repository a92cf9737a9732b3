//===- PictureFlags.cpp - Options for data that are pictures --------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/commands/PictureFlags.h"
#include "compiler/config/CallSettings.h"
#include "compiler/config/SettingEdits.h"
#include "compiler/data/DataSet.h"
#include "support/diagnostics/Settings.h"

#include <CLI/CLI.hpp>

using namespace yarrow;

static constexpr std::string_view kFoldKey = "fold_preprocessing";

void yarrow::addPictureOptions(CLI::App &command, PictureFlags &flags) {
  for (std::string_view name : config::pictureKeys()) {
    if (name == kFoldKey) // of commands that make networks
      continue;
    const config::ConfigKey &key = *config::findConfigKey("Parser", name);
    command
        .add_option(optionOf(name), flags.keys[std::string(name)],
                    std::string(key.doc) +
                        " Default: " + std::string(key.defaultText))
        ->type_name("VALUE")
        ->group("Data that are pictures (keys of [Parser])");
  }
}

void yarrow::addFoldOption(CLI::App &command, PictureFlags &flags) {
  command
      .add_flag_callback(
          "--fold-preprocessing",
          [&flags] { flags.keys[std::string(kFoldKey)] = "True"; },
          std::string(config::findConfigKey("Parser", kFoldKey)->doc))
      ->group("Data that are pictures (keys of [Parser])");
}

void yarrow::applyPictureFlags(const PictureFlags &flags,
                               config::BuildConfig &config,
                               DiagnosticEngine &diags) {
  for (const auto &[key, value] : flags.keys)
    if (!value.empty())
      config::setConfigKey("Parser", key, value, "", config, diags,
                           {optionOf(key)});
}

std::optional<PictureOptions> yarrow::pictureOptions(const PictureFlags &flags,
                                                     DiagnosticEngine &diags) {
  return config::picturesOf(flags.keys, diags);
}

void yarrow::warnOfPictureFlags(const PictureFlags &flags,
                                const std::vector<std::string> &files,
                                DiagnosticEngine &diags) {
  // What is folded is done to arrays, too.
  if (hasPictures(files) || flags.keys.contains(std::string(kFoldKey)))
    return;
  for (const auto &[key, value] : flags.keys)
    if (!value.empty())
      diags
          .report(diag::ConfigNotApplied, {optionOf(key)},
                  key + " is not applied: the data are not pictures")
          .hint("arrays are used as they are");
}
