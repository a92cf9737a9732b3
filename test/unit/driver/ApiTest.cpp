//===- ApiTest.cpp - The functions that a driver calls --------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "test/unit/driver/CopyJob.h"

#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <sstream>

using namespace yarrow;
using namespace yarrow::driver_test;
using ::testing::HasSubstr;

namespace {

std::string logPath() {
  return ::testing::TempDir() + "/yarrow_driver_api_test.log";
}
std::string logText() {
  std::ostringstream text;
  text << std::ifstream(logPath()).rdbuf();
  return text.str();
}

class Api : public ::testing::Test {
protected:
  void SetUp() override { std::filesystem::remove(logPath()); }
  void TearDown() override { std::filesystem::remove(logPath()); }
  FakeDriver driver;
};

TEST_F(Api, ADriverThatDoesNotLookAtTheResultOfCreate) {
  Simulator none(driver, /*code=*/99, logPath());
  EXPECT_FALSE(none);
  EXPECT_THAT(logText(), HasSubstr("code 0x00000063"));
  uint32_t value = 7;
  EXPECT_EQ(api().read_register(nullptr, isa::RegBuildInfo, &value), 0);
  EXPECT_EQ(api().write_register(nullptr, isa::RegCommand, 1), 0);
  EXPECT_EQ(api().destroy(nullptr), 0);
  api().enable_profiling(nullptr, true);
  api().dump_profiling(nullptr);
  api().set_event_handler(nullptr, nullptr, nullptr);
  EXPECT_EQ(api().create(nullptr, nullptr), nullptr);
  EXPECT_EQ(api().create1(nullptr), nullptr);
  EXPECT_GT(api().version(nullptr), 0);
}

TEST_F(Api, ReportsTheTopologyOfEachTarget) {
  struct Case {
    int32_t code;
    uint32_t buildInfo, cluster;
  };
  // Version 3: one pool; version 3.2 counts from 0. Then cores and TECs.
  for (const Case &c : {Case{1, 0x10000, 0x1104}, Case{2, 0x10000, 0x1304},
                        Case{int32_t(0x80001124), 0, 0x1104},
                        Case{int32_t(0x80001222), 0, 0x1202},
                        Case{int32_t(0x80001412), 0, 0x1402}}) {
    Simulator simulator(driver, c.code);
    ASSERT_TRUE(simulator) << c.code;
    EXPECT_EQ(simulator.read(isa::RegBuildInfo), c.buildInfo);
    EXPECT_EQ(simulator.read(isa::RegClusterConfig), c.cluster);
    simulator.write(isa::RegClusterControl, 0x12345);
    EXPECT_EQ(simulator.read(isa::RegClusterControl), 0x12345u);
  }
}

TEST_F(Api, AJobBesideOneThatFaults) {
  Simulator simulator(driver, YARROW_SIM_X2_1204, logPath());
  ASSERT_TRUE(simulator);
  CopyJob right(driver, 0x100000), faulty(driver, 0x200000);
  right.create();
  faulty.create(1, /*hasInput=*/false);
  faulty.start(simulator);
  EXPECT_EQ(simulator.read(isa::RegPoolStatus),
            isa::kStatusIdle | isa::kStatusFault);
  EXPECT_TRUE(faulty.isUntouched());
  right.start(simulator);
  EXPECT_EQ(simulator.read(isa::RegPoolStatus),
            isa::kStatusIdle | isa::kStatusDone);
  EXPECT_TRUE(right.isRight());
  EXPECT_THAT(logText(), HasSubstr("job 1: error E0"));
  EXPECT_THAT(logText(), HasSubstr("YARROW_EXECUTABLES"));
  EXPECT_THAT(logText(), ::testing::Not(HasSubstr("job 2")));
}

TEST_F(Api, AppendedJobsGoOnAfterTheLastBlock) {
  Simulator simulator(driver, YARROW_SIM_X2_1204);
  CopyJob first(driver, 0x100000), second(driver, 0x200000);
  first.create();
  second.create(9);
  first.start(simulator);
  first.append(second);
  simulator.write(isa::RegCommand, isa::kCommandDispatch);
  EXPECT_TRUE(second.isRight());
}

TEST_F(Api, PoolsHaveChainsOfTheirOwn) {
  Simulator simulator(driver, YARROW_SIM_X2_1204);
  CopyJob a(driver, 0x100000), b(driver, 0x200000), c(driver, 0x300000);
  for (CopyJob *job : {&a, &b, &c})
    job->create();
  a.start(simulator, /*pool=*/0);
  b.start(simulator, /*pool=*/3);
  EXPECT_TRUE(b.isRight());
  // Pool 0 goes on where it was.
  a.append(c);
  simulator.write(isa::RegCommand, isa::kCommandDispatch);
  EXPECT_TRUE(c.isRight());
  EXPECT_EQ(simulator.read(isa::poolRegister(isa::RegPoolStatus, 3)),
            isa::kStatusIdle | isa::kStatusDone);
}

TEST_F(Api, AddressSpacesMayBeginAnywhere) {
  Simulator simulator(driver, YARROW_SIM_X2_1204);
  uint64_t space0 = uint64_t(2) << 32;
  CopyJob moved(driver, space0 + 0x100000, space0), flat(driver, 0x100000);
  moved.create(5);
  flat.create(6);
  moved.start(simulator);
  EXPECT_TRUE(moved.isRight());
  flat.start(simulator);
  EXPECT_TRUE(flat.isRight());
}

TEST_F(Api, ABufferThatIsAnotherOneNow) {
  Simulator simulator(driver, YARROW_SIM_X2_1204);
  CopyJob job(driver, 0x100000);
  for (uint8_t seed : {1, 2, 3}) {
    job.create(seed);
    job.start(simulator);
    EXPECT_TRUE(job.isRight()) << int(seed);
    job.destroy();
  }
  // Nothing is left of them.
  job.start(simulator);
  EXPECT_TRUE(simulator.read(isa::RegPoolStatus) & isa::kStatusFault);
  EXPECT_EQ(driver.numBad(), 0u);
}

TEST_F(Api, AJobThatWantsToKnowItsCycles) {
  Simulator simulator(driver, YARROW_SIM_X2_1204);
  CopyJob job(driver, 0x100000);
  job.hasProfile = true;
  job.create();
  job.start(simulator);
  EXPECT_TRUE(job.isRight());
  isa::ProfileRecord record = job.profile();
  EXPECT_EQ(std::string(record.magic, sizeof record.magic), "YPRF");
  EXPECT_EQ(record.version, 1u);
  // Two copies of 4 KiB over a bus of 32 bytes a cycle, one after the other.
  EXPECT_GT(record.cycles, 2u * CopyJob::kBytes / 32);
  EXPECT_GT(record.instructions, 0u);
  EXPECT_EQ(record.groups, 1u);
  EXPECT_EQ(record.clockMhz, 1000u);
}

TEST_F(Api, ProgramsOfAnotherInstructionSetAreRefused) {
  Simulator simulator(driver, YARROW_SIM_X2_1204, logPath());
  CopyJob job(driver, 0x100000);
  job.create();
  std::vector<std::byte> magic(16, std::byte(0x13));
  driver.write(0x100000, magic);
  job.start(simulator);
  EXPECT_THAT(logText(), HasSubstr("was not made by Yarrow"));
}

TEST_F(Api, ProfilesHaveALineForEachUnitOfAJob) {
  std::string path = ::testing::TempDir() + "/yarrow_driver_profile.csv";
  auto config = std::make_unique<yarrow_sim_config>();
  *config = {};
  config->code = YARROW_SIM_X2_1204;
  std::strcpy(config->log_path, "/dev/null");
  std::strcpy(config->perf_path, path.c_str());
  void *device = api().create(config.get(), &driver.functions());
  ASSERT_TRUE(device);
  api().enable_profiling(device, true);
  CopyJob job(driver, 0x100000);
  job.create();
  api().write_register(device, isa::RegAddressLow, uint32_t(job.chain()));
  api().write_register(device, isa::RegCommand, 1);
  api().write_register(device, isa::RegCommand, 4);
  api().dump_profiling(device);
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  EXPECT_THAT(text.str(), ::testing::StartsWith("job,core,unit,commands,"));
  EXPECT_THAT(text.str(), HasSubstr("\n1,0,DMA load,1,"));
  EXPECT_THAT(text.str(), HasSubstr("\n1,0,DMA store,1,"));
  EXPECT_THAT(text.str(), HasSubstr("\n1,,all,2,"));
  std::filesystem::remove(path);
  api().destroy(device);
}

} // namespace
