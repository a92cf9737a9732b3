//===- SettingsTest.cpp - Settings by name and text -----------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/session/Settings.h"
#include "support/diagnostics/Settings.h"

#include <gtest/gtest.h>

using namespace yarrow;
using namespace yarrow::session;

namespace {

TEST(Settings, JsonIsTheKeysOfAConfiguration) {
  DiagnosticEngine diags;
  auto keys = keysOfJson(
      R"({"weight_bits": 4, "recipe": "compass", "mean": "127.5",
          "adapt_to_functions": true, "activation_bits": "8 & <[Add]:16>"})",
      diags);
  ASSERT_TRUE(keys);
  QuantizeSettings settings;
  for (const auto &[key, value] : *keys)
    EXPECT_TRUE(setQuantize(key, value, settings, diags)) << key;
  auto config = configOf(settings, diags);
  ASSERT_TRUE(config);
  EXPECT_EQ(config->recipe, "compass");
  EXPECT_EQ(config->weightBits.global, 4);
  EXPECT_TRUE(config->adaptToFunctions.global);
  EXPECT_EQ(config->activationBits.rules.size(), 1u);
  EXPECT_EQ(config->pictureMean, "127.5");
  EXPECT_TRUE(config->isSet("Optimizer.weight_bits"));

  EXPECT_FALSE(keysOfJson("[1]", diags));
  EXPECT_FALSE(keysOfJson("{", diags));
  EXPECT_EQ(diags.numErrors(), 2u);
}

TEST(Settings, UnknownKey) {
  DiagnosticEngine diags;
  QuantizeSettings quantize;
  CompileSettings compile;
  EXPECT_FALSE(setQuantize("weight_bit", "8", quantize, diags));
  EXPECT_FALSE(setCompile("targt", "X2_1204", compile, diags));
  ASSERT_EQ(diags.numErrors(), 2u);
  EXPECT_EQ(diags.all()[0].id, diag::UsageInvalid);
  EXPECT_NE(diags.all()[0].hintText.find("weight_bits"), std::string::npos);
  EXPECT_NE(diags.all()[1].hintText.find("target"), std::string::npos);
}

TEST(Settings, Compile) {
  DiagnosticEngine diags;
  CompileSettings settings;
  const std::pair<const char *, const char *> texts[] = {
      {"target", "Z1_0701"}, {"winograd", "auto"}, {"tiling", "footprint"},
      {"optimize", "False"}, {"profile", "True"},  {"batch", "4"}};
  for (const auto &[key, value] : texts)
    EXPECT_TRUE(setCompile(key, value, settings, diags)) << key;
  auto options = optionsOf(settings, diags);
  ASSERT_TRUE(options);
  EXPECT_EQ(settings.target, "Z1_0701");
  EXPECT_TRUE(options->isFootprintWanted);
  EXPECT_TRUE(options->hasProfile);
  EXPECT_FALSE(options->optimize);
  EXPECT_EQ(options->samples, 4u);
}

TEST(Settings, WrongValues) {
  DiagnosticEngine diags;
  CompileSettings settings;
  EXPECT_FALSE(setCompile("batch", "4x", settings, diags));
  EXPECT_FALSE(setCompile("optimize", "perhaps", settings, diags));
  EXPECT_FALSE(optionsOf({.winograd = "some"}, diags));
  EXPECT_FALSE(optionsOf({.tiling = "x"}, diags));
  EXPECT_FALSE(optionsOf({.batch = 65}, diags));
  EXPECT_FALSE(optionsOf({.disabledPasses = {"fusions"}}, diags));
  EXPECT_EQ(diags.numErrors(), 6u);
  EXPECT_FALSE(configOf({.recipe = "autos"}, diags));
  EXPECT_FALSE(configOf({.keys = {{"weight_bits", "99"}}}, diags));
  EXPECT_FALSE(configOf({.target = "X9_9999"}, diags));
  EXPECT_EQ(diags.numErrors(), 9u);
}

} // namespace
