//===- BuildConfigTest.cpp - Configuration files --------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "test/unit/config/ConfigText.h"

#include <filesystem>
#include <fstream>
#include <iostream>

using namespace yarrow;
using namespace yarrow::config;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::Optional;
namespace fs = std::filesystem;

TEST(BuildConfig, Defaults) {
  BuildConfig config = parseGood("[Common]\ngraph=float.txt\n");
  EXPECT_EQ(config.mode, BuildMode::Run);
  EXPECT_EQ(config.graph, "dir/float.txt");
  EXPECT_EQ(config.bin, "dir/float.bin");
  EXPECT_EQ(config.outIrName, "unknown_o");
  EXPECT_EQ(config.outputDir, "dir/opt_log");
  EXPECT_EQ(config.weightBits.global, 8);
  EXPECT_EQ(config.biasBits.global, 32);
  EXPECT_EQ(config.biasEffectiveBits.global, 32);
  EXPECT_EQ(config.calibrationBatchSize, 1);
  EXPECT_EQ(config.quantizeMethodForWeight.global.str(),
            "per_tensor_symmetric_restricted_range");
  EXPECT_EQ(config.quantizeMethodForActivation.global.str(),
            "per_tensor_symmetric_full_range");
  EXPECT_EQ(config.calibrationStrategyForWeight.global.kind,
            CalibrationStrategy::Kind::Extrema);
  EXPECT_EQ(config.calibrationStrategyForActivation.global.kind,
            CalibrationStrategy::Kind::Mean);
  EXPECT_TRUE(config.triggerFloatOp.global.isDisabled());
  EXPECT_EQ(config.triggerFloatOp.get({0, "RMSNorm", "", ""}).type,
            "float16_preferred");
  EXPECT_EQ(config.multiplierBits.global, std::nullopt);
  EXPECT_TRUE(config.unifyShiftsForAiff.global);
  EXPECT_TRUE(config.isSet("Optimizer.graph"));
  EXPECT_FALSE(config.isSet("Optimizer.output_dir"));
  EXPECT_EQ(config.place("Optimizer.graph").line, 2u);
}

TEST(BuildConfig, ReadsABuilderFile) {
  Parsed result = parse("[Common]\nmode = build\nlog_file = build.log\n\n"
                        "[Parser]\nmodel_type = onnx\nmodel_name = net\n"
                        "input_model = net.onnx\nanything = 1\n\n"
                        "[Optimizer]\ngraph = ir/net.txt\nbin = /abs/net.bin\n"
                        "calibration_data = ./calib.npy\n"
                        "calibration_batch_size = 20\n"
                        "metric = TopKMetric,TopKMetric(5), COS(a, 0.5)\n"
                        "dataloader_workers = 0\nsave_statistic_info = True\n"
                        "output_dir = .\n\n"
                        "[GBuilder]\ntarget = X2_1204\nprofile= True\n"
                        "inputs = in0.bin, in1.bin\noutputs = out.bin\n"
                        "tiling = fps\n"
                        "simulator = aipu_simulator_x2\n");
  ASSERT_TRUE(result.config) << ::testing::PrintToString(result.diags);
  const BuildConfig &config = *result.config;
  EXPECT_EQ(config.mode, BuildMode::Build);
  EXPECT_EQ(config.logFile, "dir/build.log");
  EXPECT_EQ(config.graph, "dir/ir/net.txt");
  EXPECT_EQ(config.bin, "/abs/net.bin");
  EXPECT_EQ(config.modelName, "net");
  EXPECT_EQ(config.outIrName, "net_o");
  EXPECT_EQ(config.outputDir, "dir");
  EXPECT_EQ(config.calibrationData, "dir/calib.npy");
  EXPECT_EQ(config.calibrationBatchSize, 20);
  ASSERT_EQ(config.metrics.size(), 3u);
  EXPECT_EQ(config.metrics[0].name, "TopKMetric");
  EXPECT_THAT(config.metrics[0].arguments, IsEmpty());
  EXPECT_THAT(config.metrics[1].arguments, ElementsAre("5"));
  EXPECT_THAT(config.metrics[2].arguments, ElementsAre("a", "0.5"));
  EXPECT_EQ(config.target, "X2_1204");
  EXPECT_TRUE(config.profile);
  EXPECT_FALSE(config.dump);
  EXPECT_THAT(config.inputs, ElementsAre("dir/in0.bin", "dir/in1.bin"));
  EXPECT_THAT(config.outputs, ElementsAre("dir/out.bin"));
  EXPECT_EQ(config.tiling, Tiling::Fps);
  // One note lists what has no effect, but no key that has its default.
  ASSERT_EQ(result.diags.size(), 1u);
  EXPECT_THAT(result.diags[0], HasSubstr("N0504"));
  EXPECT_THAT(result.diags[0], HasSubstr("[Parser]"));
  EXPECT_THAT(result.diags[0], HasSubstr("simulator"));
  EXPECT_TRUE(config.saveStatisticInfo);
  EXPECT_THAT(result.diags[0], Not(HasSubstr("dataloader_workers")));
}

