//===- CopyJob.h - A job that copies bytes ----------------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The smallest job that uses all that a driver prepares: a program, its
// parameters, an input, an output, and a chain of control blocks of version 3.
// Its buffers lie from a base on; the program's addresses count from where
// address space 0 begins.
//
//   CopyJob job(driver, /*base=*/0x100000);
//   job.create();
//   job.start(simulator);
//   EXPECT_TRUE(job.isRight());
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_TEST_UNIT_DRIVER_COPYJOB_H
#define YARROW_TEST_UNIT_DRIVER_COPYJOB_H

#include "isa/DriverInterface.h"
#include "test/unit/driver/Simulator.h"
#include "test/unit/simulator/Program.h"

#include <gtest/gtest.h>

namespace yarrow::driver_test {

class CopyJob {
public:
  static constexpr uint32_t kBytes = 4096;
  /// How far the bases of two jobs are apart, at least.
  static constexpr uint64_t kJobBytes = 0x10000;

  CopyJob(FakeDriver &driver, uint64_t base, uint64_t space0 = 0)
      : driver(driver), base(base), space0(space0) {}

  /// Makes the buffers. With \p hasInput false the program reads where none is.
  void create(uint8_t seed = 1, bool hasInput = true) {
    if (hasProfile)
      driver.addBuffer(base + kProfile, isa::kProfileBytes);
    for (uint64_t part : {kText, kParameters, kOutput, kChain})
      driver.addBuffer(base + part, isa::kPageBytes);
    input.assign(kBytes, std::byte(0));
    for (uint32_t i = 0; i < kBytes; ++i)
      input[i] = std::byte(uint8_t(i * 7 + seed));
    if (hasInput) {
      driver.addBuffer(base + kInput, kBytes);
      driver.write(base + kInput, input);
    }
    putProgram();
    putChain();
  }
  void destroy() {
    for (uint64_t part :
         {kText, kParameters, kInput, kOutput, kChain, kProfile})
      driver.removeBuffer(base + part);
  }

  uint64_t chain() const { return base + kChain; }
  /// Registers as the driver writes them.
  void start(const Simulator &simulator, uint32_t pool = 0) const {
    simulator.write(isa::RegAddressHigh, uint32_t(chain() >> 32));
    simulator.write(isa::RegAddressLow, uint32_t(chain()));
    simulator.write(isa::RegCommand, pool << 16 | isa::kCommandCreate);
    simulator.write(isa::RegCommand, isa::kCommandDispatch);
  }
  /// Links \p next behind this job's last block.
  void append(const CopyJob &next) {
    auto link = uint32_t(next.chain());
    put(kChain + 2 * isa::kTcbBytes + offsetof(isa::TaskControlBlock, next),
        link);
  }
  /// Before create(): the job wants to know its cycles.
  bool hasProfile = false;
  isa::ProfileRecord profile() {
    isa::ProfileRecord record;
    EXPECT_TRUE(driver.read(base + kProfile,
                            std::as_writable_bytes(std::span(&record, 1))));
    return record;
  }
  bool isRight() { return output() == input; }
  bool isUntouched() {
    return output() == std::vector<std::byte>(kBytes, std::byte(0));
  }

private:
  static constexpr uint64_t kText = 0, kParameters = 0x1000, kInput = 0x2000,
                            kOutput = 0x4000, kChain = 0x6000,
                            kProfile = 0x8000;

  uint32_t seen(uint64_t part) const { return uint32_t(base + part - space0); }
  template <typename T> void put(uint64_t part, const T &value) {
    driver.write(base + part, std::as_bytes(std::span(&value, 1)));
  }

  void putProgram() {
    // Through SRAM, as copies of one direction do.
    isa::Copy in = copyBytes(kBytes, 3, 0, 0, 0);
    isa::Copy out = copyBytes(kBytes, 0, 0, 4, 0);
    out.waits[unsigned(isa::Unit::DmaLoad)] = 1;
    std::vector<uint32_t> lists[2];
    in.encode(lists[0]);
    out.encode(lists[1]);
    constexpr uint64_t kLists[2] = {kParameters + 64, kParameters + 512};
    const uint32_t block[] = {isa::kParameterMagic,
                              5,
                              0,
                              0,
                              isa::kSramBaseAddress,
                              0,
                              0, // SRAM, none, none
                              seen(kInput),
                              seen(kOutput)};
    put(kParameters, block);
    Program p;
    p.endUnlessTask0();
    p.setBase(3, seen(kInput));
    p.setBase(4, seen(kOutput));
    for (unsigned i = 0; i < 2; ++i) {
      driver.write(base + kLists[i], std::as_bytes(std::span(lists[i])));
      p.submit(i == 0 ? isa::Unit::DmaLoad : isa::Unit::DmaStore,
               seen(kLists[i]), uint32_t(lists[i].size() * 4));
    }
    p.wait(unsigned(isa::Unit::DmaStore), 1);
    p.end();
    std::vector<uint32_t> text = p.text();
    driver.write(base + kText, std::as_bytes(std::span(text)));
  }

  void putChain() {
    isa::InitControlBlock init;
    init.next = uint32_t(chain()) + 2 * isa::kTcbBytes;
    init.spaces[0] = space0 | isa::kSpaceReadWrite;
    put(kChain, init);
    isa::TaskControlBlock task;
    task.flags |= isa::kEndsGroup | isa::kEndsGrid;
    task.startPc = seen(kText) + isa::kTextHeaderBytes;
    task.parameters = seen(kParameters);
    if (hasProfile)
      task.profileBuffer = seen(kProfile);
    put(kChain + 2 * isa::kTcbBytes, task);
  }

  std::vector<std::byte> output() {
    std::vector<std::byte> bytes(kBytes);
    EXPECT_TRUE(driver.read(base + kOutput, bytes));
    return bytes;
  }

  FakeDriver &driver;
  uint64_t base, space0;
  std::vector<std::byte> input;
};

} // namespace yarrow::driver_test

#endif // YARROW_TEST_UNIT_DRIVER_COPYJOB_H
