//===- TecFixture.h - A TEC with memory for tests ---------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//   Machine m;
//   m.loadImage(image);                         // flat, linked at kTextAddress
//   EXPECT_EQ(m.tec.run(1000), TecStop::Ended) << m.tec.fault().str();
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_TEST_UNIT_SIMULATOR_TEC_TECFIXTURE_H
#define YARROW_TEST_UNIT_SIMULATOR_TEC_TECFIXTURE_H

#include "simulator/Memory.h"
#include "simulator/tec/Tec.h"
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace yarrow::sim {

inline constexpr uint32_t kEnd = 0x0000400b; ///< npu.end

/// Remembers calls as text, and lets a counter reach a count.
struct RecordingPort : TecPort {
  std::vector<std::string> calls;
  uint32_t reached = 0;

  static std::string call(const char *name, uint32_t a, uint32_t b,
                          uint32_t c) {
    return std::string(name) + " " + std::to_string(a) + " " +
           std::to_string(b) + " " + std::to_string(c);
  }
  void submit(uint32_t engine, uint32_t address, uint32_t bytes) override {
    calls.push_back(call("submit", engine, address, bytes));
  }
  void setBase(uint32_t region, uint32_t address) override {
    calls.push_back(call("setbase", region, address, 0));
  }
  void setOrigin(uint32_t counter, uint32_t count) override {
    calls.push_back(call("setorigin", counter, count, 0));
  }
  bool wait(uint32_t counter, uint32_t count) override {
    calls.push_back(call("wait", counter, count, 0));
    return reached >= count;
  }
  void signal() override { calls.push_back("signal"); }
};

inline std::vector<uint8_t> readBytes(const char *path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

struct Machine {
  static constexpr uint32_t kTextAddress = 0x10000;
  static constexpr uint32_t kStackTop = 0x400000;
  static constexpr uint32_t kDdrBytes = 0x400000;
  static constexpr uint32_t kSramBytes = 0x40000;

  RecordingPort port;
  std::unique_ptr<Memory> memory = Memory::create(kSramBytes);
  bool grown = memory->growDdr(kDdrBytes);
  Tec tec;

  explicit Machine(TecOptions options = {}) : tec(*memory, port, options) {
    restart();
  }
  void restart() {
    tec.reset(kTextAddress);
    tec.setX(2, kStackTop);
  }
  bool loadImage(const std::vector<uint8_t> &image) {
    return memory->write(kTextAddress, image.data(), image.size());
  }
  bool load(const std::vector<uint32_t> &words) {
    return memory->write(kTextAddress, words.data(), words.size() * 4);
  }
};

} // namespace yarrow::sim

#endif // YARROW_TEST_UNIT_SIMULATOR_TEC_TECFIXTURE_H
