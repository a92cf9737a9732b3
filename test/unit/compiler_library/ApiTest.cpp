//===- ApiTest.cpp - The C interface of the compiler ----------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "test/unit/compiler_library/Digits.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <set>
#include <thread>
#include <vector>

namespace {

/// What an input of bytes stores of the first image.
std::vector<unsigned char> storedImage(const yarrow_tensor &input) {
  constexpr std::size_t kHeader = 128;
  std::string images = content("heldout.npy");
  std::vector<unsigned char> stored(input.size_bytes);
  for (std::size_t i = 0; i < stored.size(); ++i) {
    float pixel = 0;
    std::memcpy(&pixel, images.data() + kHeader + i * sizeof pixel,
                sizeof pixel);
    stored[i] = static_cast<unsigned char>(std::lround(pixel * input.scale) -
                                           input.zero_point);
  }
  return stored;
}

/// The class of the first image, by an executable.
int classOf(const yarrow_executable *executable) {
  yarrow_tensor input;
  EXPECT_EQ(yarrow_input(executable, 0, &input), YARROW_OK);
  std::vector<unsigned char> image = storedImage(input);
  std::vector<signed char> scores(10);
  yarrow_session *session = nullptr;
  EXPECT_EQ(yarrow_create_session(executable, nullptr, &session), YARROW_OK);
  EXPECT_EQ(yarrow_set_input(session, 0, image.data(), image.size()),
            YARROW_OK);
  EXPECT_EQ(yarrow_run(session), YARROW_OK);
  EXPECT_EQ(yarrow_get_output(session, 0, scores.data(), scores.size()),
            YARROW_OK);
  yarrow_close_session(session);
  return int(std::max_element(scores.begin(), scores.end()) - scores.begin());
}

TEST(CompilerApi, FromBytesToScores) {
  Handles handles;
  ASSERT_EQ(handles.open(), YARROW_OK) << handles.text();
  EXPECT_STREQ(yarrow_model_name(handles.model), "digits");
  EXPECT_EQ(yarrow_model_is_quantized(handles.model), 0);
  ASSERT_EQ(yarrow_model_num_inputs(handles.model), 1u);
  ASSERT_EQ(yarrow_model_num_outputs(handles.model), 1u);
  yarrow_tensor tensor;
  ASSERT_EQ(yarrow_model_input(handles.model, 0, &tensor), YARROW_OK);
  EXPECT_EQ(tensor.type, YARROW_FLOAT32);
  EXPECT_EQ(tensor.rank, 4u);
  EXPECT_EQ(tensor.shape[1], 8);
  const char *settings[] = {"recipe=compass"};
  ASSERT_EQ(handles.quantize(settings, 1), YARROW_OK) << handles.text();
  EXPECT_EQ(yarrow_model_is_quantized(handles.integers), 1);
  ASSERT_EQ(yarrow_model_output(handles.integers, 0, &tensor), YARROW_OK);
  EXPECT_EQ(tensor.type, YARROW_INT8);
  EXPECT_GT(tensor.scale, 0);
  ASSERT_EQ(handles.compile(), YARROW_OK) << handles.text();
  EXPECT_EQ(classOf(handles.executable), 3);
}

TEST(CompilerApi, OpenedAgain) {
  Handles handles;
  ASSERT_EQ(handles.open(), YARROW_OK);
  const char *recipe = "recipe=compass";
  ASSERT_EQ(handles.quantize(&recipe, 1), YARROW_OK) << handles.text();
  const char *settings[] = {"target=Z1_0701", "winograd=auto"};
  ASSERT_EQ(handles.compile(settings, 2), YARROW_OK) << handles.text();
  std::string bytes = handles.bytes();
  yarrow_executable *copy = nullptr;
  ASSERT_EQ(yarrow_open_memory(bytes.data(), bytes.size(), &copy), YARROW_OK);
  bytes.clear();
  EXPECT_EQ(classOf(copy), 3);
  yarrow_close(copy);
}

TEST(CompilerApi, SettingsAsJson) {
  const char *texts[] = {"recipe=compass", "weight_bits=16"};
  const char *object = R"({"recipe": "compass", "weight_bits": 16})";
  std::string bytes[3];
  for (int i = 0; i < 3; ++i) {
    Handles handles;
    ASSERT_EQ(handles.open(), YARROW_OK);
    ASSERT_EQ(i < 2 ? handles.quantize(texts, std::size_t(i) + 1)
                    : handles.quantize(&object, 1),
              YARROW_OK)
        << handles.text();
    ASSERT_EQ(handles.compile(), YARROW_OK);
    bytes[i] = handles.bytes();
  }
  EXPECT_TRUE(bytes[1] == bytes[2]);
  EXPECT_FALSE(bytes[0] == bytes[1]);
}

TEST(CompilerApi, Files) {
  Handles handles;
  ASSERT_EQ(yarrow_model_open(handles.log, YARROW_DIGITS "/digits.txt", nullptr,
                              0, &handles.model),
            YARROW_OK);
  EXPECT_STREQ(yarrow_model_name(handles.model), "digits");
  yarrow_model *none = nullptr;
  EXPECT_EQ(
      yarrow_model_open(handles.log, "/proc/none.onnx", nullptr, 0, &none),
      YARROW_ERROR_FILE);
  EXPECT_EQ(none, nullptr);
  ASSERT_EQ(yarrow_log_count(handles.log), 1u);
  yarrow_message message;
  ASSERT_EQ(yarrow_log_message(handles.log, 0, &message), YARROW_OK);
  EXPECT_EQ(message.severity, YARROW_SEVERITY_ERROR);
  EXPECT_STREQ(message.code, "E0101");
  EXPECT_STREQ(message.file, "/proc/none.onnx");
  EXPECT_STREQ(message.layer, "");
  EXPECT_NE(handles.text().find("error E0101"), std::string::npos);
  yarrow_log_clear(handles.log);
  EXPECT_EQ(yarrow_log_count(handles.log), 0u);
  EXPECT_EQ(handles.text(), "");
}

/// What a listener was told.
struct Heard {
  std::set<std::string> steps;
  int answer = 0;

