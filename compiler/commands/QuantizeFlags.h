//===- QuantizeFlags.h - Options of commands that quantize ------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The flags for quantization are the keys of a configuration with dashes for
// underscores, made from the same records, so that both take the same values,
// per-layer rules included.
//
//   addQuantizeFlags(*command, flags);
//   std::optional<config::BuildConfig> config = configOf(flags, driver.diags);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_COMMANDS_QUANTIZEFLAGS_H
#define YARROW_COMPILER_COMMANDS_QUANTIZEFLAGS_H

#include "compiler/commands/PictureFlags.h"
#include "compiler/config/BuildConfig.h"
#include "compiler/driver/Driver.h"
#include "compiler/model/ImportSettings.h"
#include "compiler/session/Network.h"
#include "support/Diagnostics.h"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
} // namespace CLI

namespace yarrow {

struct QuantizeFlags {
  std::string graph, bin, calibrationData;
  ReadingFlags reading;                    ///< Of a model that is imported.
  std::string recipe;                      ///< Of config::recipes().
  std::map<std::string, std::string> keys; ///< By key of the configuration.
  PictureFlags pictures;
  std::size_t resetEvery = 0; ///< Of a network with state; 0: never.

  /// The keys that are given, and those of the recipe.
  std::map<std::string, std::string> settings() const;
};

/// --recipe, which the commands that quantize have; \p help says what for.
CLI::Option *addRecipeOption(CLI::App &command, std::string &recipe,
                             std::string help);

/// The network, its samples, and every key that says how to quantize.
void addQuantizeFlags(CLI::App &command, QuantizeFlags &flags,
                      bool needsSamples);

/// The settings as a configuration; nullopt after errors.
std::optional<config::BuildConfig> configOf(const QuantizeFlags &flags,
                                            DiagnosticEngine &diags);

/// The network as it is, to be tried in many ways; null after errors.
std::shared_ptr<const session::Network> loadFloats(const QuantizeFlags &flags,
                                                   Driver &driver);

} // namespace yarrow

#endif // YARROW_COMPILER_COMMANDS_QUANTIZEFLAGS_H
