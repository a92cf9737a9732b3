//===- Vector.cpp - What the vector parts of the model share --------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "test/unit/simulator_tec/suite/Vector.h"

using namespace yarrow::reference;

VType::VType(uint32_t vtype) {
  unsigned vlmul = vtype & 7, vsew = vtype >> 3 & 7;
  isLegal = vtype >> 8 == 0 && vlmul != 4 && vsew < 4;
  if (!isLegal)
    return;
  sew = 8 << vsew;
  lmulLog2 = vlmul < 4 ? int(vlmul) : int(vlmul) - 8;
  // LMUL >= SEW / ELEN (V 3.4.2).
  if (lmulLog2 < 0 && sew > kElenBits >> -lmulLog2)
    isLegal = false;
}

Group yarrow::reference::groupOf(const VType &type, unsigned reg, int eew) {
  // EMUL = EEW / SEW * LMUL.
  int emulLog2 = type.lmulLog2;
  for (int width = type.sew; width < eew; width *= 2)
    ++emulLog2;
  for (int width = type.sew; width > eew; width /= 2)
    --emulLog2;
  return {reg, eew, emulLog2};
}

bool yarrow::reference::mayOverlap(const Group &destination,
                                   const Group &source) {
  if (!overlaps(destination, source) || destination.eew == source.eew)
    return true;
  if (destination.eew < source.eew) // the lowest-numbered part of the source
    return destination.reg == source.reg &&
           destination.registers() <= source.registers();
  // The highest-numbered part of the destination, if the source has EMUL >= 1.
  return source.emulLog2 >= 0 && source.end() == destination.end();
}

uint64_t yarrow::reference::getElement(const State &s, unsigned reg, unsigned k,
                                       int eew) {
  uint64_t value = 0;
  std::memcpy(&value, s.v + reg * 32 + k * unsigned(eew) / 8,
              unsigned(eew) / 8);
  return value;
}
void yarrow::reference::setElement(State &s, unsigned reg, unsigned k, int eew,
                                   uint64_t value) {
  std::memcpy(s.v + reg * 32 + k * unsigned(eew) / 8, &value,
              unsigned(eew) / 8);
}

uint64_t yarrow::reference::scalarElement(const State &s, Word w, Source source,
                                          int bits) {
  uint64_t value = 0;
  switch (source) {
  case Source::X:
    value = uint64_t(signExtend(s.x[w.rs1()], 32));
    break;
  case Source::Imm:
    value = uint64_t(signExtend(w.rs1(), 5));
    break;
  case Source::Uimm:
    value = w.rs1();
    break;
  case Source::F:
    value = s.f[w.rs1()];
    if (bits == 32 && value >> 32 != 0xffffffff)
      value = kSingle.nan();
    break;
  default:
    break;
  }
  return lowBits(value, unsigned(bits));
}

Result yarrow::reference::runElements(State &s, Word w, const Operation &op,
                                      Source source) {
  VType type(s.vtype);
  if (!type.isLegal || !(op.sews & type.sew) || (op.isFloat && s.frm > 4))
    return illegal();
  int dBits = op.toMask ? 1 : type.sew * op.resultFactor;
  int aBits = type.sew * op.aFactor / op.aDivisor;
  int bBits = type.sew * op.bFactor;
  Group d = op.toMask ? maskOf(w.rd()) : groupOf(type, w.rd(), dBits);
  Group a = groupOf(type, w.rs2(), aBits), b = groupOf(type, w.rs1(), bBits);
  bool masked = !w.vm() && !op.takesCarry;
  if (!d.isLegal() || (op.usesA && (!a.isLegal() || !mayOverlap(d, a))))
    return illegal();
  if (source == Source::V && (!b.isLegal() || !mayOverlap(d, b)))
    return illegal();
  // What is written under a mask, or with v0 as an operand, is not v0 itself
  // unless it is a mask (V 5.3, 11.4).
  if (!w.vm() && !op.toMask && d.reg == 0)
    return illegal();

  Rounding r{Mode(s.frm)};
  State before = s;
  for (unsigned k = s.vstart; k < s.vl; ++k) {
    if (masked && !maskBit(before, 0, k))
      continue;
    Lane lane{.aBits = aBits, .bBits = bBits, .dBits = dBits, .s = s, .r = r};
    if (op.usesA)
      lane.a = getElement(before, w.rs2(), k, aBits);
    lane.b = source == Source::V ? getElement(before, w.rs1(), k, bBits)
                                 : scalarElement(s, w, source, bBits);
    if (!op.toMask)
      lane.d = getElement(before, w.rd(), k, dBits);
    lane.carry = op.takesCarry && !w.vm() && maskBit(before, 0, k);
    uint64_t result = op.compute(lane);
    if (op.toMask)
      setMaskBit(s, w.rd(), k, result & 1);
    else
      setElement(s, w.rd(), k, dBits, result);
  }
  s.fflags |= r.flags;
  return vectorNext(s);
}

void yarrow::reference::addOperation(
    SemanticsTable &table, const std::string &base,
    std::initializer_list<const char *> suffixes, const Operation &op) {
  for (std::string suffix : suffixes) {
    // vv, wx, vim, ... ; "u" stands for an unsigned immediate, written i.
    Source source = Source::None;
    std::string spelled = suffix;
    for (char &c : spelled) {
      source = c == 'x'   ? Source::X
               : c == 'i' ? Source::Imm
               : c == 'u' ? Source::Uimm
               : c == 'f' ? Source::F
                          : source;
      c = c == 'u' ? 'i' : c;
    }
    if (source == Source::None && suffix.size() >= 2)
      source = Source::V;
    table[base + "." + spelled] = [op, source](State &s, uint32_t bits) {
      return runElements(s, Word{bits}, op, source);
    };
  }
}
