//===- SessionTest.cpp - Running executables, reports, the C interface ----===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "runtime/Report.h"
#include "runtime/SimulatedDevice.h"
#include "runtime/Trace.h"
#include "runtime/include/yarrow/yarrow.h"
#include "support/AtomicFile.h"
#include "support/diagnostics/Files.h"
#include "support/diagnostics/Settings.h"
#include "support/diagnostics/Simulator.h"
#include "test/unit/runtime/SmallExecutable.h"
#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <thread>

using namespace yarrow;
using namespace yarrow::runtime;
using ::testing::HasSubstr;

namespace {
std::vector<std::byte> input(uint8_t first) {
  std::vector<std::byte> bytes(SmallExecutable::kInputBytes);
  for (size_t i = 0; i < bytes.size(); ++i)
    bytes[i] = std::byte(uint8_t(first + i));
  return bytes;
}
std::vector<std::byte> expected(uint8_t first) {
  std::vector<std::byte> bytes = input(first);
  for (char c : SmallExecutable::constants())
    bytes.push_back(std::byte(c));
  return bytes;
}

class SessionTest : public ::testing::Test {
protected:
  std::unique_ptr<Session> open(SimulationOptions options = {}) {
    model = Executable::parse(bytes, "small.bin", diags);
    return model ? simulatedSession(model, options, diags) : nullptr;
  }
  /// With a value for the input.
  std::unique_ptr<Session> openReady(SimulationOptions options = {}) {
    auto session = open(options);
    return session && session->setInput(0, input(0), diags) ? std::move(session)
                                                            : nullptr;
  }
  std::string problems() const {
    std::ostringstream os;
    diags.print(os);
    return os.str();
  }
  DiagnosticEngine diags;
  std::string bytes = SmallExecutable().build();
  std::shared_ptr<const Executable> model;
};
} // namespace

TEST_F(SessionTest, RunsAgainAndAgain) {
  auto session = open();
  ASSERT_TRUE(session) << problems();
  for (uint8_t first : {1, 77, 200}) {
    ASSERT_TRUE(session->setInput(0, input(first), diags));
    ASSERT_TRUE(session->run(diags)) << problems();
    EXPECT_TRUE(std::ranges::equal(session->output(0), expected(first)));
  }
}

// Four frames on three cores of another machine: each its own bytes, and less
// time than one after the other.
TEST_F(SessionTest, FramesRunSideBySide) {
  std::optional<isa::Machine> machine = isa::findTarget("X2_1204", diags);
  auto alone = open({.machine = &*machine, .timed = true});
  ASSERT_TRUE(alone) << problems();
  ASSERT_TRUE(alone->setInput(0, input(0), diags) && alone->run(diags));
  machine->cores = 3;
  auto session = open({.machine = &*machine, .timed = true, .frames = 4});
  ASSERT_TRUE(session) << problems();
  for (uint32_t frame = 0; frame < 4; ++frame) {
    EXPECT_FALSE(session->hasInputs());
    ASSERT_TRUE(session->setInput(0, input(uint8_t(40 * frame)), diags, frame));
  }
  Recorder recorder;
  session->device().observe(&recorder);
  ASSERT_TRUE(session->run(diags)) << problems();
  for (uint32_t frame = 0; frame < 4; ++frame)
    EXPECT_TRUE(std::ranges::equal(session->output(0, frame),
                                   expected(uint8_t(40 * frame))));
  EXPECT_LT(session->counters().cycles, 4 * alone->counters().cycles);
  Report report = makeReport(*model, *machine, recorder.run());
  EXPECT_EQ(report.coresUsed, 3u);
  EXPECT_EQ(report.tecBusyCycles.size(), 3u * machine->tecs);
  std::string trace = traceJson(*model, *machine, recorder.run());
  EXPECT_THAT(trace, HasSubstr("core 2"));
}

