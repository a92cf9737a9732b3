//===- ArgumentsTest.cpp - Arguments that are wrong -----------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "test/unit/compiler_library/Digits.h"

#include <gtest/gtest.h>

namespace {

TEST(Arguments, Null) {
  Handles handles;
  yarrow_model *model = nullptr;
  yarrow_tensor tensor;
  EXPECT_EQ(yarrow_log_create(nullptr), YARROW_ERROR_ARGUMENT);
  EXPECT_EQ(yarrow_model_open(nullptr, nullptr, nullptr, 0, &model),
            YARROW_ERROR_ARGUMENT);
  EXPECT_EQ(yarrow_model_open_memory(handles.log, nullptr, nullptr, 0, nullptr,
                                     0, nullptr, 0, &model),
            YARROW_ERROR_ARGUMENT);
  EXPECT_EQ(
      yarrow_quantize(handles.log, nullptr, nullptr, 0, nullptr, 0, &model),
      YARROW_ERROR_ARGUMENT);
  EXPECT_EQ(yarrow_compile(handles.log, nullptr, nullptr, 0, nullptr),
            YARROW_ERROR_ARGUMENT);
  EXPECT_EQ(yarrow_model_input(nullptr, 0, &tensor), YARROW_ERROR_ARGUMENT);
  EXPECT_EQ(yarrow_model_num_inputs(nullptr), 0u);
  EXPECT_STREQ(yarrow_model_name(nullptr), "");
  EXPECT_STREQ(yarrow_log_text(nullptr), "");
  yarrow_log_clear(nullptr);
  yarrow_log_cancel(nullptr);
  yarrow_log_close(nullptr);
  yarrow_model_close(nullptr);
  EXPECT_EQ(yarrow_log_count(handles.log), 3u);
}

TEST(Arguments, Settings) {
  Handles handles;
  ASSERT_EQ(handles.open(), YARROW_OK);
  for (const char *wrong : {"weight_bits", "=8", "weight_bit=8", "recipe=autos",
                            "", "{", R"({"weight_bit": 8})"}) {
    EXPECT_EQ(handles.quantize(&wrong, 1), YARROW_ERROR_ARGUMENT) << wrong;
    EXPECT_NE(handles.text().find("E0507"), std::string::npos) << wrong;
    yarrow_log_clear(handles.log);
  }
  const char *recipe = "recipe=compass", *none = nullptr;
  EXPECT_EQ(handles.quantize(&none, 1), YARROW_ERROR_ARGUMENT);
  EXPECT_EQ(handles.quantize(nullptr, 1), YARROW_ERROR_ARGUMENT);
  ASSERT_EQ(handles.quantize(&recipe, 1), YARROW_OK);
  const char *target = "target=X9_9999", *batch = "batch=0";
  EXPECT_EQ(handles.compile(&target, 1), YARROW_ERROR_TARGET);
  EXPECT_EQ(handles.compile(&batch, 1), YARROW_ERROR_ARGUMENT);
  yarrow_model *model = nullptr;
  const char *rounding = "rounding=twice";
  EXPECT_EQ(yarrow_model_open(handles.log, YARROW_DIGITS "/digits.txt",
                              &rounding, 1, &model),
            YARROW_ERROR_ARGUMENT);
}

TEST(Arguments, Arrays) {
  Handles handles;
  ASSERT_EQ(handles.open(), YARROW_OK);
  yarrow_model *model = nullptr;
  auto statusOf = [&](const yarrow_array &array) {
    return yarrow_quantize(handles.log, handles.model, &array, 1, nullptr, 0,
                           &model);
  };
  yarrow_array array = handles.samples(8);
  yarrow_array wrong = array;
  wrong.type = yarrow_type(77);
  EXPECT_EQ(statusOf(wrong), YARROW_ERROR_ARGUMENT);
  wrong = array;
  wrong.data = nullptr;
  EXPECT_EQ(statusOf(wrong), YARROW_ERROR_ARGUMENT);
  int64_t huge[] = {INT64_MAX, INT64_MAX}, flat[] = {3, 5};
  wrong = array;
  wrong.rank = 2;
  wrong.shape = huge;
  EXPECT_EQ(statusOf(wrong), YARROW_ERROR_ARGUMENT);
  wrong.shape = flat;
  EXPECT_EQ(statusOf(wrong), YARROW_ERROR_MODEL);
  wrong = array;
  wrong.name = "no_input";
  EXPECT_EQ(statusOf(wrong), YARROW_ERROR_MODEL);
  EXPECT_NE(handles.text().find("no_input"), std::string::npos);
  EXPECT_EQ(model, nullptr);
}

} // namespace