TEST(BuildConfig, ReadsQuantizationSettings) {
  BuildConfig config = parseGood(withGraph(
      "quantize_method_for_weight = per_channel_symmetric_restricted_range\n"
      "quantize_method_for_activation = per_tensor_asymmetric & "
      "<[Softmax]:per_tensor_symmetric_full_range>\n"
      "weight_bits = 8 & <{.*_head}:16>\nactivation_bits = 16\n"
      "multiplier_bits = 15\nlut_items_in_bits = 10\nwith_winograd = true\n"
      "trigger_float_op = disable & <[LayerNorm,Softmax]:float16_preferred!>\n"
      "calibration_strategy_for_activation = 3std\n"
      "calibration_strategy_for_weight = 0.99percentile & <[(0,3)]:kld> "
      "<[Abs]:weighted_scale_param[0.1, 0.2,0.3,0.4]>\n"
      "global_calibration = easy_quant & adaround[10, 3, 32][Convolution]\n"
      "set_qinvariant_for_start_nodes = 0, 3\nquant_ir_name = q\n"
      "enable_pass_tune_op_softmax = [0][0] & <[Softmax]:[1, 8][1]>\n"));
  EXPECT_EQ(config.quantizeMethodForWeight.global.granularity,
            QuantizeMethod::Granularity::PerChannel);
  EXPECT_TRUE(config.quantizeMethodForActivation.global.isAsymmetric());
  LayerKey softmax{4, "Softmax", "", "softmax"};
  EXPECT_FALSE(config.quantizeMethodForActivation.get(softmax).isAsymmetric());
  EXPECT_EQ(config.weightBits.get({9, "Convolution", "", "a_head"}), 16);
  EXPECT_EQ(config.activationBits.get(softmax), 16);
  EXPECT_THAT(config.multiplierBits.global, Optional(15));
  EXPECT_TRUE(config.withWinograd.global);
  EXPECT_TRUE(config.triggerFloatOp.get(softmax).isForced);
  // The default for RMSNorm holds only if nothing is given.
  EXPECT_TRUE(config.triggerFloatOp.get({0, "RMSNorm", "", ""}).isDisabled());
  EXPECT_EQ(config.calibrationStrategyForActivation.global.kind,
            CalibrationStrategy::Kind::Std);
  EXPECT_EQ(config.calibrationStrategyForActivation.global.parameters[0], 3);
  EXPECT_EQ(config.calibrationStrategyForWeight.global.parameters[0], 0.99f);
  EXPECT_EQ(config.calibrationStrategyForWeight.get({0, "Abs", "", ""}).kind,
            CalibrationStrategy::Kind::Kld);
  EXPECT_THAT(
      config.calibrationStrategyForWeight.get({9, "Abs", "", ""}).parameters,
      ElementsAre(0.1f, 0.2f, 0.3f, 0.4f));
  ASSERT_EQ(config.globalCalibration.size(), 2u);
  EXPECT_EQ(config.globalCalibration[1].method, "adaround");
  EXPECT_THAT(config.globalCalibration[1].parameters, ElementsAre(10, 3, 32));
  EXPECT_TRUE(config.globalCalibration[1].where->hasType("convolution"));
  EXPECT_EQ(config.softmaxTuning.global.method, SoftmaxTuning::Method::Auto);
  EXPECT_EQ(config.softmaxTuning.get(softmax).method,
            SoftmaxTuning::Method::FastExp);
  EXPECT_THAT(config.softmaxTuning.get(softmax).parameters, ElementsAre(8));
  EXPECT_EQ(config.softmaxTuning.get(softmax).approxMethod, 1);
  EXPECT_THAT(config.qinvariantStartNodes, ElementsAre(0, 3));
  EXPECT_EQ(config.outIrName, "q");
}