TEST_F(SessionTest, SessionsOnOneExecutableRunInParallel) {
  auto first = open();
  ASSERT_TRUE(first);
  std::vector<std::thread> threads;
  std::atomic<int> right = 0;
  for (uint8_t i = 0; i < 4; ++i)
    threads.emplace_back([&, i] {
      DiagnosticEngine problems;
      auto session = simulatedSession(model, {}, problems);
      for (int round = 0; round < 20; ++round) {
        session->setInput(0, input(i), problems);
        right += session->run(problems) &&
                 std::ranges::equal(session->output(0), expected(i));
      }
    });
  for (std::thread &t : threads)
    t.join();
  EXPECT_EQ(right, 80);
}

TEST_F(SessionTest, WrongInputsAreDiagnosed) {
  auto session = open();
  ASSERT_TRUE(session);
  EXPECT_FALSE(session->setInput(1, input(0), diags));
  EXPECT_FALSE(session->setInput(0, {}, diags));
  EXPECT_THAT(problems(), HasSubstr("256 bytes of uint8"));
}

TEST_F(SessionTest, InputsMustBeSetOnceAndStay) {
  auto session = open();
  ASSERT_TRUE(session);
  EXPECT_FALSE(session->run(diags));
  ASSERT_EQ(diags.all().size(), 1u);
  EXPECT_EQ(diags.all()[0].id, diag::TensorMismatch);
  EXPECT_THAT(problems(), HasSubstr("not set: 0 'image'"));
  EXPECT_FALSE(session->hasOutputs());
  ASSERT_TRUE(session->setInput(0, input(3), diags));
  for (int run = 0; run < 2; ++run) {
    ASSERT_TRUE(session->run(diags)) << problems();
    EXPECT_TRUE(session->hasOutputs());
    EXPECT_TRUE(std::ranges::equal(session->output(0), expected(3)));
  }
}

TEST_F(SessionTest, AFaultNamesTheLayer) {
  SmallExecutable broken;
  broken.storeRegion = 99;
  bytes = broken.build();
  auto session = openReady();
  ASSERT_TRUE(session);
  EXPECT_FALSE(session->run(diags));
  ASSERT_EQ(diags.all().size(), 1u);
  EXPECT_EQ(diags.all()[0].id, diag::SimulatorFault);
  EXPECT_EQ(diags.all()[0].place.layer, "second");
  EXPECT_EQ(diags.all()[0].place.line, 19u);
}

TEST_F(SessionTest, AMachineThatDoesNotFitIsRefused) {
  isa::Machine small = *isa::findTarget("Z1_0701", diags);
  SimulationOptions options;
  options.machine = &small;
  EXPECT_FALSE(open(options));
  EXPECT_EQ(diags.all().back().id, diag::TargetInvalid);
}

TEST_F(SessionTest, ReportsAddUp) {
  SimulationOptions options;
  options.timed = true;
  auto session = openReady(options);
  ASSERT_TRUE(session);
  Recorder recorder;
  session->device().observe(&recorder);
  ASSERT_TRUE(session->run(diags)) << problems();
  const isa::Machine &machine = session->device().machine();
  Report report = makeReport(*model, machine, recorder.run());
  EXPECT_EQ(report.cycles, session->counters().cycles);
  EXPECT_GT(report.cycles, 0u);
  uint64_t cycles = 0;
  for (const LayerReport &l : report.layers) {
    cycles += l.cycles;
    EXPECT_GE(l.spanCycles, l.boundCycles) << l.name;
  }
  EXPECT_EQ(cycles, report.cycles);
  EXPECT_EQ(report.total.cycles, report.cycles);
  EXPECT_THAT(report.text(), HasSubstr("second"));
  auto json = report.json();
  EXPECT_EQ(json["layers"][0]["name"], "first");
  EXPECT_EQ(json["total"]["cycles"], report.cycles);
}

