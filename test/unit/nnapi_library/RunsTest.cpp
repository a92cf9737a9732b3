//===- RunsTest.cpp - What executions compute and tell --------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "test/unit/nnapi_library/Client.h"
#include <filesystem>
#include <map>
#include <poll.h>
#include <sys/eventfd.h>
#include <thread>
#include <unistd.h>
#include <utility>

using namespace yarrow::nnapi::test;

static constexpr const char *kNpu = "yarrow-X2_1204";
static constexpr const char *kReference = "nnapi-reference";

static ANeuralNetworksEvent *start(const Execution &execution) {
  ANeuralNetworksEvent *event = nullptr;
  EXPECT_EQ(ANeuralNetworksExecution_startCompute(execution.get(), &event),
            kGood);
  return event;
}

TEST(NnapiRun, AddsOnEveryDevice) {
  Model model = sumModel({2, 2});
  for (const char *device : {kReference, kNpu}) {
    Compilation compilation = compileFor(model, device);
    Execution execution = makeExecution(compilation);
    std::vector<float> a = {1, 2, 3, 4}, b = {10, 20, 30, -40}, y(4);
    EXPECT_EQ(setInput(execution, 0, a), kGood);
    EXPECT_EQ(setInput(execution, 1, b), kGood);
    EXPECT_EQ(setOutput(execution, 0, y), kGood);
    EXPECT_EQ(ANeuralNetworksExecution_compute(execution.get()), kGood);
    EXPECT_EQ(y, (std::vector<float>{11, 22, 33, -36})) << device;
  }
}

TEST(NnapiRun, TakesLengthsOfEachExecution) {
  Model model = reluModel({0});
  Compilation compilation = compile(model);
  for (uint32_t length : {1u, 3u, 2u}) {
    Execution execution = makeExecution(compilation);
    std::vector<float> x(length, 5.0f), y(length);
    Type type = floats({length});
    EXPECT_EQ(setInput(execution, 0, x, &type), kGood);
    EXPECT_EQ(setOutput(execution, 0, y), kGood);
    EXPECT_EQ(ANeuralNetworksExecution_compute(execution.get()), kGood);
    uint32_t rank = 0, dims[1] = {};
    EXPECT_EQ(ANeuralNetworksExecution_getOutputOperandRank(execution.get(), 0,
                                                            &rank),
              kGood);
    EXPECT_EQ(ANeuralNetworksExecution_getOutputOperandDimensions(
                  execution.get(), 0, dims),
              kGood);
    EXPECT_EQ(rank, 1u);
    EXPECT_EQ(dims[0], length);
    EXPECT_EQ(y, x);
  }
}

TEST(NnapiRun, ReportsWhatAnOutputNeeds) {
  Model model = reluModel({0});
  Compilation compilation = compile(model);
  Execution execution = makeExecution(compilation);
  std::vector<float> x = {1, 2, 3}, y = {7, 7};
  Type type = floats({3});
  EXPECT_EQ(setInput(execution, 0, x, &type), kGood);
  EXPECT_EQ(setOutput(execution, 0, y), kGood);
  EXPECT_EQ(ANeuralNetworksExecution_compute(execution.get()),
            ANEURALNETWORKS_OUTPUT_INSUFFICIENT_SIZE);
  uint32_t rank = 0, dims[1] = {};
  EXPECT_EQ(
      ANeuralNetworksExecution_getOutputOperandRank(execution.get(), 0, &rank),
      ANEURALNETWORKS_OUTPUT_INSUFFICIENT_SIZE);
  EXPECT_EQ(ANeuralNetworksExecution_getOutputOperandDimensions(execution.get(),
                                                                0, dims),
            ANEURALNETWORKS_OUTPUT_INSUFFICIENT_SIZE);
  EXPECT_EQ(rank, 1u);
  EXPECT_EQ(dims[0], 3u);
  EXPECT_EQ(y, (std::vector<float>{7, 7}));
}