TEST(BuildConfig, TargetChangesDefaults) {
  BuildConfig config =
      parseGood(withGraph("min_compatible_zhouyi_target = z2_1104\n"));
  EXPECT_EQ(config.minCompatibleTarget, "Z2");
  EXPECT_EQ(config.biasEffectiveBits.global, 16);
  EXPECT_TRUE(config.triggerFloatOp.get({0, "RMSNorm", "", ""}).isDisabled());
  config = parseGood(withGraph("min_compatible_zhouyi_target = X1\n"
                               "bias_effective_bits = 24\n"));
  EXPECT_EQ(config.biasEffectiveBits.global, 24);
}

TEST(BuildConfig, EmptyValuesAreDefaults) {
  BuildConfig config = parseGood(withGraph("weight_bits =\nmetric=\n"));
  EXPECT_EQ(config.weightBits.global, 8);
  EXPECT_THAT(config.metrics, IsEmpty());
}

TEST(BuildConfig, UnknownKeys) {
  EXPECT_THAT(onlyError(withGraph("weigth_bits = 8\n")),
              ::testing::AllOf(HasSubstr("dir/net.cfg:3"), HasSubstr("E0501"),
                               HasSubstr("did you mean weight_bits?")));
  EXPECT_THAT(onlyError("[Common]\n[Optimizer]\ngraph=a\n[GBuilder]\n"
                        "weight_bits=8\n"),
              HasSubstr("belongs to [Optimizer]"));
  EXPECT_THAT(onlyError("[Common]\ngraph=a\n[GBuidler]\n"),
              HasSubstr("did you mean [GBuilder]?"));
  ConfigOptions options;
  options.allowUnknown = true;
  Parsed result = parse("[Common]\ngraph = a.txt\nfoo = 8\n[Bar]\n", options);
  EXPECT_TRUE(result.config);
  EXPECT_THAT(result.diags, ElementsAre(HasSubstr("foo, [Bar]")));
}

