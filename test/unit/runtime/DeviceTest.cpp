//===- DeviceTest.cpp - Sessions on devices of other kinds ----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A device that writes down what it is asked, and fails where a test wants it
// to. What executes is the simulator behind it, but the session knows neither.
//
//===----------------------------------------------------------------------===//
#include "runtime/Device.h"
#include "isa/DriverInterface.h"
#include "runtime/SimulatedDevice.h"
#include "support/diagnostics/Executables.h"
#include "support/diagnostics/Simulator.h"
#include "test/unit/runtime/SmallExecutable.h"
#include <cstring>
#include <gmock/gmock.h>
#include <numeric>

using namespace yarrow;
using namespace yarrow::runtime;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

namespace {

/// What is asked of it, and what it refuses.
struct Journal {
  std::vector<std::string> calls;
  uint64_t allocatedBytes = 0, writtenBytes = 0;
  uint64_t memoryBytes = UINT64_MAX; ///< Allocations beyond it fail.
  unsigned writesUntilLost = UINT_MAX;
  bool failsToRun = false, isLost = false;

  void note(const std::string &call) {
    if (calls.empty() || calls.back() != call)
      calls.push_back(call);
  }
};

class JournalDevice final : public Device {
public:
  JournalDevice(std::unique_ptr<Device> device, Journal &journal)
      : inner(std::move(device)), journal(journal) {}

  const isa::Machine &machine() const override { return inner->machine(); }
  std::optional<uint32_t> allocate(uint64_t sizeBytes) override {
    journal.note("allocate");
    journal.allocatedBytes += sizeBytes;
    if (journal.allocatedBytes > journal.memoryBytes)
      return std::nullopt;
    return inner->allocate(sizeBytes);
  }
  bool write(uint32_t address, std::span<const std::byte> bytes) override {
    journal.note("write");
    journal.writtenBytes += bytes.size();
    if (journal.writesUntilLost == 0)
      return false;
    --journal.writesUntilLost;
    return inner->write(address, bytes);
  }
  std::span<const std::byte> read(uint32_t address,
                                  uint64_t sizeBytes) const override {
    journal.note("read");
    if (journal.isLost)
      return {};
    return inner->read(address, sizeBytes);
  }
  void submit(uint32_t address, uint32_t numBlocks) override {
    journal.note("submit");
    if (!journal.failsToRun)
      inner->submit(address, numBlocks);
  }
  const DeviceFault *wait() override {
    journal.note("wait");
    if (!journal.failsToRun)
      return inner->wait();
    fault.text = "the link to the device is down";
    fault.site.cause = sim::FaultSite::Device;
    return &fault;
  }
  DeviceCounters counters() const override {
    return {4711, inner->counters().instructions};
  }
  void countCycles(bool) override {}
  bool observe(sim::ExecutionObserver *) override { return false; }

private:
  std::unique_ptr<Device> inner;
  Journal &journal;
  DeviceFault fault;
};

/// A device of plain bytes that executes nothing: it shows what is loaded.
class MemoryDevice final : public Device {
public:
  explicit MemoryDevice(const isa::Machine &machine) : chip(machine) {}

  const isa::Machine &machine() const override { return chip; }
  std::optional<uint32_t> allocate(uint64_t sizeBytes) override {
    auto address = uint32_t(memory.size());
    uint64_t pages = std::max<uint64_t>(1, (sizeBytes + isa::kPageBytes - 1) /
                                               isa::kPageBytes);
    memory.resize(memory.size() + pages * isa::kPageBytes);
    return address;
  }
  bool write(uint32_t address, std::span<const std::byte> bytes) override {
    if (address + bytes.size() > memory.size())
      return false;
    std::copy(bytes.begin(), bytes.end(), memory.begin() + address);
    return true;
  }
  std::span<const std::byte> read(uint32_t address,
                                  uint64_t sizeBytes) const override {
    return std::span(memory).subspan(address, sizeBytes);
  }
  void submit(uint32_t address, uint32_t) override { submitted = address; }
  const DeviceFault *wait() override { return nullptr; }
  DeviceCounters counters() const override { return {}; }
  void countCycles(bool) override {}
  bool observe(sim::ExecutionObserver *) override { return false; }

  template <typename T> T at(uint32_t address) const {
    T value;
    std::memcpy(&value, &memory[address], sizeof value);
    return value;
  }
  uint32_t submitted = 0;

private:
  isa::Machine chip;
  std::vector<std::byte> memory;
};

class DeviceInterface : public ::testing::Test {
protected:
  void SetUp() override {
    model = Executable::parse(bytes, "small.bin", diags);
    ASSERT_TRUE(model);
  }
  std::unique_ptr<Session> open() { return open(diags); }
  std::unique_ptr<Session> open(DiagnosticEngine &into) {
    return Session::create(
        model,
        std::make_unique<JournalDevice>(
            SimulatedDevice::create(model->machine()), journal),
        into);
  }
  static std::vector<std::byte> input() {
    std::vector<std::byte> values(SmallExecutable::kInputBytes);
    for (size_t i = 0; i < values.size(); ++i)
      values[i] = std::byte(i * 3);
    return values;
  }
  std::string problems() const {
    std::ostringstream os;
    diags.print(os);
    return os.str();
  }

  DiagnosticEngine diags;
  std::string bytes = SmallExecutable().build();
  std::shared_ptr<const Executable> model;
  Journal journal;
};
} // namespace

