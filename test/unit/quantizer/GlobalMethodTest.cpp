//===- GlobalMethodTest.cpp - Methods and their parameters ----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "quantizer/options/GlobalMethod.h"

#include <gtest/gtest.h>
#include <vector>

using namespace yarrow;

TEST(GlobalMethod, OmittedParametersHaveDefaults) {
  auto method = GlobalMethod::create("adaround", std::vector<double>{3, 10});
  ASSERT_TRUE(method);
  EXPECT_EQ(method->value("batches"), 3);
  EXPECT_EQ(method->value("epochs"), 10);
  EXPECT_EQ(method->value("batch_size"), 1);
  EXPECT_EQ(method->value("lr"), 0.001);
  EXPECT_EQ(method->value("warm"), 0.2);
}

TEST(GlobalMethod, TooManyParametersAreRefused) {
  EXPECT_FALSE(
      GlobalMethod::create("bias_correction", std::vector<double>{1, 2}));
  EXPECT_FALSE(GlobalMethod::create("adaptive", {}));
}

TEST(GlobalMethod, EachRecordIsFoundByItsName) {
  for (const GlobalMethod::Record &record : GlobalMethod::records()) {
    EXPECT_EQ(GlobalMethod::find(record.name), &record);
    EXPECT_FALSE(record.listParameters().empty());
    EXPECT_TRUE(GlobalMethod::create(record.name, {}));
  }
}