TEST(BuildConfig, BadValues) {
  const std::pair<const char *, const char *> cases[] = {
      {"weight_bits = 3", "an integer from 4 to 16"},
      {"weight_bits = 8.0", "an integer from 4 to 16"},
      {"weight_bits = 8 & <[Convolution]:99>", "'99'"},
      {"quantize_method_for_weight = per_chanel_asymmetric",
       "did you mean per_channel_asymmetric?"},
      {"trigger_float_op = float16_prefered",
       "did you mean float16_preferred?"},
      {"eval_original_model = yes", "true or false"},
      {"running_statistic_momentum = nan", "a number from 0 to 1"},
      {"calibration_strategy_for_weight = std", "write it as 3std"},
      {"calibration_strategy_for_weight = 1.5std", "is not extrema"},
      {"calibration_strategy_for_weight = 1.2.3percentile", "is not extrema"},
      {"calibration_strategy_for_weight = weighted_scale_param[1,2]",
       "weighted_scale_param[a,b,c,d]"},
      {"global_calibration = adarond", "not a method"},
      {"global_calibration = adaround[x]", "not a number"},
      {"global_calibration = adaround{a}", "in brackets"},
      {"enable_pass_tune_op_softmax = [3]", "with method 0, 1 or 2"},
      {"enable_pass_tune_op_softmax = [1", "with method 0, 1 or 2"},
      {"enable_pass_tune_op_softmax = [1][x]", "not a number"},
      {"metric = TopK(5", "ends with ')'"},
      {"metric = ,", "list of metrics"},
      {"set_qinvariant_for_start_nodes = -1", "a layer_id"},
      {"calibration_batch_size = 0", "from 1"},
      {"mode = jump", "one of run, build"},
      {"dataset = a\n  b = c", ""}, // Fine: text may have two lines.
      {"activation_bits = 8\n  weight_bits = 4", "continues the value"},
  };
  for (auto [line, expected] : cases) {
    Parsed result = parse(withGraph(std::string(line) + "\n"));
    if (*expected == 0) {
      EXPECT_TRUE(result.config) << line;
      continue;
    }
    EXPECT_THAT(result.diags, ElementsAre(::testing::AllOf(
                                  HasSubstr("E0502"), HasSubstr(expected))))
        << line;
  }
}

TEST(BuildConfig, AllProblemsAtOnce) {
  EXPECT_EQ(parse("[Common]\nmode=x\nfoo=1\nweight_bits=99\n").diags.size(),
            4u);
}

TEST(BuildConfig, MissingGraph) {
  EXPECT_THAT(onlyError("[Common]\nmode = run\n"), HasSubstr("E0503"));
  Parsed result = parse("[Common]\nmode = run\n[Parser]\nmodel_name = net\n"
                        "input_model = net.onnx\noutput_dir = ./ir\n");
  ASSERT_TRUE(result.config);
  EXPECT_THAT(result.config->graph, HasSubstr("net.onnx"));
  EXPECT_EQ(result.config->modelName, "net");
  result = parse("[Parser]\nmodel_name = net\nmodel_type = caffe\n"
                 "input_model = net.caffemodel\noutput_dir = ./ir\n");
  ASSERT_EQ(result.diags.size(), 1u);
  EXPECT_THAT(result.diags[0], HasSubstr("E1014"));
  EXPECT_THAT(result.diags[0], HasSubstr("dir/ir/net.txt"));
  ConfigOptions options;
  options.needsGraph = false;
  EXPECT_TRUE(parse("[Common]\n", options).config);
}

TEST(BuildConfig, FindsTheGraphOfTheParser) {
  fs::path folder = fs::path(::testing::TempDir()) / "yarrow_config_test";
  fs::create_directories(folder / "ir");
  std::ofstream(folder / "ir" / "net.txt") << "x";
  std::ofstream(folder / "ir" / "net.bin") << "x";
  Parsed result = parse("[Common]\n[Parser]\nmodel_name = net\n"
                        "input_model = net.pb\noutput_dir = ./ir\n"
                        "[AutoQuantizationTool]\nquantize_method = SYMMETRIC\n",
                        {}, (folder / "net.cfg").string());
  fs::remove_all(folder);
  ASSERT_TRUE(result.config);
  EXPECT_EQ(result.config->graph, (folder / "ir" / "net.txt").string());
  EXPECT_EQ(result.config->bin, (folder / "ir" / "net.bin").string());
  EXPECT_EQ(result.config->modelName, "net");
}

TEST(BuildConfig, OldAndNewOptimizerSections) {
  const char *both = "[Common]\nuse_aqt = %\n[Optimizer]\ngraph=new.txt\n"
                     "[AutoQuantizationTool]\ngraph=old.txt\n";
  auto graph = [&](const std::string &useOld) {
    std::string text = both;
    text.replace(text.find('%'), 1, useOld);
    return parseGood(text).graph;
  };
  EXPECT_EQ(graph("True"), "dir/old.txt");
  EXPECT_EQ(graph("False"), "dir/new.txt");
}