  static int listen(void *user, const char *step, size_t done, size_t total) {
    auto *heard = static_cast<Heard *>(user);
    heard->steps.insert(step);
    EXPECT_TRUE(total == 0 || done <= total);
    return heard->answer;
  }
};

TEST(CompilerApi, Listener) {
  Handles handles;
  ASSERT_EQ(handles.open(), YARROW_OK);
  Heard heard;
  yarrow_log_listen(handles.log, Heard::listen, &heard);
  const char *settings[] = {"recipe=compass"};
  ASSERT_EQ(handles.quantize(settings, 1), YARROW_OK);
  EXPECT_TRUE(heard.steps.contains("calibrate"));

  yarrow_model_close(handles.integers);
  handles.integers = nullptr;
  heard.answer = 1;
  EXPECT_EQ(handles.quantize(settings, 1), YARROW_ERROR_CANCELLED);
  EXPECT_EQ(handles.integers, nullptr);
  EXPECT_NE(handles.text().find("E0112"), std::string::npos);
  heard.answer = 0;
  EXPECT_EQ(handles.quantize(settings, 1), YARROW_ERROR_CANCELLED);
  yarrow_log_clear(handles.log);
  EXPECT_EQ(handles.quantize(settings, 1), YARROW_OK);
}

TEST(CompilerApi, Threads) {
  Handles handles;
  ASSERT_EQ(handles.open(), YARROW_OK);
  const char *settings[] = {"recipe=compass"};
  ASSERT_EQ(handles.quantize(settings, 1), YARROW_OK);
  ASSERT_EQ(handles.compile(), YARROW_OK);
  std::string expected = handles.bytes();
  std::vector<std::string> found(4);
  std::vector<std::thread> threads;
  for (std::string &bytes : found)
    threads.emplace_back([&] {
      Handles own;
      yarrow_compile(own.log, handles.integers, nullptr, 0, &own.executable);
      bytes = own.bytes();
    });
  for (std::thread &thread : threads)
    thread.join();
  for (const std::string &bytes : found)
    EXPECT_TRUE(bytes == expected);
}

} // namespace
