//===- Emitter.cpp - Words of instructions, and a program being made ------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "test/differential/Emitter.h"

#include <cassert>

using namespace yarrow;
using namespace yarrow::differential;
using namespace yarrow::sim::tec;

static uint32_t immediateFields(Format format, int32_t imm) {
  uint32_t u = uint32_t(imm);
  switch (format) {
  case Format::I:
  case Format::Load:
  case Format::FLoad:
  case Format::Csr:
  case Format::CsrImm:
  case Format::Shamt:
  case Format::VSetvli:
  case Format::VSetivli:
  case Format::Fence:
    return u << 20;
  case Format::Amo:
  case Format::Lr:
    return u << 25; // aq, rl
  case Format::Store:
  case Format::FStore:
    return u >> 5 << 25 | (u & 31) << 7;
  case Format::B:
    return (u >> 12 & 1) << 31 | (u >> 5 & 63) << 25 | (u >> 1 & 15) << 8 |
           (u >> 11 & 1) << 7;
  case Format::U:
    return u & 0xfffff000;
  case Format::J:
    return (u >> 20 & 1) << 31 | (u >> 1 & 1023) << 21 | (u >> 11 & 1) << 20 |
           (u & 0xff000);
  case Format::VI:
  case Format::VU:
  case Format::VIM:
    return (u & 31) << 15;
  default:
    return 0;
  }
}

uint32_t differential::encode(InstId id, const Operands &operands) {
  const InstInfo &info = instInfo(id);
  uint32_t d = operands.d << 7, s = operands.s << 15, t = operands.t << 20;
  uint32_t fields = immediateFields(info.format, operands.imm);
  switch (info.format) {
  case Format::U:
  case Format::J:
    fields |= d;
    break;
  case Format::B:
  case Format::Store:
  case Format::FStore:
    fields |= s | t;
    break;
  case Format::I:
  case Format::Load:
  case Format::FLoad:
  case Format::Shamt:
  case Format::Csr:
  case Format::CsrImm:
  case Format::VSetvli:
  case Format::VSetivli:
  case Format::Fence:
    fields |= d | s;
    break;
  case Format::VI:
  case Format::VU:
  case Format::VIM:
    fields |= d | t | operands.vm << 25;
    break;
  default:
    fields |= d | s | t;
    if (info.format >= Format::VV)
      fields |= operands.vm << 25;
    else if (info.format >= Format::FR4 && info.format <= Format::XMvToF)
      fields |= operands.rm << 12 |
                (info.format == Format::FR4 ? operands.q << 27 : 0);
  }
  return info.match | (fields & ~info.mask);
}

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
