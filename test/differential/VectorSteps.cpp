//===- VectorSteps.cpp - Steps of V ---------------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "test/differential/Emitter.h"
#include "test/differential/VectorShape.h"

#include <algorithm>
#include <string_view>

using namespace yarrow;
using namespace yarrow::differential;
using namespace yarrow::isa::tec;

static constexpr uint32_t kVstart = 0x008;

static InstId wholeLoad(unsigned regs) {
  return regs == 1   ? InstId::vl1re8_v
         : regs == 2 ? InstId::vl2re8_v
         : regs == 4 ? InstId::vl4re8_v
                     : InstId::vl8re8_v;
}

/// Fills \p regs registers (1, 2, 4 or 8) from the pool.
static void fill(Emitter &e, unsigned first, unsigned regs, Values kind) {
  e.loadImmediate(kTemp, e.poolAddress(kind, regs * 32, 8));
  e.emit(wholeLoad(regs), {.d = first, .s = kTemp});
}
static void fillSometimes(Emitter &e, const VectorShape &shape, Width width,
                          const VectorConfig &config, unsigned first,
                          Values kind) {
  if (width == Width::None || e.random.oneIn(2))
    return;
  Group g = shape.group(width, config);
  fill(e, first, g.regs, width == Width::Mask ? Values::Mask : kind);
}

/// Floats of the width that an operand has, or integers.
static Values valuesFor(Emitter &e, InstId id, int eewLog2) {
  std::string_view name = instInfo(id).mnemonic;
  bool isFloat = name.starts_with("vf") || name.starts_with("vmf");
  if (!isFloat || e.random.oneIn(16))
    return Values::Integer;
  return eewLog2 == 3 ? Values::Double : Values::Single;
}

/// QEMU 7.2 cuts the scalar of these to 32 bits on RV32, or extends it with
/// zeros; V 10.1 has it sign-extended, and floats are 64 bits wide.
static bool qemuIsWrong(InstId id, const VectorConfig &config) {
  return config.sewLog2 == 3 &&
         (id == InstId::vfslide1up_vf || id == InstId::vfslide1down_vf ||
          id == InstId::vslide1up_vx || id == InstId::vslide1down_vx);
}

static VectorConfig chooseConfig(Emitter &e, InstId id,
                                 const VectorShape &shape) {
  for (;;) {
    VectorConfig config{int(e.random.below(4)), int(e.random.below(7)) - 3};
    if (shape.isLegal(config) && !qemuIsWrong(id, config))
      return config;
  }
}

static uint32_t chooseLength(Emitter &e, uint32_t vlmax) {
  switch (e.random.below(8)) {
  case 0:
    return 0;
  case 1:
    return 1;
  case 2:
  case 3:
  case 4:
    return vlmax;
  default:
    return e.random.below(vlmax + 1);
  }
}

static uint32_t configure(Emitter &e, const VectorConfig &config) {
  uint32_t vl = chooseLength(e, config.vlmax());
  uint32_t vtype = uint32_t(config.sewLog2) << 3 |
                   (uint32_t(config.lmulLog2) & 7) | e.random.below(4) << 6;
  e.loadImmediate(kTemp, vl);
  e.emit(InstId::vsetvli, {.d = 0, .s = kTemp, .imm = int32_t(vtype)});
  return vl;
}

static std::string contextOf(const VectorConfig &config, uint32_t vl,
                             const VectorRegs &regs) {
  std::string lmul = config.lmulLog2 < 0
                         ? "mf" + std::to_string(1 << -config.lmulLog2)
                         : "m" + std::to_string(1 << config.lmulLog2);
  return "e" + std::to_string(8 << config.sewLog2) + " " + lmul + ", vl " +
         std::to_string(vl) + ", vd " + std::to_string(regs.d) + ", vs2 " +
         std::to_string(regs.t) + ", vs1 " + std::to_string(regs.s) +
         (regs.masked ? ", masked" : "");
}