TEST(NnapiRun, RefusesLengthsThatTheResultDoesNotHave) {
  Model model = reluModel({0});
  Compilation compilation = compile(model);
  Execution execution = makeExecution(compilation);
  std::vector<float> x = {1, 2, 3}, y(4);
  Type three = floats({3}), four = floats({4});
  EXPECT_EQ(setInput(execution, 0, x, &three), kGood);
  EXPECT_EQ(setOutput(execution, 0, y, &four), kGood);
  EXPECT_EQ(ANeuralNetworksExecution_compute(execution.get()), kBadData);
  uint32_t rank;
  EXPECT_EQ(
      ANeuralNetworksExecution_getOutputOperandRank(execution.get(), 0, &rank),
      kBadState)
      << "after an error";
}

TEST(NnapiRun, IsMadeAgainWithTheSameBuffers) {
  Model model = reluModel({1});
  Compilation compilation = compile(model);
  Execution execution = makeExecution(compilation);
  std::vector<float> x = {1}, y = {0};
  EXPECT_EQ(ANeuralNetworksExecution_setReusable(execution.get(), true), kGood);
  EXPECT_EQ(setInput(execution, 0, x), kGood);
  EXPECT_EQ(setOutput(execution, 0, y), kGood);
  for (float value : {1.0f, -2.0f, 3.0f}) {
    x[0] = value;
    EXPECT_EQ(ANeuralNetworksExecution_compute(execution.get()), kGood);
    EXPECT_EQ(y[0], std::max(value, 0.0f));
    ANeuralNetworksEvent *event = start(execution);
    EXPECT_EQ(ANeuralNetworksEvent_wait(event), kGood);
    EXPECT_EQ(ANeuralNetworksEvent_wait(event), kGood) << "twice";
    ANeuralNetworksEvent_free(event);
  }
}

TEST(NnapiRun, CopiesLargeValuesWhenTheModelIsFinished) {
  ModelMaker maker;
  std::vector<float> weights(64, 2.0f);
  uint32_t x = maker.operand(floats({64}));
  uint32_t w = maker.constant<float>(floats({64}), weights);
  uint32_t fuse = maker.integer(ANEURALNETWORKS_FUSED_NONE);
  uint32_t y = maker.operand(floats({64}));
  maker.operation(ANEURALNETWORKS_MUL, {x, w, fuse}, {y});
  weights.assign(64, 3.0f); // before finish: the client's buffer counts
  Model model = maker.finish({x}, {y});
  weights.assign(64, 5.0f);
  Compilation compilation = compile(model);
  Execution execution = makeExecution(compilation);
  std::vector<float> input(64, 1.0f), output(64);
  EXPECT_EQ(setInput(execution, 0, input), kGood);
  EXPECT_EQ(setOutput(execution, 0, output), kGood);
  EXPECT_EQ(ANeuralNetworksExecution_compute(execution.get()), kGood);
  EXPECT_EQ(output, std::vector<float>(64, 3.0f));
}

TEST(NnapiRun, LeavesOutputsOutThatNobodyWants) {
  Model model = reluModel({1});
  Compilation compilation = compile(model);
  Execution execution = makeExecution(compilation);
  std::vector<float> x = {1};
  EXPECT_EQ(setInput(execution, 0, x), kGood);
  EXPECT_EQ(ANeuralNetworksExecution_setOutput(execution.get(), 0, nullptr,
                                               nullptr, 0),
            kGood);
  EXPECT_EQ(ANeuralNetworksExecution_compute(execution.get()), kGood);
}

