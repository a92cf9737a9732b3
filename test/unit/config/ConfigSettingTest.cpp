//===- ConfigSettingTest.cpp - --set section.key=value --------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "test/unit/config/ConfigText.h"

using namespace yarrow;
using namespace yarrow::config;
using ::testing::AllOf;
using ::testing::HasSubstr;

namespace {

/// What \p settings make of a file with \p text.
Parsed parseWith(std::string_view text,
                 const std::vector<std::string> &settings) {
  ConfigOptions options;
  for (const std::string &setting : settings)
    options.settings.push_back(parseSetting(setting).value());
  return parse(text, options);
}

} // namespace

TEST(ConfigSetting, IsReadAsALineOfTheFile) {
  const char *file = "[Optimizer]\ngraph = a.txt\nweight_bits = 8\n";
  Parsed result = parseWith(file, {"weight_bits = 4", "Common.log_file=b.log",
                                   "GBuilder.target=my.json"});
  ASSERT_TRUE(result.config) << ::testing::PrintToString(result.diags);
  EXPECT_EQ(result.config->weightBits.global, 4);
  EXPECT_EQ(result.config->logFile, "dir/b.log");
  EXPECT_EQ(result.config->target, "dir/my.json");
  EXPECT_EQ(result.config->place("Optimizer.weight_bits").file,
            "--set weight_bits = 4");
  // Defaults that follow from a key follow from a setting too.
  result = parseWith(file, {"min_compatible_zhouyi_target=Z1"});
  EXPECT_EQ(result.config->biasEffectiveBits.global, 16);
}

TEST(ConfigSetting, HasTheProblemsOfALine) {
  const char *file = "[Optimizer]\ngraph = a.txt\n";
  auto only = [&](const char *setting) {
    Parsed result = parseWith(file, {setting});
    EXPECT_EQ(result.diags.size(), 1u)
        << ::testing::PrintToString(result.diags);
    return result.diags.empty() ? "" : result.diags[0];
  };
  EXPECT_THAT(only("weight_bit=4"),
              AllOf(HasSubstr("--set weight_bit=4: error E0501"),
                    HasSubstr("did you mean weight_bits?")));
  EXPECT_THAT(only("weight_bits=x"), HasSubstr("=x: error E0502"));
  EXPECT_THAT(only("target=X2_1204"), HasSubstr("belongs to [GBuilder]"));
  EXPECT_THAT(only("Gbuilder.target=X2_1204"),
              HasSubstr("unknown section [Gbuilder]"));
  EXPECT_THAT(only("dataloader_workers=8"), HasSubstr("note N0504"));
  EXPECT_THAT(only("remain_shift=8"),
              HasSubstr("--set remain_shift=8: warning W0508"));
  Parsed twice = parseWith(file, {"weight_bits=4", "weight_bits=8"});
  ASSERT_EQ(twice.diags.size(), 1u);
  EXPECT_THAT(twice.diags[0], HasSubstr("given twice"));
}

TEST(ConfigSetting, FindsTheSectionByAnyName) {
  for (const char *section : {"[Common]", "[AutoQuantizationTool]"}) {
    Parsed result = parseWith(std::string(section) + "\ngraph = a.txt\n",
                              {"weight_bits=4"});
    ASSERT_TRUE(result.config) << ::testing::PrintToString(result.diags);
    EXPECT_EQ(result.config->weightBits.global, 4) << section;
    EXPECT_EQ(result.config->graph, "dir/a.txt") << section;
  }
  EXPECT_FALSE(parseSetting("weight_bits"));
  EXPECT_FALSE(parseSetting("=4"));
}
