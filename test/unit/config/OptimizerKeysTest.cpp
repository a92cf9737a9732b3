//===- OptimizerKeysTest.cpp - The Optimizer's keys, all of them ----------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "test/unit/config/ConfigText.h"

#include <map>
#include <set>

using namespace yarrow;
using namespace yarrow::config;

/// The keys of the Compass Optimizer's [Common] section, in its order.
static constexpr const char *optimizerKeys[] = {
    "graph",
    "bin",
    "model_name",
    "out_ir_name",
    "quant_ir_name",
    "output_dir",
    "qconfig",
    "dataset",
    "metric",
    "eval_optimized_model",
    "skip_optimization",
    "eval_original_model",
    "data",
    "label",
    "data_batch_dim",
    "label_batch_dim",
    "without_batch_dim",
    "dataloader_workers",
    "calibration_batch_size",
    "metric_batch_size",
    "dump",
    "dump_dir",
    "opt_config",
    "statistic_file",
    "calibration_strategy_for_weight",
    "calibration_strategy_for_activation",
    "global_calibration",
    "calibration_data",
    "calibration_shuffe",
    "quantize_method_for_weight",
    "quantize_method_for_activation",
    "weight_block_size",
    "activation_block_size",
    "weight_bits",
    "activation_bits",
    "quant_type",
    "lut_items_in_bits",
    "bias_bits",
    "bias_effective_bits",
    "bias_effective_bits_auto_adaption",
    "unify_shifts_for_aiff",
    "cast_dtypes_for_lib",
    "perf_mode_for_lib",
    "min_compatible_zhouyi_target",
    "force_dtype_int",
    "force_shift_positive",
    "running_statistic_momentum",
    "histc_bins",
    "set_qinvariant_for_start_nodes",
    "fake_quant_scopes_for_debug",
    "fake_quant_operators_for_debug",
    "resize_degrade_to_nearest",
    "unify_scales_for_kvc_concat",
    "unify_scales_for_concat",
    "unify_scales_for_concat_threshold",
    "unify_scales_for_concat_max_depth",
    "unify_scales_for_multi_inputs_operators",
    "with_winograd",
    "mixed_precision_auto_search",
    "featuremap_tiling_param",
    "featuremap_splits_item_x",
    "featuremap_splits_item_y",
    "featuremap_splits_concat_blk",
    "featuremap_splits_overlap_rate",
    "featuremap_splits_sram_size",
    "trigger_float_op",
    "save_statistic_info",
    "trim_infinity_before_statistic",
    "similarity_data_num",
    "write_similarity_to_ir",
    "record_debug_acc_info",
    "compat_quantized_model_eliminate_cast",
    "compat_quantized_model",
    "compat_quantized_model_strategy",
    "multiplier_bits",
    "remain_shift",
    "compat_quantized_model_int8_to_uint8",
    "compat_quantized_model_ops",
    "compat_quantized_model_unify_shifts_mode",
    "compat_quantized_model_left_shift_bits",
    "activation_perchannel_min_elements",
    "compat_quantized_model_simplify_dequantize_quantize",
    "compat_quantized_model_force_weight_asym",
    "regularize_activation_perchannel_scales",
    "enable_pass_scaled_dot_product_attention",
    "enable_pass_merge_matmul_mul",
    "enable_pass_convert_resize_to_convolution",
    "enable_pass_decompose_nonmonotonic_activations",
    "enable_pass_tune_op_complicated_activations",
    "enable_pass_tune_op_softmax",
    "enable_pass_deeply_set_unquantifiable",
    "enable_pass_split_qkv_fc_in_transformer",
    "enable_pass_detect_inf_mask_nodes",
    "optimize_wdc_for_x2",
    "ignore_missing_statistic",
    "modify_batch_dim",
    "export_parallel_batch",
    "ds_output_shape_constant",
    "ds_parameter_constant",
    "enable_ds"};

// Each does something, or the record says what decides it here, or what happens
// instead. Third-party quantized models are another matter.
TEST(BuildConfig, EveryKeyOfTheOptimizerHasItsEffectOrItsOwner) {
  // Of the data's axes and of blocks of weights a note is all there is to say.
  const std::set<std::string> noted = {"without_batch_dim",
                                       "weight_block_size"};
  for (std::string name : optimizerKeys) {
    const ConfigKey *key = findConfigKey("Optimizer", name);
    ASSERT_TRUE(key) << name;
    if (name.starts_with("compat_") || noted.contains(name))
      continue;
    EXPECT_TRUE(key->hasEffect() || !key->instead.empty()) << name;
  }
}

// What opt_template.json has of a setting is read as the setting again.
TEST(BuildConfig, ValuesOfLayersRoundTrip) {
  BuildConfig config = defaultBuildConfig();
  const LayerKey layer{3, "Convolution", "", "conv3"};
  const std::map<std::string_view, const char *> others = {
      {"trigger_float_op", "bfloat16_preferred!"},
      {"calibration_strategy_for_weight", "3std"},
      {"trim_infinity_before_statistic", "second(-10000,inf)"},
      {"running_statistic_momentum", "0.95"},
      {"multiplier_bits", "13"},
      {"enable_pass_tune_op_softmax", "[2,0.5][1]"},
      {"unify_shifts_merge", "channel"},
      {"unify_scales_for_multi_inputs_operators",
       "[(Concat,10,1.05,max),(Eltwise,0,1,skip)]"},
      {"quantize_method_for_weight", "per_channel_symmetric_full_range"}};
  for (const ConfigKey &key : configKeys()) {
    if (!key.readFor || !key.kind.isPerLayer)
      continue;
    std::string problem, before = key.textFor(config, layer);
    std::string text = others.contains(key.name) ? others.at(key.name) : before;
    EXPECT_TRUE(key.readFor("conv3", text, key.kind, config, problem))
        << key.name << ": " << problem;
    EXPECT_EQ(key.textFor(config, layer), text) << key.name;
    // Of this layer alone, and above every rule.
    EXPECT_EQ(key.textFor(config, {3, "Convolution", "", "conv4"}), before);
  }
}

// A per-layer key without an attribute would be lost on the way through
// opt_template.json.
TEST(OptConfig, EveryPerLayerKeyIsAnAttribute) {
  std::set<std::string_view> names, keys;
  for (const LayerAttribute &attribute : layerAttributes()) {
    EXPECT_TRUE(names.insert(attribute.name).second) << attribute.name;
    EXPECT_EQ(int(attribute.key != nullptr) + int(!attribute.sameAs.empty()) +
                  int(!attribute.fixed.empty()),
              1)
        << attribute.name;
    if (!attribute.key)
      continue;
    EXPECT_TRUE(attribute.key->readFor && attribute.key->kind.isPerLayer)
        << attribute.name;
    keys.insert(attribute.key->name);
  }
  for (const ConfigKey &key : configKeys())
    if (key.kind.isPerLayer)
      EXPECT_TRUE(keys.contains(key.name)) << key.name;
}