TEST(BuildConfig, RecordsAreSound) {
  std::set<std::string> names;
  for (const ConfigKey &key : configKeys()) {
    std::string name = std::string(key.section) + "." + std::string(key.name);
    EXPECT_TRUE(names.insert(name).second) << name;
    EXPECT_FALSE(key.doc.empty()) << name;
    EXPECT_FALSE(key.kind.str().empty()) << name;
    for (char c : key.name)
      EXPECT_FALSE(c >= 'A' && c <= 'Z') << name;
    if (!key.hasEffect())
      continue;
    BuildConfig config;
    std::string problem;
    EXPECT_TRUE(key.read(key.defaultText, key.kind, "", config, problem))
        << name << ": " << problem;
  }
}

TEST(BuildConfig, AcceptsReferenceConfigurations) {
  fs::path packs = fs::path(YARROW_PACKS_DIR);
  if (!fs::is_directory(packs))
    GTEST_SKIP() << "no reference packs";
  std::size_t count = 0;
  for (const char *group : {"models", "ops"})
    for (const fs::directory_entry &entry :
         fs::directory_iterator(packs / group)) {
      fs::path path = entry.path() / "opt.cfg";
      if (!fs::exists(path))
        continue;
      DiagnosticEngine diags;
      std::optional<BuildConfig> config =
          readBuildConfig(path.string(), {}, diags);
      ASSERT_TRUE(config) << diags.all().front().str();
      EXPECT_TRUE(fs::path(config->graph).filename() == "float.txt");
      EXPECT_EQ(fs::path(config->graph).parent_path(), entry.path());
      EXPECT_TRUE(diags.all().empty()) << diags.all().front().str();
      ++count;
    }
  std::cout << count << " files\n";
  EXPECT_GE(count, 200u);
}

TEST(BuildConfig, ParametersOfStrategiesHaveARange) {
  auto problem = [](const std::string &strategy) {
    return onlyError(
        withGraph("calibration_strategy_for_activation = " + strategy + "\n"));
  };
  EXPECT_THAT(problem("99.9percentile"),
              HasSubstr("did you mean 0.999percentile?"));
  EXPECT_THAT(problem("0percentile"), HasSubstr("above 0 and at most 1"));
  EXPECT_THAT(problem("0std"), HasSubstr("from 1 to 1000"));
  EXPECT_THAT(problem("0kld"), HasSubstr("from 1 to 1000"));
  EXPECT_THAT(problem("99aciq_gauss"), HasSubstr("a factor near 1"));
  EXPECT_THAT(problem("weighted_scale_param[1.2,0,0,0]"),
              HasSubstr("above 1 is not supported"));
  for (const char *good : {"1percentile", "0.5percentile", "3std", "10kld",
                           "kld", "1.5aciq_laplace", "percentile"})
    parseGood(withGraph(
        "calibration_strategy_for_activation = " + std::string(good) + "\n"));
}