TEST_F(SessionTest, TracesAreJsonWithOneSlicePerEvent) {
  SimulationOptions options;
  options.timed = true;
  auto session = openReady(options);
  Recorder recorder;
  session->device().observe(&recorder);
  ASSERT_TRUE(session->run(diags));
  auto json = nlohmann::json::parse(
      traceJson(*model, session->device().machine(), recorder.run()));
  unsigned slices = 0;
  for (const auto &event : json["traceEvents"])
    if (event["ph"] == "X") {
      ++slices;
      EXPECT_LE(event["ts"].get<uint64_t>() + event["dur"].get<uint64_t>(),
                session->counters().cycles);
    }
  EXPECT_EQ(slices, 4u);
  // Without events it is JSON as well.
  EXPECT_TRUE(nlohmann::json::accept(
      traceJson(*model, session->device().machine(), {})));
}

TEST_F(SessionTest, TimingDoesNotChangeResults) {
  for (bool timed : {false, true}) {
    SimulationOptions options;
    options.timed = timed;
    auto session = open(options);
    ASSERT_TRUE(session->setInput(0, input(5), diags));
    ASSERT_TRUE(session->run(diags));
    EXPECT_TRUE(std::ranges::equal(session->output(0), expected(5)));
    EXPECT_EQ(session->counters().cycles != 0, timed);
  }
}

TEST_F(SessionTest, TheCInterfaceRunsAModel) {
  auto path = std::filesystem::temp_directory_path() /
              ("yarrow-c-api-" + std::to_string(getpid()) + ".bin");
  ASSERT_TRUE(writeFile(path.string(), bytes, diags));
  yarrow_executable *executable = nullptr;
  ASSERT_EQ(yarrow_open(path.c_str(), &executable), YARROW_OK)
      << yarrow_last_error();
  std::filesystem::remove(path);
  EXPECT_EQ(yarrow_num_inputs(executable), 1u);
  EXPECT_EQ(yarrow_num_outputs(executable), 1u);
  yarrow_tensor tensor;
  ASSERT_EQ(yarrow_input(executable, 0, &tensor), YARROW_OK);
  EXPECT_STREQ(tensor.name, "image");
  EXPECT_EQ(tensor.type, YARROW_UINT8);
  EXPECT_EQ(tensor.rank, 3u);
  EXPECT_EQ(tensor.size_bytes, SmallExecutable::kInputBytes);
  EXPECT_EQ(yarrow_output(executable, 1, &tensor), YARROW_ERROR_ARGUMENT);

  yarrow_options options = YARROW_DEFAULT_OPTIONS;
  options.timed = options.trace = 1;
  yarrow_session *session = nullptr;
  ASSERT_EQ(yarrow_create_session(executable, &options, &session), YARROW_OK);
  yarrow_close(executable);
  auto in = input(9);
  std::vector<std::byte> out(SmallExecutable::kOutputBytes);
  EXPECT_EQ(yarrow_set_input(session, 0, in.data(), 1), YARROW_ERROR_ARGUMENT);
  EXPECT_THAT(yarrow_last_error(), HasSubstr("differs in size"));
  EXPECT_EQ(yarrow_run(session), YARROW_ERROR_ARGUMENT);
  EXPECT_THAT(yarrow_last_error(), HasSubstr("not set: 0 'image'"));
  EXPECT_EQ(yarrow_get_output(session, 0, out.data(), out.size()),
            YARROW_ERROR_ARGUMENT);
  EXPECT_THAT(yarrow_last_error(), HasSubstr("there is no output"));
  ASSERT_EQ(yarrow_set_input(session, 0, in.data(), in.size()), YARROW_OK);
  ASSERT_EQ(yarrow_run(session), YARROW_OK) << yarrow_last_error();
  ASSERT_EQ(yarrow_get_output(session, 0, out.data(), out.size()), YARROW_OK);
  EXPECT_EQ(out, expected(9));
  EXPECT_GT(yarrow_cycles(session), 0u);
  EXPECT_GT(yarrow_instructions(session), 0u);
  EXPECT_THAT(yarrow_report(session), HasSubstr("total"));
  auto json = nlohmann::json::parse(yarrow_report_json(session));
  EXPECT_EQ(json["schema"], "yarrow-report");
  EXPECT_EQ(json["performance"]["cycles"], yarrow_cycles(session));
  EXPECT_THAT(yarrow_trace(session), HasSubstr("traceEvents"));
  yarrow_close_session(session);
}

