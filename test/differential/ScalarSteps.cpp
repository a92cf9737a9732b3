//===- ScalarSteps.cpp - Steps of I, M, A, F, D and Zicsr -----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "test/differential/Emitter.h"

#include <cassert>
#include <string_view>

using namespace yarrow;
using namespace yarrow::differential;
using namespace yarrow::isa::tec;

/// Up to 8 bytes of the scratch area.
static uint32_t scratchAddress(Emitter &e, uint32_t alignment) {
  return kScratchAddress +
         e.random.below((kScratchBytes - 8) / alignment) * alignment;
}
/// Mostly aligned: V and scalar accesses need not be.
static uint32_t anyAlignment(Emitter &e) { return e.random.oneIn(4) ? 1 : 8; }

/// A base register and offset for the scratch area.
static Operands scratchOperands(Emitter &e) {
  Operands o;
  o.s = e.freeXButZero();
  o.imm = int32_t(e.random.below(4096)) - 2048;
  e.loadImmediate(o.s, scratchAddress(e, anyAlignment(e)) - uint32_t(o.imm));
  return o;
}

/// Jumps forward over \p skipped instructions that leave a trace.
static void skipped(Emitter &e, unsigned count) {
  for (unsigned k = 0; k < count; ++k) {
    unsigned reg = e.freeXButZero();
    e.emit(InstId::addi, {.d = reg, .s = reg, .imm = int32_t(k + 1)});
    e.emit(InstId::sw, {.s = kLogTop, .t = reg});
  }
}

static void jumpStep(Emitter &e, InstId id, Format format) {
  unsigned count = e.random.below(4);
  Operands o{.d = e.freeX(), .s = e.freeX(), .t = e.freeX()};
  int32_t distance = int32_t(4 + 8 * count);
  if (format == Format::B) {
    e.refreshX(o.s);
    if (e.random.oneIn(4))
      o.t = o.s;
    o.imm = distance;
  } else if (format == Format::J) {
    o.imm = distance;
  } else { // jalr clears bit 0 of the address
    o.s = e.freeXButZero();
    o.imm = int32_t(e.random.below(4096)) - 2048;
    // The address depends on the length of what loads it: it is loaded in two
    // instructions always.
    uint32_t target = e.pc() + 8 + uint32_t(distance) + e.random.below(2);
    uint32_t base = target - uint32_t(o.imm);
    uint32_t upper = (base + 0x800) & 0xfffff000;
    e.emit(InstId::lui, {.d = o.s, .imm = int32_t(upper)});
    e.emit(InstId::addi, {.d = o.s, .s = o.s, .imm = int32_t(base - upper)});
  }
  e.test(o);
  skipped(e, count);
  if (format != Format::B)
    e.logX(o.d);
  e.logX(e.freeX());
}

static void atomicStep(Emitter &e, Format format) {
  Operands o{.d = e.freeX(), .s = e.freeXButZero(), .t = e.freeX()};
  o.imm = int32_t(e.random.below(4));
  // Few words, so that reservations are met again.
  uint32_t address = kScratchAddress + e.random.below(4) * 4;
  bool isStore =
      instInfo(e.program.steps.back().id).mnemonic == std::string_view("sc.w");
  bool reserves = isStore && !e.random.oneIn(4);
  if (format == Format::Amo)
    e.refreshX(o.t);
  e.loadImmediate(o.s, address);
  if (reserves)
    e.emit(InstId::lr_w, {.d = kTemp, .s = o.s});
  e.test(o);
  e.logX(o.d);
  e.loadImmediate(kTemp, address);
  e.emit(InstId::lw, {.d = kTemp, .s = kTemp});
  e.logX(kTemp);
}

static void csrStep(Emitter &e, InstId id, Format format) {
  // Counters differ between machines. vl and vtype can only be read: csrrs and
  // csrrc with x0 or 0.
  static constexpr uint32_t kWritable[] = {0x001, 0x002, 0x003, 0x008,
                                           0x009, 0x00A, 0x00F};
  Operands o{.d = e.freeX(), .s = e.freeX()};
  bool sets = id == InstId::csrrs || id == InstId::csrrc ||
              id == InstId::csrrsi || id == InstId::csrrci;
  if (sets && e.random.oneIn(4)) {
    o.imm = int32_t(e.random.of({0xC20u, 0xC21u, 0xC22u}));
    o.s = 0;
  } else {
    o.imm = int32_t(kWritable[e.random.below(std::size(kWritable))]);
    // Bits that "should be written as zeros" (V 3.8, 3.9): QEMU keeps them.
    uint32_t mask = o.imm == 0x009 ? 1 : o.imm == 0x00A ? 3 : ~0u;
    if (format == Format::CsrImm)
      o.s &= mask;
    else if (mask != ~0u && o.s != 0)
      e.loadImmediate(o.s, e.cornerInteger() & mask);
    else
      e.refreshX(o.s);
  }
  e.test(o);
  e.logX(o.d);
  e.logCsr(uint32_t(o.imm));
  e.logCsr(0x003);
  e.logCsr(0x00F);
}

