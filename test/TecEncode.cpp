//===- TecEncode.cpp - Words of TEC instructions --------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "test/TecEncode.h"

#include <cctype>
#include <string>

using namespace yarrow;
using namespace yarrow::isa::tec;
using yarrow::testing::Operands;

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

bool testing::hasOperand(InstId id, std::string_view name) {
  return ::hasOperand(formatInfo(instInfo(id).format).operands, name);
}

uint32_t testing::encode(InstId id, const Operands &o) {
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