TEST(NnapiRun, LoopsAsLongAsItMay) {
  Model model = countModel();
  Compilation compilation = compile(model);
  auto count = [&](float limit, uint64_t timeout, float &result) {
    Execution execution = makeExecution(compilation);
    std::vector<float> x = {0}, last = {limit}, y = {0};
    EXPECT_EQ(ANeuralNetworksExecution_setLoopTimeout(execution.get(), timeout),
              kGood);
    EXPECT_EQ(setInput(execution, 0, x), kGood);
    EXPECT_EQ(setInput(execution, 1, last), kGood);
    EXPECT_EQ(setOutput(execution, 0, y), kGood);
    int code = ANeuralNetworksExecution_compute(execution.get());
    result = y[0];
    return code;
  };
  float result = 0;
  EXPECT_EQ(count(5, 0, result), kGood);
  EXPECT_EQ(result, 5);
  // 2^25 + 1 is no float: this one never ends.
  EXPECT_EQ(count(1e9f, 20'000'000, result),
            ANEURALNETWORKS_MISSED_DEADLINE_TRANSIENT);
  EXPECT_EQ(ANeuralNetworks_getDefaultLoopTimeout(), 2'000'000'000u);
  EXPECT_EQ(ANeuralNetworks_getMaximumLoopTimeout(), 15'000'000'000u);
}

TEST(NnapiTime, IsThatOfTheNpu) {
  Model model = sumModel({16, 16});
  uint64_t first = 0;
  for (int repeat : {0, 1}) {
    Compilation compilation = compileFor(model, kNpu);
    Execution execution = makeExecution(compilation);
    std::vector<float> a(256, 1), b(256, 2), y(256);
    EXPECT_EQ(ANeuralNetworksExecution_setMeasureTiming(execution.get(), true),
              kGood);
    EXPECT_EQ(setInput(execution, 0, a), kGood);
    EXPECT_EQ(setInput(execution, 1, b), kGood);
    EXPECT_EQ(setOutput(execution, 0, y), kGood);
    EXPECT_EQ(ANeuralNetworksExecution_compute(execution.get()), kGood);
    uint64_t hardware = 0, driver = 0, fenced = 0, none = 0;
    auto ask = [&](int32_t code, uint64_t &value) {
      return ANeuralNetworksExecution_getDuration(execution.get(), code,
                                                  &value);
    };
    EXPECT_EQ(ask(ANEURALNETWORKS_DURATION_ON_HARDWARE, hardware), kGood);
    EXPECT_EQ(ask(ANEURALNETWORKS_DURATION_IN_DRIVER, driver), kGood);
    EXPECT_EQ(ask(ANEURALNETWORKS_FENCED_DURATION_ON_HARDWARE, fenced), kGood);
    EXPECT_EQ(ask(4, none), kBadData);
    EXPECT_EQ(ask(-1, none), kBadData);
    EXPECT_GT(hardware, 0u);
    EXPECT_GE(driver, hardware) << "which is a part of it";
    EXPECT_NE(driver, UINT64_MAX);
    EXPECT_EQ(fenced, UINT64_MAX) << "it had no fences";
    if (repeat)
      EXPECT_EQ(hardware, first) << "cycles are the same in every run";
    first = hardware;
  }
}

TEST(NnapiTime, OfTheReferenceIsTheHosts) {
  Model model = reluModel({2});
  Compilation compilation = compileFor(model, kReference);
  Execution execution = makeExecution(compilation);
  std::vector<float> x = {-1, 2}, y(2);
  EXPECT_EQ(ANeuralNetworksExecution_setMeasureTiming(execution.get(), true),
            kGood);
  EXPECT_EQ(setInput(execution, 0, x), kGood);
  EXPECT_EQ(setOutput(execution, 0, y), kGood);
  ANeuralNetworksEvent *made = nullptr;
  EXPECT_EQ(ANeuralNetworksExecution_startComputeWithDependencies(
                execution.get(), nullptr, 0, 0, &made),
            kGood);
  Event event(made);
  EXPECT_EQ(ANeuralNetworksEvent_wait(event.get()), kGood);
  uint64_t hardware = 0, driver = 0;
  EXPECT_EQ(
      ANeuralNetworksExecution_getDuration(
          execution.get(), ANEURALNETWORKS_DURATION_ON_HARDWARE, &hardware),
      kGood);
  EXPECT_EQ(
      ANeuralNetworksExecution_getDuration(
          execution.get(), ANEURALNETWORKS_FENCED_DURATION_IN_DRIVER, &driver),
      kGood);
  EXPECT_EQ(hardware, UINT64_MAX);
  EXPECT_NE(driver, UINT64_MAX);
}

TEST(NnapiTime, IsForOneNamedDevice) {
  Model model = reluModel({1});
  Compilation compilation = compile(model);
  Execution execution = makeExecution(compilation);
  EXPECT_EQ(ANeuralNetworksExecution_setMeasureTiming(execution.get(), true),
            kBadData);
  EXPECT_EQ(ANeuralNetworksExecution_setTimeout(execution.get(), 1), kBadData);
  ANeuralNetworksCompilation *made = nullptr;
  EXPECT_EQ(ANeuralNetworksCompilation_create(model.get(), &made), kGood);
  EXPECT_EQ(ANeuralNetworksCompilation_setTimeout(made, 1), kBadData);
  ANeuralNetworksCompilation_free(made);
  std::vector<float> x = {1}, y = {0};
  EXPECT_EQ(setInput(execution, 0, x), kGood);
  EXPECT_EQ(setOutput(execution, 0, y), kGood);
  ANeuralNetworksEvent *event = nullptr;
  EXPECT_EQ(ANeuralNetworksExecution_startComputeWithDependencies(
                execution.get(), nullptr, 0, 1000, &event),
            kBadData);
  EXPECT_EQ(event, nullptr);
}

TEST(NnapiCompilation, NamesDevicesOnce) {
  Model model = reluModel({1});
  const ANeuralNetworksDevice *device = deviceNamed(kReference);
  const ANeuralNetworksDevice *twice[] = {device, device},
                              *withNull[] = {device, nullptr},
                              *two[] = {deviceNamed(kNpu), device};
  ANeuralNetworksCompilation *made = nullptr;
  auto create = [&](const ANeuralNetworksDevice *const *devices,
                    uint32_t count) {
    int result = ANeuralNetworksCompilation_createForDevices(
        model.get(), devices, count, &made);
    EXPECT_TRUE(result == kNull || (made != nullptr) == (result == kGood));
    ANeuralNetworksCompilation_free(made);
    made = nullptr;
    return result;
  };
  EXPECT_EQ(create(twice, 2), kBadData);
  EXPECT_EQ(create(withNull, 2), kNull);
  EXPECT_EQ(create(nullptr, 1), kNull);
  EXPECT_EQ(create(two, 0), kBadData);
  EXPECT_EQ(create(two, 2), kGood);
  EXPECT_EQ(ANeuralNetworksCompilation_create(model.get(), nullptr), kNull);
  EXPECT_EQ(ANeuralNetworksCompilation_create(nullptr, &made), kNull);
  EXPECT_EQ(ANeuralNetworksCompilation_finish(nullptr), kNull);
  EXPECT_EQ(ANeuralNetworksCompilation_setCaching(nullptr, "", nullptr), kNull);
}

TEST(NnapiCompilation, IsKeptInAFolder) {
  char folder[] = "/tmp/yarrow-nnapi-XXXXXX";
  ASSERT_TRUE(mkdtemp(folder));
  uint8_t token[ANEURALNETWORKS_BYTE_SIZE_OF_CACHE_TOKEN] = {0xab, 0x01};
  Model model = sumModel({8, 8});
  const ANeuralNetworksDevice *device = deviceNamed(kNpu);
  std::map<std::string, std::filesystem::file_time_type> written;
  for (int round : {0, 1, 2}) {
    ANeuralNetworksCompilation *made = nullptr;
    ASSERT_EQ(ANeuralNetworksCompilation_createForDevices(model.get(), &device,
                                                          1, &made),
              kGood);
    Compilation compilation(made);
    EXPECT_EQ(ANeuralNetworksCompilation_setCaching(made, folder, token),
              kGood);
    ASSERT_EQ(ANeuralNetworksCompilation_finish(made), kGood);
    std::vector<float> a(64, 1), b(64, 2), y(64);
    Execution execution = makeExecution(compilation);
    EXPECT_EQ(setInput(execution, 0, a), kGood);
    EXPECT_EQ(setInput(execution, 1, b), kGood);
    EXPECT_EQ(setOutput(execution, 0, y), kGood);
    EXPECT_EQ(ANeuralNetworksExecution_compute(execution.get()), kGood);
    EXPECT_EQ(y, std::vector<float>(64, 3.0f));
    std::string kept =
        std::string(folder) + "/ab01" + std::string(60, '0') + ".yarrow";
    ASSERT_TRUE(std::filesystem::is_directory(kept));
    auto before = std::exchange(written, {});
    for (const auto &entry : std::filesystem::directory_iterator(kept)) {
      written[entry.path().string()] = entry.last_write_time();
      if (round == 1) // the last round finds them damaged
        std::filesystem::resize_file(entry.path(), 3);
    }
    EXPECT_FALSE(written.empty());
    if (round == 1)
      EXPECT_EQ(written, before) << "what is found is not made again";
    if (round == 2)
      EXPECT_EQ(written.size(), before.size());
  }
  std::filesystem::remove_all(folder);
}

TEST(NnapiCompilation, DoesWithoutAFolderThatIsNotThere) {
  uint8_t token[ANEURALNETWORKS_BYTE_SIZE_OF_CACHE_TOKEN] = {};
  Model model = reluModel({1});
  ANeuralNetworksCompilation *made = nullptr;
  ASSERT_EQ(ANeuralNetworksCompilation_create(model.get(), &made), kGood);
  EXPECT_EQ(
      ANeuralNetworksCompilation_setCaching(made, "/nowhere/at/all", token),
      kGood);
  EXPECT_EQ(ANeuralNetworksCompilation_finish(made), kGood);
  ANeuralNetworksCompilation_free(made);
}

TEST(NnapiEvent, WaitsForItsDependencies) {
  Model model = reluModel({2});
  Compilation compilation = compile(model);
  std::vector<float> x = {-1, 2}, between(2), y(2);
  Execution first = makeExecution(compilation),
            second = makeExecution(compilation);
  EXPECT_EQ(setInput(first, 0, x), kGood);
  EXPECT_EQ(setOutput(first, 0, between), kGood);
  EXPECT_EQ(setInput(second, 0, between), kGood);
  EXPECT_EQ(setOutput(second, 0, y), kGood);
  int fence = eventfd(0, EFD_CLOEXEC);
  ANeuralNetworksEvent *made = nullptr;
  ASSERT_EQ(ANeuralNetworksEvent_createFromSyncFenceFd(fence, &made), kGood);
  Event fenceEvent(made);
  const ANeuralNetworksEvent *list[] = {made};
  ASSERT_EQ(ANeuralNetworksExecution_startComputeWithDependencies(
                first.get(), list, 1, 0, &made),
            kGood);
  Event firstDone(made);
  list[0] = made;
  ASSERT_EQ(ANeuralNetworksExecution_startComputeWithDependencies(
                second.get(), list, 1, 0, &made),
            kGood);
  Event secondDone(made);
  // Both have begun, neither can have run.
  EXPECT_EQ(ANeuralNetworksExecution_compute(first.get()), kBadState);
  EXPECT_EQ(between, (std::vector<float>{0, 0}));
  uint64_t one = 1;
  ASSERT_EQ(write(fence, &one, sizeof one), ssize_t(sizeof one));
  EXPECT_EQ(ANeuralNetworksEvent_wait(secondDone.get()), kGood);
  EXPECT_EQ(ANeuralNetworksEvent_wait(fenceEvent.get()), kGood);
  EXPECT_EQ(y, (std::vector<float>{0, 2}));
  close(fence);
}

TEST(NnapiEvent, PassesFailuresOn) {
  Model model = reluModel({2});
  Compilation compilation = compileFor(model, kReference);
  std::vector<float> x = {-1, 2}, y(2);
  Execution late = makeExecution(compilation),
            next = makeExecution(compilation);
  EXPECT_EQ(ANeuralNetworksExecution_setTimeout(late.get(), 1), kGood);
  for (Execution *execution : {&late, &next}) {
    EXPECT_EQ(setInput(*execution, 0, x), kGood);
    EXPECT_EQ(setOutput(*execution, 0, y), kGood);
  }
  Event failed(start(late));
  EXPECT_EQ(ANeuralNetworksEvent_wait(failed.get()),
            ANEURALNETWORKS_MISSED_DEADLINE_TRANSIENT);
  const ANeuralNetworksEvent *list[] = {failed.get()};
  ANeuralNetworksEvent *made = nullptr;
  ASSERT_EQ(ANeuralNetworksExecution_startComputeWithDependencies(
                next.get(), list, 1, 0, &made),
            kGood);
  Event event(made);
  EXPECT_EQ(ANeuralNetworksEvent_wait(event.get()), ANEURALNETWORKS_OP_FAILED);
  uint32_t rank;
  EXPECT_EQ(ANeuralNetworksExecution_getOutputOperandRank(next.get(), 0, &rank),
            kBadState);
}

TEST(NnapiEvent, IsMadeOfADescriptor) {
  ANeuralNetworksEvent *made = nullptr;
  for (int fd : {-1, 0, 9999})
    EXPECT_EQ(ANeuralNetworksEvent_createFromSyncFenceFd(fd, &made), kBadData)
        << fd;
  EXPECT_EQ(made, nullptr);
  EXPECT_EQ(ANeuralNetworksEvent_createFromSyncFenceFd(1, nullptr), kNull);
  int fence = eventfd(1, EFD_CLOEXEC);
  ASSERT_EQ(ANeuralNetworksEvent_createFromSyncFenceFd(fence, &made), kGood);
  Event event(made);
  close(fence); // a copy was made
  EXPECT_EQ(ANeuralNetworksEvent_wait(made), kGood);
  int copy = -1;
  EXPECT_EQ(ANeuralNetworksEvent_getSyncFenceFd(made, &copy), kGood);
  EXPECT_GE(copy, 0);
  close(copy);
  EXPECT_EQ(ANeuralNetworksEvent_getSyncFenceFd(made, nullptr), kNull);
  EXPECT_EQ(ANeuralNetworksEvent_getSyncFenceFd(nullptr, &copy), kNull);
  EXPECT_EQ(copy, -1);
  EXPECT_EQ(ANeuralNetworksEvent_wait(nullptr), kNull);
  ANeuralNetworksEvent_free(nullptr);
}

TEST(NnapiEvent, OfAnExecutionHasNoDescriptor) {
  Model model = reluModel({1});
  Compilation compilation = compile(model);
  Execution execution = makeExecution(compilation);
  std::vector<float> x = {1}, y = {0};
  EXPECT_EQ(setInput(execution, 0, x), kGood);
  EXPECT_EQ(setOutput(execution, 0, y), kGood);
  Event event(start(execution));
  int fd = 5;
  EXPECT_EQ(ANeuralNetworksEvent_getSyncFenceFd(event.get(), &fd), kBadData);
  EXPECT_EQ(fd, -1);
}

TEST(NnapiBurst, IsOfOneCompilation) {
  Model model = reluModel({1});
  Compilation mine = compile(model), other = compile(model);
  ANeuralNetworksBurst *made = nullptr;
  ASSERT_EQ(ANeuralNetworksBurst_create(mine.get(), &made), kGood);
  Burst burst(made);
  std::vector<float> x = {1}, y = {0};
  for (const Compilation *compilation : {&mine, &other}) {
    Execution execution = makeExecution(*compilation);
    EXPECT_EQ(setInput(execution, 0, x), kGood);
    EXPECT_EQ(setOutput(execution, 0, y), kGood);
    EXPECT_EQ(
        ANeuralNetworksExecution_burstCompute(execution.get(), burst.get()),
        compilation == &mine ? kGood : kBadData);
  }
  EXPECT_EQ(ANeuralNetworksBurst_create(nullptr, &made), kNull);
  EXPECT_EQ(ANeuralNetworksBurst_create(mine.get(), nullptr), kNull);
  ANeuralNetworksBurst_free(nullptr);
}

TEST(NnapiSupport, IsReportedInTheClientsOrder) {
  ModelMaker maker;
  uint32_t x = maker.operand(floats({4, 4})),
           between = maker.operand(floats({4, 4})),
           y = maker.operand(floats({4, 4}));
  maker.operation(ANEURALNETWORKS_TANH, {between}, {y});
  maker.operation(ANEURALNETWORKS_RELU, {x}, {between});
  Model model = maker.finish({x}, {y});
  const ANeuralNetworksDevice *device = deviceNamed(kNpu);
  bool supported[2] = {};
  EXPECT_EQ(ANeuralNetworksModel_getSupportedOperationsForDevices(
                model.get(), &device, 1, supported),
            kGood);
  EXPECT_TRUE(supported[0]);
  EXPECT_TRUE(supported[1]);
  Model loop = countModel();
  EXPECT_EQ(ANeuralNetworksModel_getSupportedOperationsForDevices(
                loop.get(), &device, 1, supported),
            kGood);
  EXPECT_TRUE(supported[0]);
}
