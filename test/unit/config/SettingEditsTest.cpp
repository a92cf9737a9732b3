//===- SettingEditsTest.cpp - Settings of a configuration, changed --------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/config/SettingEdits.h"

#include <gtest/gtest.h>

using namespace yarrow;

namespace {

TEST(SettingEdits, RulesStandBeforeThoseGiven) {
  Settings given = {{"weight_bits", "8 & <[(2,9)]:16> <[Softmax]:16>"}};
  EXPECT_EQ(withRule(given, "weight_bits", {3, 4, 7}, "4"),
            "8 & <[(3,4),(7,7)]:4> <[(2,9)]:16> <[Softmax]:16>");
  EXPECT_EQ(withRule({}, "weight_bits", {0}, "4"), "8 & <[(0,0)]:4>");
  EXPECT_EQ(withGlobal(given, "weight_bits", "6"),
            "6 & <[(2,9)]:16> <[Softmax]:16>");
  EXPECT_EQ(settingOf({}, "activation_bits"), "8");
}

} // namespace
