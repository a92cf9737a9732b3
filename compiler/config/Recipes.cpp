//===- Recipes.cpp - Settings that go together ----------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/config/Recipes.h"
#include "compiler/config/ConfigKeys.h"

using namespace yarrow::config;

std::vector<Recipe> yarrow::config::recipes() {
  return {
#define RECIPE(NAME, DOC) {NAME, DOC},
#include "compiler/config/Recipes.def"
  };
}

std::vector<RecipeSetting> yarrow::config::settingsOf(std::string_view recipe) {
  struct Record {
    std::string_view recipe, key, value;
  };
  static constexpr Record kRecords[] = {
#define SETTING(RECIPE, KEY, VALUE) {RECIPE, KEY, VALUE},
#include "compiler/config/Recipes.def"
  };
  std::vector<RecipeSetting> settings;
  for (const Record &record : kRecords)
    if (record.recipe == recipe)
      settings.push_back({record.key, record.value});
  return settings;
}

bool yarrow::config::applyRecipe(BuildConfig &config, const Place &place,
                                 DiagnosticEngine &diags) {
  bool ok = true;
  for (const RecipeSetting &setting : settingsOf(config.recipe)) {
    std::string key(setting.key);
    if (config.isSet("Optimizer." + key))
      continue;
    config.recipeKeys.insert(key);
    ok &=
        setConfigKey("Optimizer", key, setting.value, "", config, diags, place);
  }
  return ok;
}
