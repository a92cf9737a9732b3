//===- EnvironmentTest.cpp - What the environment says --------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The library reads it once, so each of these is a process of its own.
//
//===----------------------------------------------------------------------===//
#include "test/unit/nnapi_library/Client.h"
#include <cstdlib>
#include <fstream>
#include <unistd.h>

using namespace yarrow::nnapi::test;

namespace {
class NnapiEnvironment : public ::testing::Test {
protected:
  void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

/// Ends the process with what creating a compilation gives for this target.
[[noreturn]] void createFor(const char *target) {
  setenv("YARROW_NNAPI_TARGET", target, 1);
  Model model = reluModel({1});
  ANeuralNetworksCompilation *made = nullptr;
  int result = ANeuralNetworksCompilation_create(model.get(), &made);
  bool isFinished = made && ANeuralNetworksCompilation_finish(made) ==
                                ANEURALNETWORKS_NO_ERROR;
  _exit(isFinished ? 100 : result);
}

/// 3.75 GiB in and out: no NPU has room for both. Nothing runs it.
Model giantModel() {
  ModelMaker maker;
  Type type = {ANEURALNETWORKS_TENSOR_QUANT8_ASYMM, {60, 8192, 8192}, 0.5f, 0};
  uint32_t x = maker.operand(type), y = maker.operand(type);
  maker.operation(ANEURALNETWORKS_RELU, {x}, {y});
  return maker.finish({x}, {y});
}

/// Ends the process with what compiling a giant for a device gives: one that is
/// named, or else the default.
[[noreturn]] void compileGiant(const char *fallback, bool isNamed) {
  setenv("YARROW_NNAPI_TARGET", "Z1_0701", 1);
  setenv("YARROW_NNAPI_FALLBACK", fallback, 1);
  setenv("YARROW_NNAPI_LOG", "stderr", 1);
  Model model = giantModel();
  const ANeuralNetworksDevice *device = deviceNamed("yarrow-Z1_0701");
  ANeuralNetworksCompilation *made = nullptr;
  isNamed ? ANeuralNetworksCompilation_createForDevices(model.get(), &device, 1,
                                                        &made)
          : ANeuralNetworksCompilation_create(model.get(), &made);
  _exit(ANeuralNetworksCompilation_finish(made));
}

[[noreturn]] void addWrongOperand(const char *log) {
  setenv("YARROW_NNAPI_LOG", log, 1);
  ModelMaker maker;
  Type type = {ANEURALNETWORKS_TENSOR_QUANT8_ASYMM, {2}, 0.5f, 256};
  ANeuralNetworksOperandType raw = type.get();
  _exit(ANeuralNetworksModel_addOperand(maker.get(), &raw));
}
} // namespace

TEST_F(NnapiEnvironment, NamesTheDefaultDevice) {
  for (const char *target : {"Z1_0701", "yarrow-Z1_0701", "nnapi-reference"})
    EXPECT_EXIT(createFor(target), ::testing::ExitedWithCode(100), "")
        << target;
}

TEST_F(NnapiEnvironment, ThatNamesNoDeviceIsReported) {
  for (const char *target : {"Z9", "/nowhere.json"})
    EXPECT_EXIT(createFor(target),
                ::testing::ExitedWithCode(ANEURALNETWORKS_UNAVAILABLE_DEVICE),
                "")
        << target;
}

TEST_F(NnapiEnvironment, AddsAMachineOfTheUsersOwn) {
  std::string path = ::testing::TempDir() + "nnapi_machine.json";
  std::ofstream(path) << R"({"name": "mine", "base": "Z1_0701"})";
  EXPECT_EXIT(
      {
        setenv("YARROW_NNAPI_TARGET", path.c_str(), 1);
        bool isThere = deviceNamed("yarrow-mine") != nullptr;
        isThere ? createFor(path.c_str()) : _exit(1);
      },
      ::testing::ExitedWithCode(100), "");
}

TEST_F(NnapiEnvironment, LetsTheEvaluatorComputeWhatTheDeviceDoesNot) {
  auto failed = ::testing::ExitedWithCode(ANEURALNETWORKS_OP_FAILED),
       good = ::testing::ExitedWithCode(ANEURALNETWORKS_NO_ERROR);
  EXPECT_EXIT(compileGiant("0", false), failed, "yarrow-Z1_0701: .*error");
  EXPECT_EXIT(compileGiant("1", false), good,
              "yarrow-Z1_0701: this part is computed by nnapi-reference");
  EXPECT_EXIT(compileGiant("1", true), failed, "") << "it was named";
}

TEST_F(NnapiEnvironment, HasReasonsReported) {
  EXPECT_EXIT(addWrongOperand("stderr"),
              ::testing::ExitedWithCode(ANEURALNETWORKS_BAD_DATA),
              "nnapi: Model_addOperand: .*zero point");
  std::string path = ::testing::TempDir() + "nnapi_log.txt";
  unlink(path.c_str());
  EXPECT_EXIT(addWrongOperand(path.c_str()),
              ::testing::ExitedWithCode(ANEURALNETWORKS_BAD_DATA), "^$");
  std::ifstream stream(path);
  std::string line;
  EXPECT_TRUE(std::getline(stream, line));
  EXPECT_NE(line.find("zero point"), std::string::npos) << line;
}
