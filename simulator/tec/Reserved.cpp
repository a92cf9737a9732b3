//===- Reserved.cpp - Source registers that V reserves --------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "simulator/tec/Reserved.h"

using namespace yarrow::sim;
using namespace yarrow::sim::tec;

static bool stores(const InstInfo &info) {
  return (info.match & 0x7f) == 0x27; // the major opcode STORE-FP
}

/// v0 as a mask is an operand.
static bool readsMask(const Inst &inst, const InstInfo &info,
                      const FormatInfo &format) {
  return (!inst.vm && !(info.mask >> 25 & 1)) ||
         std::string_view(format.operands).ends_with("v0");
}

namespace {
/// log2 of the bytes of one bit.
constexpr int kMaskWidth = -3;

/// The registers that an instruction reads, with the width of their elements.
class Sources {
public:
  Sources(const Inst &inst, int sew, int lmul)
      : inst(inst), info(instInfo(inst.id)), format(formatInfo(info.format)),
        sew(sew), lmul(lmul) {}

  bool haveTwoWidths() {
    addVt();
    addVs();
    addVd();
    if (readsMask(inst, info, format))
      add(0, kMaskWidth, 1);
    if (!isAligned)
      return false;
    for (unsigned a = 0; a < count; ++a)
      for (unsigned b = 0; b < a; ++b)
        if (groups[a].width != groups[b].width &&
            groups[a].first < groups[b].end && groups[b].first < groups[a].end)
          return true;
    return false;
  }

private:
  struct Group {
    unsigned first, end;
    int width;
  };
  const Inst &inst;
  const InstInfo &info;
  const FormatInfo &format;
  const int sew, lmul;
  Group groups[4];
  unsigned count = 0;
  bool isAligned = true; ///< If not, handlers find the instruction illegal.

  void add(unsigned first, int width, unsigned registers) {
    groups[count++] = {first, first + registers, width};
  }
  /// As many elements as vtype has, in \p fields groups.
  void addGroup(unsigned first, int width, unsigned fields = 1) {
    int groupLog2 = lmul + width - sew;
    unsigned registers = groupLog2 > 0 ? 1u << groupLog2 : 1;
    isAligned &= groupLog2 <= 3 && first % registers == 0;
    add(first, width, fields * registers);
  }

  void addVt() {
    if (!format.hasVt)
      return;
    switch (info.shape) {
    case Shape::WideWide:
    case Shape::Narrow:
      return addGroup(inst.rs2, sew + 1);
    case Shape::Extend2:
      return addGroup(inst.rs2, sew - 1);
    case Shape::Extend4:
      return addGroup(inst.rs2, sew - 2);
    case Shape::Extend8:
      return addGroup(inst.rs2, sew - 3);
    case Shape::Masks:
    case Shape::MaskToX:
    case Shape::MaskScan:
    case Shape::Iota:
      return add(inst.rs2, kMaskWidth, 1);
    case Shape::Indexed:
      return addGroup(inst.rs2, int(inst.eewLog2()));
    default:
      return addGroup(inst.rs2, sew);
    }
  }
  void addVs() {
    if (!format.hasVs)
      return;
    switch (info.shape) {
    case Shape::Masks:
    case Shape::Compress:
      return add(inst.rs1, kMaskWidth, 1);
    case Shape::Reduce:
      return add(inst.rs1, sew, 1);
    case Shape::WideReduce:
      return add(inst.rs1, sew + 1, 1);
    case Shape::Gather16:
      return addGroup(inst.rs1, 1);
    default:
      return addGroup(inst.rs1, sew);
    }
  }
  /// The addend of a multiply-add, or what is stored.
  void addVd() {
    if (!stores(info) && !format.accumulates)
      return;
    switch (info.shape) {
    case Shape::Wide:
      return addGroup(inst.rd, sew + 1);
    case Shape::Memory:
      return addGroup(inst.rd, int(inst.eewLog2()), inst.fields());
    case Shape::Indexed:
      return addGroup(inst.rd, sew, inst.fields());
    case Shape::MaskMemory:
      return add(inst.rd, kMaskWidth, 1);
    default:
      return addGroup(inst.rd, sew);
    }
  }
};
} // namespace

bool tec::readsTwoWidths(const Inst &inst, int sewLog2, int lmulLog2) {
  Shape shape = instInfo(inst.id).shape;
  if (shape == Shape::None || shape == Shape::Whole)
    return false;
  return Sources(inst, sewLog2, lmulLog2).haveTwoWidths();
}

/// True if sources other than that mask differ in width.
static bool mixesWidths(const InstInfo &info, const FormatInfo &format) {
  switch (info.shape) {
  case Shape::Wide:
    return format.accumulates;
  case Shape::WideWide:
  case Shape::Narrow:
  case Shape::WideReduce:
  case Shape::Gather16:
  case Shape::Compress:
    return format.hasVs;
  case Shape::Indexed:
    return stores(info);
  default:
    return false;
  }
}

/// Bit of a vtype in the set of those under which an instruction is reserved.
static unsigned bitOf(int sewLog2, int lmulLog2) {
  return unsigned(sewLog2 * 7 + lmulLog2 + 3);
}

static uint32_t reservedSet(const Inst &inst) {
  const InstInfo &info = instInfo(inst.id);
  const FormatInfo &format = formatInfo(info.format);
  // Most instructions end here. A legal group that holds v0 starts there.
  bool namesV0 = inst.rd == 0 || inst.rs1 == 0 || inst.rs2 == 0;
  if (!mixesWidths(info, format) && !(namesV0 && readsMask(inst, info, format)))
    return 0;
  uint32_t set = 0;
  for (int sew = 0; sew < 4; ++sew)
    for (int lmul = -3; lmul <= 3; ++lmul)
      set |= uint32_t(readsTwoWidths(inst, sew, lmul)) << bitOf(sew, lmul);
  return set;
}

static TEC_HANDLER executeUnchecked(TEC_PARAMS) {
  Handler execute = vectorHandlers(c->options.anyHost).of[unsigned(i->id)];
  [[clang::musttail]] return execute(c, i, block, left);
}
static TEC_HANDLER checkWidths(TEC_PARAMS) {
  if (c->sew != kNoSew && readsTwoWidths(*i, c->sew, c->lmul))
    TEC_ILLEGAL;
  [[clang::musttail]] return executeUnchecked(c, i, block, left);
}
static TEC_HANDLER checkWidthsInSet(TEC_PARAMS) {
  if (c->sew != kNoSew && uint32_t(i->imm) >> bitOf(c->sew, c->lmul) & 1)
    TEC_ILLEGAL;
  [[clang::musttail]] return executeUnchecked(c, i, block, left);
}

void tec::checkSources(Inst &inst) {
  uint32_t set = reservedSet(inst);
  if (set == 0)
    return;
  const FormatInfo &format = formatInfo(instInfo(inst.id).format);
  bool hasImmediate = format.immediate != isa::tec::Immediate::None;
  inst.exec = hasImmediate ? checkWidths : checkWidthsInSet;
  if (!hasImmediate)
    inst.imm = int32_t(set);
}
