//===- Recipes.h - Settings that go together --------------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// What a network is quantized with if nothing else is said; the records are in
// Recipes.def.
//
//   for (const RecipeSetting &s : settingsOf("auto"))
//     keys.try_emplace(s.key, s.value);
//   config.recipe = "auto";
//   applyRecipe(config, {"--recipe"}, diags);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_CONFIG_RECIPES_H
#define YARROW_COMPILER_CONFIG_RECIPES_H

#include "compiler/config/BuildConfig.h"

#include <string_view>
#include <vector>

namespace yarrow::config {

/// For who writes no configuration: best results, not those of other tools.
inline constexpr std::string_view kAutoRecipe = "auto";

struct Recipe {
  std::string_view name, doc;
};
/// The first one is the default of commands, whatever files have.
std::vector<Recipe> recipes();

struct RecipeSetting {
  std::string_view key; ///< Of [Optimizer].
  std::string_view value;
};
/// Empty for a recipe of defaults alone.
std::vector<RecipeSetting> settingsOf(std::string_view recipe);

/// Sets the keys of the recipe of \p config that are not given; \p place is
/// where it was chosen. False after errors.
bool applyRecipe(BuildConfig &config, const Place &place,
                 DiagnosticEngine &diags);

} // namespace yarrow::config

#endif // YARROW_COMPILER_CONFIG_RECIPES_H
