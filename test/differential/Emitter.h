//===- Emitter.h - A random program being made ------------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Appends instructions, values for their operands and entries of the log.
//
//   Emitter e(seed);
//   e.emit(InstId::addi, {.d = 5, .s = 5, .imm = -1});
//   e.loadImmediate(kTemp, 0x12345678);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_TEST_DIFFERENTIAL_EMITTER_H
#define YARROW_TEST_DIFFERENTIAL_EMITTER_H

#include "test/Random.h"
#include "test/TecEncode.h"
#include "test/differential/Program.h"

namespace yarrow::differential {

using testing::encode;
using testing::hasOperand;
using testing::Operands;

// Registers that steps do not use.
inline constexpr unsigned kTemp = 28, kCounter = 29, kTemp2 = 30, kLogTop = 31;
/// x1 to x27 are the instructions' under test.
inline constexpr unsigned kFreeRegs = 28;

class Emitter {
public:
  explicit Emitter(uint64_t seed) : random(seed) {}

  testing::Random random;
  Program program;
  bool usesVstart = false;

  void emit(InstId id, const Operands &operands) {
    program.text.push_back(encode(id, operands));
  }
  uint32_t pc() const {
    return kTextAddress + uint32_t(program.text.size()) * 4;
  }
  void loadImmediate(unsigned reg, uint32_t value);
  uint32_t poolAddress(Values kind, uint32_t bytes, uint32_t alignment);

  /// Starts a step for \p id.
  void begin(InstId id) { program.steps.push_back({id, 0, {}, pc(), 0}); }
  /// The instruction under test.
  void test(const Operands &operands) {
    Step &step = program.steps.back();
    step.word = encode(step.id, operands);
    program.text.push_back(step.word);
  }
  void setContext(std::string text) {
    program.steps.back().context = std::move(text);
  }

  void logX(unsigned reg);
  void logF(unsigned reg);
  void logCsr(uint32_t number);
  void logV(unsigned first, unsigned regs);

  unsigned freeX() { return random.below(kFreeRegs); }
  unsigned freeXButZero() { return 1 + random.below(kFreeRegs - 1); }
  uint32_t cornerInteger();
  /// Sometimes gives register \p reg a new value.
  void refreshX(unsigned reg);
  void refreshF(unsigned reg, Values kind);
  void setRoundingMode();

private:
  void advanceLog(uint32_t bytes);
};

/// One step of \p id: what it needs, itself, what it has done.
void scalarStep(Emitter &e, InstId id);
void vectorStep(Emitter &e, InstId id);

} // namespace yarrow::differential

#endif // YARROW_TEST_DIFFERENTIAL_EMITTER_H
