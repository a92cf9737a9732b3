//===- PictureFlags.h - Options for data that are pictures ------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// --mean, --scale, --channels, --layout and --resize, of all commands that take
// data: the keys of a configuration with the same names, made from the same
// records.
//
//   addPictureOptions(*command, flags.pictures);
//   auto options = pictureOptions(flags.pictures, driver.diags);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_COMMANDS_PICTUREFLAGS_H
#define YARROW_COMPILER_COMMANDS_PICTUREFLAGS_H

#include "compiler/config/PictureSettings.h"

#include <map>
#include <string>

namespace CLI {
class App;
}

namespace yarrow {

struct PictureFlags {
  std::map<std::string, std::string> keys; ///< By key, "" if not given.
};

void addPictureOptions(CLI::App &command, PictureFlags &flags);

/// --fold-preprocessing, of commands that make networks.
void addFoldOption(CLI::App &command, PictureFlags &flags);

/// Sets the keys that are given.
void applyPictureFlags(const PictureFlags &flags, config::BuildConfig &config,
                       DiagnosticEngine &diags);

/// Of a command without a configuration. nullopt after errors.
std::optional<PictureOptions> pictureOptions(const PictureFlags &flags,
                                             DiagnosticEngine &diags);

/// ConfigNotApplied for flags that are given where no data are pictures.
void warnOfPictureFlags(const PictureFlags &flags,
                        const std::vector<std::string> &files,
                        DiagnosticEngine &diags);

} // namespace yarrow

#endif // YARROW_COMPILER_COMMANDS_PICTUREFLAGS_H
