//===- Recipes.h - Settings that go together --------------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// What a network is quantized with if nothing else is said; the records are in
// Recipes.def.
//
//   for (const RecipeSetting &s : settingsOf("auto"))
//     keys.try_emplace(s.key, s.value);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_CONFIG_RECIPES_H
#define YARROW_COMPILER_CONFIG_RECIPES_H

#include <string_view>
#include <vector>

namespace yarrow::config {

struct Recipe {
  std::string_view name, doc;
};
/// The first one is the default.
std::vector<Recipe> recipes();

struct RecipeSetting {
  std::string_view key; ///< Of [Optimizer].
  std::string_view value;
};
/// Empty for a recipe of defaults alone.
std::vector<RecipeSetting> settingsOf(std::string_view recipe);

} // namespace yarrow::config

#endif // YARROW_COMPILER_CONFIG_RECIPES_H