TEST_F(DeviceInterface, IsAllThatASessionUses) {
  auto session = open();
  ASSERT_TRUE(session) << problems();
  EXPECT_THAT(journal.calls, ElementsAre("allocate", "write"));
  // Text, constants, parameters, descriptors and control blocks at least.
  uint64_t blocks = (1 + model->machine().tecs) * isa::kTcbBytes;
  EXPECT_GE(journal.writtenBytes, model->text().size() +
                                      model->rodata().size() +
                                      model->descriptors().size() + blocks);
  journal.calls.clear();
  ASSERT_TRUE(session->setInput(0, input(), diags));
  ASSERT_TRUE(session->run(diags)) << problems();
  std::vector<std::byte> expected = input();
  for (char c : SmallExecutable::constants())
    expected.push_back(std::byte(c));
  EXPECT_TRUE(std::ranges::equal(session->output(0), expected));
  EXPECT_THAT(journal.calls, ElementsAre("write", "submit", "wait", "read"));
  EXPECT_EQ(session->counters().cycles, 4711u);
  EXPECT_GT(session->counters().instructions, 0u);
}

TEST_F(DeviceInterface, WithoutMemoryThereIsNoSession) {
  journal.memoryBytes = 3 * isa::kPageBytes;
  EXPECT_FALSE(open());
  ASSERT_EQ(diags.all().size(), 1u);
  EXPECT_EQ(diags.all()[0].id, diag::ExecutableMalformed);
  EXPECT_THAT(problems(), HasSubstr("3 GiB of memory"));
  EXPECT_EQ(journal.writtenBytes, 0u);
}

TEST_F(DeviceInterface, ADeviceThatIsLostWhileLoadingIsReported) {
  // One after the other, every write fails, until there is none left to fail.
  unsigned writes = 0;
  for (bool isOpen = false; !isOpen && writes < 1000;) {
    DiagnosticEngine problems;
    journal.writesUntilLost = writes;
    isOpen = open(problems) != nullptr;
    if (isOpen)
      break;
    ++writes;
    ASSERT_EQ(problems.all().size(), 1u) << writes;
    EXPECT_EQ(problems.all()[0].id, diag::SimulatorFault);
    EXPECT_THAT(problems.all()[0].str(), HasSubstr("did not take the program"));
  }
  // Program, constants, parameters, descriptors, the link to them, blocks.
  EXPECT_EQ(writes, 6u);
  EXPECT_LT(writes, 1000u);
}

TEST_F(DeviceInterface, ADeviceThatTakesNoInputIsReported) {
  auto session = open();
  ASSERT_TRUE(session);
  ASSERT_TRUE(session->setInput(0, input(), diags));
  journal.writesUntilLost = 0;
  EXPECT_FALSE(session->run(diags));
  ASSERT_EQ(diags.all().size(), 1u);
  EXPECT_EQ(diags.all()[0].id, diag::SimulatorFault);
  EXPECT_FALSE(session->hasOutputs());
  EXPECT_THAT(journal.calls, ::testing::Not(::testing::Contains("submit")));
  // It comes back.
  journal.writesUntilLost = UINT_MAX;
  EXPECT_TRUE(session->run(diags));
}

TEST_F(DeviceInterface, ADeviceThatFailsToRunIsReported) {
  auto session = open();
  ASSERT_TRUE(session);
  ASSERT_TRUE(session->setInput(0, input(), diags));
  journal.failsToRun = true;
  EXPECT_FALSE(session->run(diags));
  ASSERT_EQ(diags.all().size(), 1u);
  EXPECT_EQ(diags.all()[0].id, diag::SimulatorFault);
  EXPECT_THAT(problems(), HasSubstr("the link to the device is down"));
  EXPECT_FALSE(session->hasOutputs());
  EXPECT_FALSE(session->isStopped());
}

TEST_F(DeviceInterface, AnOutputOfALostDeviceIsEmpty) {
  auto session = open();
  ASSERT_TRUE(session->setInput(0, input(), diags));
  ASSERT_TRUE(session->run(diags));
  journal.isLost = true;
  EXPECT_TRUE(session->output(0).empty());
}

// A second implementation that has nothing of the simulator.
TEST_F(DeviceInterface, TheChainIsTheDrivers) {
  auto owned = std::make_unique<MemoryDevice>(model->machine());
  MemoryDevice &device = *owned;
  auto session = Session::create(model, std::move(owned), diags);
  ASSERT_TRUE(session) << problems();
  ASSERT_TRUE(session->setInput(0, input(), diags));
  ASSERT_TRUE(session->run(diags));
  auto init = device.at<isa::InitControlBlock>(device.submitted);
  EXPECT_EQ(init.flags & isa::kBlockKindMask, 0u);
  uint32_t address = init.next, tasks = 0;
  for (; address != 0; ++tasks) {
    auto task = device.at<isa::TaskControlBlock>(address);
    EXPECT_EQ(task.flags & isa::kBlockKindMask, isa::kTaskBlock);
    EXPECT_EQ(task.taskId, tasks);
    EXPECT_EQ(task.groupDim[0], model->machine().tecs);
    EXPECT_EQ(task.ownAddress, address);
    EXPECT_EQ(device.at<uint32_t>(task.parameters), isa::kParameterMagic);
    EXPECT_EQ(std::memcmp(device.read(task.startPc, 4).data(),
                          model->text().data() + isa::kTextHeaderBytes, 4),
              0);
    address = task.next;
  }
  EXPECT_EQ(tasks, model->machine().tecs);
}