static void configurationStep(Emitter &e, InstId id) {
  Operands o{.d = e.freeX(), .s = e.freeX(), .t = e.freeXButZero()};
  uint32_t vtype =
      e.random.oneIn(4) ? uint32_t(e.random.next()) : e.random.below(256);
  // x0 as both length and destination keeps vl, and that is defined only where
  // VLMAX does not change (6.2): those programs would have to know vtype.
  while (id != InstId::vsetivli && o.d == 0 && o.s == 0)
    o.s = e.freeX();
  o.imm = int32_t(vtype & (id == InstId::vsetivli ? 0x3ff : 0x7ff));
  if (id != InstId::vsetivli && o.s != 0 && e.random.oneIn(2))
    e.loadImmediate(o.s, e.random.oneIn(4) ? e.cornerInteger()
                                           : e.random.below(300));
  if (id == InstId::vsetvl) {
    while (o.t == o.s)
      o.t = e.freeXButZero();
    e.loadImmediate(o.t, vtype);
  }
  bool keeps = id == InstId::vsetvli && e.random.oneIn(4);
  if (keeps) { // the same VLMAX, of a vl that was set just before
    unsigned sew = e.random.below(3);
    e.loadImmediate(kTemp, e.random.below(40));
    e.emit(InstId::vsetvli, {.d = 0, .s = kTemp, .imm = int32_t(sew << 3)});
    o.d = o.s = 0;
    o.imm = int32_t((sew + 1) << 3 | 1 | (e.random.below(4) << 6));
  }
  e.test(o);
  e.logX(o.d);
  e.logCsr(0xC20);
  e.logCsr(0xC21);
  e.logCsr(0x008);
}

/// Singles come boxed or not, doubles from their own part of the pool.
static Values floatKind(Emitter &e, InstId id) {
  std::string_view name = instInfo(id).mnemonic;
  bool isDouble = name.ends_with(".d"); // of what it reads
  if (name.ends_with(".w") || name.ends_with(".wu"))
    isDouble = false;
  if (e.random.oneIn(16))
    isDouble = !isDouble;
  return isDouble ? Values::Double : Values::Boxed;
}

static void floatStep(Emitter &e, InstId id, Format format) {
  e.setRoundingMode();
  Values kind = floatKind(e, id);
  Operands o{.d = e.random.below(32),
             .s = e.random.below(32),
             .t = e.random.below(32),
             .q = e.random.below(32)};
  o.rm = e.random.of({7u, 7u, 0u, 1u, 2u, 3u, 4u});
  bool toX = hasOperand(id, "xd"), fromX = hasOperand(id, "xs");
  if (format == Format::FLoad || format == Format::FStore) {
    Operands at = scratchOperands(e);
    o.s = at.s;
    o.imm = at.imm;
    if (format == Format::FStore) {
      e.refreshF(o.t, kind);
      e.test(o);
      e.loadImmediate(kTemp, 0);
      e.emit(InstId::lw, {.d = kTemp, .s = o.s, .imm = o.imm});
      e.logX(kTemp);
      return;
    }
    e.test(o);
    e.logF(o.d);
    return;
  }
  if (toX)
    o.d = e.freeX();
  if (fromX) {
    o.s = e.freeX();
    e.refreshX(o.s);
  } else {
    e.refreshF(o.s, kind);
  }
  if (hasOperand(id, "ft"))
    e.refreshF(o.t, kind);
  if (hasOperand(id, "fq"))
    e.refreshF(o.q, kind);
  if (e.random.oneIn(4))
    e.emit(InstId::csrrwi, {.imm = 0x001}); // no flags, to see these
  e.test(o);
  toX ? e.logX(o.d) : e.logF(o.d);
  e.logCsr(0x003);
}

void differential::scalarStep(Emitter &e, InstId id) {
  Format format = instInfo(id).format;
  Operands o{.d = e.freeX(), .s = e.freeX(), .t = e.freeX()};
  switch (format) {
  case Format::None:
    e.test({});
    return;
  case Format::Fence:
    e.test({.imm = int32_t(e.random.below(256))});
    return;
  case Format::U:
    o.imm = int32_t(e.random.next());
    e.test(o);
    e.logX(o.d);
    return;
  case Format::R:
    if (id == InstId::vsetvl)
      return configurationStep(e, id);
    e.refreshX(o.s);
    e.refreshX(o.t);
    e.test(o);
    e.logX(o.d);
    return;
  case Format::I:
  case Format::Shamt:
    o.imm = format == Format::I ? int32_t(e.random.below(4096)) - 2048
                                : int32_t(e.random.below(32));
    e.refreshX(o.s);
    e.test(o);
    e.logX(o.d);
    return;
  case Format::Jalr:
  case Format::B:
  case Format::J:
    return jumpStep(e, id, format);
  case Format::Load: {
    Operands at = scratchOperands(e);
    at.d = o.d;
    e.test(at);
    e.logX(o.d);
    return;
  }
  case Format::Store: {
    e.refreshX(o.t);
    Operands at = scratchOperands(e);
    at.t = o.t;
    e.test(at);
    return;
  }
  case Format::Amo:
  case Format::Lr:
    return atomicStep(e, format);
  case Format::Csr:
  case Format::CsrImm:
    return csrStep(e, id, format);
  case Format::VSetvli:
  case Format::VSetivli:
    return configurationStep(e, id);
  default:
    assert(format >= Format::FLoad && format <= Format::XMvToF);
    return floatStep(e, id, format);
  }
}