// A configuration as tutorials of the first tools have it.
TEST(BuildConfig, TranslatesOldKeys) {
  const std::string old =
      "[AutoQuantizationTool]\ngraph = a.txt\nmodel_name = net\n"
      "quantize_method = %s\nops_per_channel = DepthwiseConv\n"
      "calibration_data = ./dataset.npy\ncalibration_label = ./label.npy\n"
      "preprocess_mode = normalize\nquant_precision = int16\n"
      "reverse_rgb = False\nlabel_id_offset = 0\ndataset_name = imagenet\n";
  auto with = [&](const char *method) {
    std::string text = old;
    return text.replace(text.find("%s"), 2, method);
  };
  Parsed result = parse(with("asymmetric"));
  ASSERT_TRUE(result.config) << ::testing::PrintToString(result.diags);
  const BuildConfig &config = *result.config;
  EXPECT_EQ(config.weightBits.global, 16);
  EXPECT_EQ(config.activationBits.global, 16);
  EXPECT_EQ(config.quantizeMethodForActivation.global.str(),
            "per_tensor_asymmetric");
  EXPECT_EQ(config.quantizeMethodForWeight.global.str(),
            "per_tensor_symmetric_restricted_range");
  EXPECT_EQ(
      config.quantizeMethodForWeight.get({0, "DepthwiseConv", "", ""}).str(),
      "per_channel_symmetric_restricted_range");
  EXPECT_EQ(config.place("Optimizer.weight_bits").line, 9u);
  ASSERT_EQ(result.diags.size(), 1u) << ::testing::PrintToString(result.diags);
  EXPECT_THAT(result.diags[0],
              HasSubstr("without effect: calibration_label, preprocess_mode"));
  // Keys of today win.
  result = parse(with("ASYMMETRIC") +
                 "quantize_method_for_activation = "
                 "per_tensor_symmetric_full_range\nweight_bits = 4\n");
  ASSERT_TRUE(result.config);
  EXPECT_EQ(result.config->weightBits.global, 4);
  EXPECT_EQ(result.config->activationBits.global, 8);
  EXPECT_FALSE(
      result.config->quantizeMethodForActivation.global.isAsymmetric());
  EXPECT_THAT(result.diags.back(),
              HasSubstr("quantize_method (quantize_method_for_activation is "
                        "given), quant_precision (weight_bits is given)"));
}

// Each key of the Compass tools by what it would change.
TEST(BuildConfig, KeysThatAreNotDoneAreReportedByTheirEffect) {
  std::set<std::string> sections = {"Common", "Optimizer", "GBuilder"};
  for (const ConfigKey &key : configKeys()) {
    if (key.hasEffect() || !sections.contains(std::string(key.section)))
      continue;
    std::string text = "[Optimizer]\ngraph = a.txt\n";
    if (key.section != "Optimizer")
      text += "[" + std::string(key.section) + "]\n";
    Parsed result = parse(text + std::string(key.name) + " = another\n");
    ASSERT_EQ(result.diags.size(), 1u) << key.name;
    EXPECT_THAT(result.diags[0], HasSubstr(std::string(key.name)));
    EXPECT_EQ(result.config.has_value(), key.effect != KeyEffect::Refused);
    EXPECT_THAT(result.diags[0],
                HasSubstr(key.effect == KeyEffect::None     ? "N0504"
                          : key.effect == KeyEffect::Missed ? "W0508"
                                                            : "E0402"));
    // Its default says nothing.
    result = parse(text + std::string(key.name) + " = " +
                   std::string(key.defaultText) + "\n");
    EXPECT_THAT(result.diags, IsEmpty()) << key.name;
  }
}

TEST(BuildConfig, DataSetsByName) {
  EXPECT_EQ(parseGood(withGraph("dataset = numpynhwc2nchwdataset\n"
                                "data_batch_dim = 1\n"))
                .dataBatchDim,
            1);
  EXPECT_THAT(onlyError(withGraph("label = l.npy\nlabel_id_offset = 1\n")),
              HasSubstr("label_id_offset"));
  EXPECT_THAT(onlyError(withGraph("dataset = COCODataset\n")),
              HasSubstr("public collection"));
  Parsed plugIn = parse(withGraph("dataset = MyOwnDataset\n"));
  EXPECT_TRUE(plugIn.config);
  ASSERT_EQ(plugIn.diags.size(), 1u);
  EXPECT_THAT(plugIn.diags[0], HasSubstr("W0508"));
}

TEST(BuildConfig, SeveralFilesStartAtTheFile) {
  EXPECT_EQ(
      parseGood(withGraph("calibration_data = a.npy, b.npy\n")).calibrationData,
      "dir/a.npy,dir/b.npy");
}
