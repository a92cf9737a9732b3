//===- ImportSettings.h - Shapes and names for an import --------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Converts a user's settings for a model of another format, from options or
// [Parser], to the front end's form. An IR ignores them.
//
//   addShape("x=1,3,224,224", {"--input-shape"}, options, diags);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_MODEL_IMPORTSETTINGS_H
#define YARROW_COMPILER_MODEL_IMPORTSETTINGS_H

#include "compiler/config/BuildConfig.h"
#include "parser/graph/ImportOptions.h"
#include "support/Diagnostics.h"

#include <optional>
#include <string>
#include <vector>

namespace yarrow {

/// What a command line says of a model that is read.
struct ReadingFlags {
  std::vector<std::string> shapes; ///< --input-shape: "name=1,3,224,224"
  std::vector<std::string> states; ///< --state: "past=present", or "none"
};

/// Nullopt after E1010. For lengths that are not given, those of \p samples are
/// proposed, files that need not be there.
std::optional<graph::ImportOptions>
importOptions(const ReadingFlags &flags, DiagnosticEngine &diags,
              const std::string &samples = "");

/// These as a command line has them, for commands that are proposed.
std::vector<std::string>
readingOptions(const ReadingFlags &flags,
               const std::vector<std::string> &ranges = {});

/// Of [Parser], what the options say on top. Nullopt after errors.
std::optional<graph::ImportOptions>
importOptions(const config::BuildConfig &config, const ReadingFlags &flags,
              DiagnosticEngine &diags);

} // namespace yarrow

#endif // YARROW_COMPILER_MODEL_IMPORTSETTINGS_H
