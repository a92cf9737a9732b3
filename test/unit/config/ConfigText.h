//===- ConfigText.h - Configurations in text --------------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A configuration from a string, with the problems that it has.
//
//   EXPECT_EQ(parseGood(withGraph("weight_bits = 4")).weightBits.global, 4);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_TEST_UNIT_CONFIG_CONFIGTEXT_H
#define YARROW_TEST_UNIT_CONFIG_CONFIGTEXT_H

#include "compiler/config/ConfigKeys.h"
#include "compiler/config/OptConfig.h"

#include <gmock/gmock.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace yarrow::config {

struct Parsed {
  std::optional<BuildConfig> config;
  std::vector<std::string> diags;
};

inline Parsed parse(std::string_view text, const ConfigOptions &options = {},
                    const std::string &path = "dir/net.cfg") {
  DiagnosticEngine engine;
  Parsed result;
  result.config = parseBuildConfig(text, path, options, engine);
  for (const Diagnostic &diag : engine.all())
    result.diags.push_back(diag.str());
  EXPECT_EQ(result.config.has_value(), !engine.hasErrors());
  return result;
}

inline BuildConfig parseGood(std::string_view text) {
  Parsed result = parse(text);
  EXPECT_TRUE(result.config) << ::testing::PrintToString(result.diags);
  return result.config.value_or(BuildConfig());
}

inline std::string onlyError(std::string_view text) {
  Parsed result = parse(text);
  EXPECT_EQ(result.diags.size(), 1u) << ::testing::PrintToString(result.diags);
  EXPECT_FALSE(result.config);
  return result.diags.empty() ? "" : result.diags[0];
}

inline std::string withGraph(const std::string &lines) {
  return "[Common]\ngraph = a.txt\n" + lines;
}

} // namespace yarrow::config

#endif // YARROW_TEST_UNIT_CONFIG_CONFIGTEXT_H