// What yarrow.h says of the text's lifetime.
TEST(CInterface, TheLastErrorStaysUntilTheNextOneOfTheThread) {
  yarrow_executable *executable = nullptr;
  ASSERT_EQ(yarrow_open("/does/not/exist", &executable), YARROW_ERROR_FILE);
  const char *first = yarrow_last_error();
  std::string text = first;
  EXPECT_THAT(text, HasSubstr("/does/not/exist"));
  // Neither success nor other threads touch it.
  EXPECT_EQ(yarrow_num_inputs(nullptr), 0u);
  std::thread([] {
    EXPECT_STREQ(yarrow_last_error(), "");
    EXPECT_EQ(yarrow_run(nullptr), YARROW_ERROR_ARGUMENT);
    EXPECT_THAT(yarrow_last_error(), HasSubstr("NULL"));
  }).join();
  EXPECT_EQ(yarrow_last_error(), first);
  EXPECT_EQ(first, text);
  EXPECT_EQ(yarrow_run(nullptr), YARROW_ERROR_ARGUMENT);
  EXPECT_THAT(yarrow_last_error(), HasSubstr("NULL"));
}

TEST(CInterface, NullArgumentsAreErrors) {
  EXPECT_EQ(yarrow_open(nullptr, nullptr), YARROW_ERROR_ARGUMENT);
  yarrow_executable *executable = nullptr;
  EXPECT_EQ(yarrow_open("/does/not/exist", &executable), YARROW_ERROR_FILE);
  EXPECT_EQ(executable, nullptr);
  EXPECT_EQ(yarrow_run(nullptr), YARROW_ERROR_ARGUMENT);
  EXPECT_EQ(yarrow_report(nullptr), nullptr);
  EXPECT_EQ(yarrow_cycles(nullptr), 0u);
  yarrow_close(nullptr);
  yarrow_close_session(nullptr);
}

TEST_F(SessionTest, ADeadlockNamesLayers) {
  SmallExecutable small;
  small.signalsAwaited = 2;
  bytes = small.build();
  auto session = openReady();
  ASSERT_TRUE(session) << problems();
  EXPECT_FALSE(session->run(diags));
  ASSERT_EQ(diags.numErrors(), 1u);
  EXPECT_EQ(diags.all()[0].id, diag::Deadlock);
  EXPECT_EQ(diags.all()[0].place.layer, "second");
  EXPECT_EQ(diags.all()[0].place.line, 19u);
  EXPECT_THAT(problems(), HasSubstr("TEC 0 waits for DMA store >= 1, which is "
                                    "0, at pc 0x"));
  EXPECT_THAT(problems(),
              HasSubstr("DMA store command 0 of layer 'second' at 0x"));
  EXPECT_THAT(problems(), HasSubstr("waits for TEC >= 2, which is 1"));
}

TEST_F(SessionTest, AWriteToTextNamesTheLayer) {
  SmallExecutable small;
  small.writesText = true;
  bytes = small.build();
  auto session = openReady();
  ASSERT_TRUE(session) << problems();
  EXPECT_FALSE(session->run(diags));
  ASSERT_EQ(diags.numErrors(), 1u);
  EXPECT_EQ(diags.all()[0].id, diag::MemoryFault);
  EXPECT_EQ(diags.all()[0].place.layer, "first");
  EXPECT_EQ(diags.all()[0].place.line, 7u);
  EXPECT_THAT(problems(), HasSubstr("TEC 0: a write of 4 bytes at 0x"));
  EXPECT_THAT(problems(), HasSubstr("in the program's text, which is read"));
}
