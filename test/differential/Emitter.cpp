//===- Emitter.cpp - A random program being made --------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "test/differential/Emitter.h"

#include <cassert>

using namespace yarrow;
using namespace yarrow::differential;
using namespace yarrow::isa::tec;

void Emitter::loadImmediate(unsigned reg, uint32_t value) {
  // addi adds a signed 12-bit value: the upper part is rounded.
  uint32_t upper = (value + 0x800) & 0xfffff000;
  int32_t lower = int32_t(value - upper);
  if (upper)
    emit(InstId::lui, {.d = reg, .imm = int32_t(upper)});
  if (lower || !upper)
    emit(InstId::addi, {.d = reg, .s = upper ? reg : 0, .imm = lower});
}

uint32_t Emitter::poolAddress(Values kind, uint32_t bytes, uint32_t alignment) {
  assert(bytes <= kPoolPartBytes);
  uint32_t offset =
      random.below((kPoolPartBytes - bytes) / alignment + 1) * alignment;
  return kPoolAddress + uint32_t(kind) * kPoolPartBytes + offset;
}

void Emitter::advanceLog(uint32_t bytes) {
  program.steps.back().logBytes += bytes;
  emit(InstId::addi, {.d = kLogTop, .s = kLogTop, .imm = int32_t(bytes)});
}
void Emitter::logX(unsigned reg) {
  emit(InstId::sw, {.s = kLogTop, .t = reg});
  advanceLog(4);
}
void Emitter::logF(unsigned reg) {
  emit(InstId::fsd, {.s = kLogTop, .t = reg});
  advanceLog(8);
}
void Emitter::logCsr(uint32_t number) {
  emit(InstId::csrrs, {.d = kTemp, .imm = int32_t(number)});
  logX(kTemp);
}
void Emitter::logV(unsigned first, unsigned regs) {
  bool isGroup = (regs & (regs - 1)) == 0 && first % regs == 0;
  unsigned each = isGroup ? regs : 1;
  InstId store = each == 1   ? InstId::vs1r_v
                 : each == 2 ? InstId::vs2r_v
                 : each == 4 ? InstId::vs4r_v
                             : InstId::vs8r_v;
  for (unsigned k = 0; k < regs; k += each) {
    emit(store, {.d = first + k, .s = kLogTop});
    advanceLog(each * 32);
  }
}

uint32_t Emitter::cornerInteger() {
  switch (random.below(4)) {
  case 0:
    return random.of({0u, 1u, ~0u, 2u, 0x80000000u, 0x7fffffffu, 0xffffu, 0x80u,
                      0x7fu, 0x8000u, 0x7fffu, 0xffffff80u, 0xffff8000u});
  case 1:
    return random.below(64) - 32;
  case 2:
    return 1u << random.below(32);
  default:
    return uint32_t(random.next());
  }
}
void Emitter::refreshX(unsigned reg) {
  if (reg != 0 && reg < kFreeRegs && random.oneIn(2))
    loadImmediate(reg, cornerInteger());
}
void Emitter::refreshF(unsigned reg, Values kind) {
  if (random.oneIn(2))
    return;
  loadImmediate(kTemp, poolAddress(kind, 8, 8));
  emit(InstId::fld, {.d = reg, .s = kTemp});
}
void Emitter::setRoundingMode() {
  if (random.oneIn(8))
    emit(InstId::csrrwi, {.s = random.below(5), .imm = 0x002});
}
