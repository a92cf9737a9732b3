//===- CallSettings.cpp - Settings of one call, by their keys -----------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/config/CallSettings.h"

#include "compiler/config/OptConfig.h"
#include "compiler/config/PictureSettings.h"
#include "compiler/config/Recipes.h"
#include "compiler/config/SettingEdits.h"

#include <algorithm>

using namespace yarrow;
using namespace yarrow::config;

std::vector<const ConfigKey *> yarrow::config::quantizationKeys() {
  std::vector<const ConfigKey *> keys;
  for (const ConfigKey &key : configKeys()) {
    static constexpr std::string_view kOthers[] = {
        "calibration_batch_size",
        "calibration_shuffe",
        "dump",
        "dump_dir",
        "enable_pass_detect_inf_mask_nodes",
        "encodings",
        "fake_quant_operators_for_debug",
        "fake_quant_scopes_for_debug",
        "global_calibration",
        "goal",
        "goal_agreement",
        "ignore_missing_statistic",
        "opt_config",
        "price",
        "peak_activation_bits",
        "qconfig",
        "range_headroom_of_16_bits",
        "rescue_price",
        "save_statistic_info",
        "set_qinvariant_for_start_nodes",
        "similarity_data_num",
        "split_resizes",
        "statistic_file",
        "threshold",
        "unify_scales_for_concat",
        "unify_scales_for_concat_max_depth",
        "unify_scales_for_concat_threshold",
        "winograd_max_loss",
        "winograd_max_output_loss",
        "write_similarity_to_ir"};
    bool isSetting = key.kind.isPerLayer ||
                     std::ranges::find(kOthers, key.name) != std::end(kOthers);
    if (key.section == "Optimizer" && key.hasEffect() && isSetting)
      keys.push_back(&key);
  }
  return keys;
}

std::vector<std::string> yarrow::config::quantizationKeyNames() {
  std::vector<std::string> names(pictureKeys().begin(), pictureKeys().end());
  for (const ConfigKey *key : quantizationKeys())
    names.emplace_back(key->name);
  return names;
}

/// Those of pictures, or the others, which are of [Optimizer].
static void setKeys(const KeyTexts &keys, bool ofPictures, BuildConfig &config,
                    DiagnosticEngine &diags) {
  for (const auto &[key, value] : keys)
    if (!value.empty() && isPictureKey(key) == ofPictures)
      setConfigKey(ofPictures ? "Parser" : "Optimizer", key, value, "", config,
                   diags, {optionOf(key)});
}

bool yarrow::config::applyQuantization(const KeyTexts &keys,
                                       BuildConfig &config,
                                       DiagnosticEngine &diags) {
  std::size_t before = diags.numErrors();
  setKeys(keys, false, config, diags);
  setKeys(keys, true, config, diags);
  applyRecipe(config, {"--recipe"}, diags);
  return diags.numErrors() == before && readOptConfig(config, diags);
}

std::optional<PictureOptions>
yarrow::config::picturesOf(const KeyTexts &keys, DiagnosticEngine &diags) {
  BuildConfig config = defaultBuildConfig();
  std::size_t before = diags.numErrors();
  setKeys(keys, true, config, diags);
  if (diags.numErrors() != before)
    return std::nullopt;
  return pictureOptions(config, diags);
}
