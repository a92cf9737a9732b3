//===- Emitter.cpp - Words of instructions, and a program being made ------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "test/differential/Emitter.h"

#include <cassert>
#include <cctype>
#include <string_view>

using namespace yarrow;
using namespace yarrow::differential;
using namespace yarrow::isa::tec;

static uint32_t immediateFields(Immediate kind, int32_t imm) {
  uint32_t u = uint32_t(imm);
  switch (kind) {
  case Immediate::None:
    return 0;
  case Immediate::I12:
  case Immediate::Csr:
  case Immediate::Sh5:
  case Immediate::Vtype11:
  case Immediate::Vtype10:
    return u << 20;
  case Immediate::S12:
    return u >> 5 << 25 | (u & 31) << 7;
  case Immediate::B13:
    return (u >> 12 & 1) << 31 | (u >> 5 & 63) << 25 | (u >> 1 & 15) << 8 |
           (u >> 11 & 1) << 7;
  case Immediate::U20:
    return u & 0xfffff000;
  case Immediate::J21:
    return (u >> 20 & 1) << 31 | (u >> 1 & 1023) << 21 | (u >> 11 & 1) << 20 |
           (u & 0xff000);
  case Immediate::Z5:
  case Immediate::V5:
    return (u & 31) << 15;
  case Immediate::Unit:
    return u << 25;
  }
  return 0;
}

/// True if \p name is one of the operands.
static bool hasOperand(std::string_view operands, std::string_view name) {
  auto isWord = [](char c) { return std::isalnum(uint8_t(c)) != 0; };
  for (size_t at = operands.find(name); at != operands.npos;
       at = operands.find(name, at + 1)) {
    size_t end = at + name.size();
    if ((at == 0 || !isWord(operands[at - 1])) &&
        (end == operands.size() || !isWord(operands[end])))
      return true;
  }
  return false;
}

bool differential::hasOperand(InstId id, std::string_view name) {
  return ::hasOperand(formatInfo(instInfo(id).format).operands, name);
}

uint32_t differential::encode(InstId id, const Operands &o) {
  const InstInfo &info = instInfo(id);
  const FormatInfo &format = formatInfo(info.format);
  uint32_t fields = immediateFields(format.immediate, o.imm);
  auto has = [&](const char *name) {
    return ::hasOperand(format.operands, name);
  };
  auto hasRegister = [&](char field) {
    for (char file : {'x', 'f', 'v'})
      if (::hasOperand(format.operands, std::string{file, field}))
        return true;
    return false;
  };
  fields |=
      (hasRegister('d') ? o.d << 7 : 0) | (hasRegister('s') ? o.s << 15 : 0) |
      (hasRegister('t') ? o.t << 20 : 0) | (hasRegister('q') ? o.q << 27 : 0) |
      (has("vm") ? o.vm << 25 : 0) | (format.hasRounding ? o.rm << 12 : 0);
  if (info.format == Format::CsrImm || info.format == Format::VSetivli)
    fields |= o.s << 15; // a number in place of a register
  if (info.format == Format::Amo || info.format == Format::Lr)
    fields |= uint32_t(o.imm) << 25; // aq, rl
  if (info.format == Format::Fence)
    fields |= uint32_t(o.imm) << 20; // pred, succ
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