/// Base, stride and indices that keep an access within the scratch area.
static void memoryOperands(Emitter &e, InstId id, const VectorShape &shape,
                           const VectorConfig &config, Operands &o) {
  const InstInfo &info = instInfo(id);
  o.s = e.freeXButZero();
  uint32_t alignment = e.random.oneIn(4) ? 1 : 8;
  auto within = [&](uint32_t from, uint32_t bytes) {
    return kScratchAddress + from +
           e.random.below(bytes / alignment) * alignment;
  };
  switch (info.format) {
  case Format::VLoadStrided:
  case Format::VStoreStrided: {
    // Half of the area to either side, less a segment.
    int32_t reach = int32_t(3800 / config.vlmax());
    uint32_t stride = e.random.below(uint32_t(2 * reach + 1)) - uint32_t(reach);
    if (e.random.oneIn(2))
      stride &= ~7u;
    if (stride + uint32_t(reach) > uint32_t(2 * reach))
      stride = 0;
    e.loadImmediate(o.s, within(kScratchBytes / 2, 128));
    do
      o.t = e.freeX();
    while (o.t == o.s);
    if (o.t != 0)
      e.loadImmediate(o.t, stride);
    return;
  }
  case Format::VLoadIndexed:
  case Format::VStoreIndexed: {
    // Index values are below 2048, or above -2048 in 32 bits.
    Group g = shape.group(shape.t, config);
    Values kind = shape.eewLog2 == 0   ? Values::Index8
                  : shape.eewLog2 == 1 ? Values::Index16
                                       : Values::Index32;
    fill(e, o.t, g.regs, kind);
    e.loadImmediate(o.s, within(2048, 4000));
    return;
  }
  default:
    e.loadImmediate(o.s, within(0, kScratchBytes - 256));
  }
}

/// Element 0 lies within memory, later ones may not.
static void faultFirstOperands(Emitter &e, const VectorShape &shape,
                               Operands &o) {
  uint32_t elementBytes = uint32_t(shape.fields) << shape.eewLog2;
  o.s = e.freeXButZero();
  // Whether part of a segment is loaded before a fault is up to the machine
  // (V 7.8.1.1): memory ends between segments. An element may be cut.
  uint32_t bytes = shape.fields > 1
                       ? elementBytes * (1 + e.random.below(40))
                       : elementBytes + e.random.below(elementBytes * 40);
  e.loadImmediate(o.s, kDataEnd - std::min(bytes, kScratchBytes));
}

/// Elements that an instruction has under vl: its own number, if vtype does
/// not tell it (V 7.4, 7.9, 16.6).
static uint32_t effectiveLength(InstId id, const VectorShape &shape,
                                const VectorConfig &config, uint32_t vl) {
  if (shape.d == Width::Whole) {
    bool isMove = instInfo(id).cost == isa::tec::Cost::VMoveWhole;
    int eewLog2 = isMove ? config.sewLog2
                         : int(isa::tec::memoryWidthLog2(instInfo(id).match));
    return shape.wholeRegs * 32u >> eewLog2;
  }
  return instInfo(id).shape == isa::tec::Shape::MaskMemory ? (vl + 7) / 8 : vl;
}

static void setVstart(Emitter &e, uint32_t length) {
  if (length == 0)
    return;
  // What traps leave: an element below the end.
  e.loadImmediate(kTemp, e.random.below(length));
  e.emit(InstId::csrrw, {.s = kTemp, .imm = int32_t(kVstart)});
}

/// QEMU 7.2 leaves vstart as it was; by V 3.7 every vector instruction that
/// ends clears it.
static bool qemuKeepsVstart(InstId id) {
  return id == InstId::vmv_x_s || id == InstId::vfmv_f_s ||
         id == InstId::vmv_s_x || id == InstId::vfmv_s_f ||
         id == InstId::vslideup_vx || id == InstId::vslideup_vi;
}

static void scalarOperand(Emitter &e, const VectorConfig &config, InstId id,
                          Operands &o) {
  if (hasOperand(id, "fs")) {
    o.s = e.random.below(32);
    e.refreshF(o.s, config.sewLog2 == 3 ? Values::Double : Values::Boxed);
  } else if (hasOperand(id, "xs")) {
    o.s = e.freeX();
    // Half of the time an amount that slides and gathers find elements at.
    if (o.s != 0 && e.random.oneIn(2))
      e.loadImmediate(o.s, e.random.below(config.vlmax() + 2));
    else
      e.refreshX(o.s);
  }
}

void differential::vectorStep(Emitter &e, InstId id) {
  const InstInfo &info = instInfo(id);
  std::string_view name = info.mnemonic;
  VectorShape shape = shapeOf(id);
  VectorConfig config = chooseConfig(e, id, shape);
  VectorRegs regs = chooseRegs(shape, config, e.random);
  bool isMemory = info.format >= Format::VLoad;
  bool isFloat = name.starts_with("vf") || name.starts_with("vmf");
  if (isFloat)
    e.setRoundingMode();
  if (e.random.oneIn(8))
    e.emit(InstId::csrrwi, {.s = e.random.below(8), .imm = 0x00F}); // vcsr

  if (regs.masked || shape.readsV0)
    fillSometimes(e, shape, Width::Mask, config, 0, Values::Mask);
  Group d = shape.group(shape.d, config);
  if (shape.readsD && shape.fields == 1)
    fillSometimes(e, shape, shape.d, config, regs.d,
                  valuesFor(e, id, d.eewLog2));
  fillSometimes(e, shape, shape.t, config, regs.t,
                valuesFor(e, id, shape.group(shape.t, config).eewLog2));
  Values third = name.starts_with("vrgather") && e.random.oneIn(2)
                     ? config.sewLog2 == 0 ? Values::Index8 : Values::Mask
                     : valuesFor(e, id, shape.group(shape.s, config).eewLog2);
  fillSometimes(e, shape, shape.s, config, regs.s, third);

  Operands o{.d = regs.d, .s = regs.s, .t = regs.t};
  o.vm = regs.masked ? 0 : 1;
  o.imm = int32_t(e.random.below(32));
  bool toX = hasOperand(id, "xd"), toF = hasOperand(id, "fd");
  if (toX)
    o.d = e.freeX();
  if (toF)
    o.d = e.random.below(32);
  if (!isMemory)
    scalarOperand(e, config, id, o);
  bool isFaultFirst = name.find("ff.v") != name.npos;
  if (isMemory)
    memoryOperands(e, id, shape, config, o);
  if (isFaultFirst && e.random.oneIn(2))
    faultFirstOperands(e, shape, o);
  uint32_t vl = configure(e, config);
  e.setContext(contextOf(config, vl, regs));
  if (e.usesVstart)
    setVstart(e, effectiveLength(id, shape, config, vl));
  // QEMU 7.2 aborts unless an instruction of the same translated block used the
  // dynamic rounding mode; this one has no other effect. Blocks end with pages.
  if (name.find(".rtz.") != name.npos || name.find(".rod.") != name.npos) {
    if ((e.pc() + 4) % 4096 == 0)
      e.emit(InstId::addi, {});
    e.emit(InstId::fcvt_d_w, {.d = 31, .rm = 7});
  }
  e.test(o);

  if (e.usesVstart) {
    if (!qemuKeepsVstart(id))
      e.logCsr(kVstart);
    e.emit(InstId::csrrwi, {.imm = int32_t(kVstart)});
  }
  if (toX)
    e.logX(o.d);
  else if (toF)
    e.logF(o.d);
  else if (shape.writesD)
    e.logV(regs.d, d.regs * shape.fields);
  if (isFloat)
    e.logCsr(0x003);
  if (isFaultFirst)
    e.logCsr(0xC20);
  if (!isMemory && !isFloat)
    e.logCsr(0x00F);
}
