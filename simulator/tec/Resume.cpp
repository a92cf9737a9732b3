//===- Resume.cpp - Vector instructions with vstart != 0 ------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// While vstart is not 0, Core::sew is kNoSew and every vector handler that
// needs vtype ends here. The instruction is executed by its own handler, under
// a mask that leaves out the lanes before vstart. What takes no mask executes
// all lanes, and those before vstart are restored.
//
// That is slow; programs have vstart = 0 unless they write it.
//
//===----------------------------------------------------------------------===//
#include "simulator/tec/Core.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <utility>

using namespace yarrow::sim;
using namespace yarrow::sim::tec;

/// Reductions, and what else V 14, 15.2 to 15.8 and 16.5 let execute from
/// element 0 only.
static bool needsVstart0(InstId id) {
  switch (instInfo(id).shape) {
  case Shape::Reduce:
  case Shape::WideReduce:
  case Shape::MaskToX:
  case Shape::MaskScan:
  case Shape::Iota:
  case Shape::Compress:
    return true;
  default:
    return false;
  }
}

namespace {
/// How the lanes before vstart are kept.
enum class Keep {
  ByMask,       ///< The instruction takes a mask, or moves a scalar.
  RestoreLanes, ///< It takes none; vd is a group.
  RestoreBits,  ///< It takes none; vd is a mask.
};
} // namespace

static Keep keepOf(InstId id) {
  const InstInfo &info = instInfo(id);
  bool vmIsFixed = info.mask >> 25 & 1;
  if (!vmIsFixed || info.shape == Shape::Scalar)
    return Keep::ByMask;
  bool writesMask = info.shape == Shape::Compare || info.shape == Shape::Masks;
  return writesMask ? Keep::RestoreBits : Keep::RestoreLanes;
}

static TEC_HANDLER resumed(TEC_PARAMS) {
  c->stop = TecStop::Budget; // anything but Fault
}

namespace {
/// Core::activeMask without the lanes before vstart, while it lives.
class MaskFrom {
public:
  MaskFrom(Core *c, const Inst &inst, unsigned vstart) : c(c) {
    for (unsigned k = 0; k < kVlenBytes * 8; ++k) {
      bool active = inst.vm || (c->v[k / 8] >> (k % 8) & 1);
      bits[k / 8] |= (k >= vstart && active) << (k % 8);
    }
    c->activeMask = bits;
  }
  ~MaskFrom() { c->activeMask = c->v; }

private:
  Core *c;
  uint8_t bits[kVlenBytes] = {};
};
} // namespace

/// Executes one instruction and returns. False if it faulted.
static bool executeAlone(Core *c, const Inst &inst) {
  Inst alone[2] = {inst, {}};
  alone[1].handler = resumed;
  c->stop = TecStop::Fault;
  inst.exec(c, alone, alone, 0);
  return std::exchange(c->stop, TecStop::Fault) != TecStop::Fault;
}

static void restore(Core *c, Keep keep, unsigned vd, const uint8_t *old,
                    unsigned vstart) {
  uint8_t *to = c->v + vd * kVlenBytes;
  unsigned bytes = keep == Keep::RestoreBits ? vstart / 8 : vstart << c->sew;
  std::memcpy(to, old, std::min(bytes, 8 * kVlenBytes));
  if (keep == Keep::RestoreBits) {
    assert(bytes < kVlenBytes && "a mask is one register");
    uint8_t kept = uint8_t((1u << (vstart % 8)) - 1);
    to[bytes] = uint8_t((old[bytes] & kept) | (to[bytes] & ~kept));
  }
}

/// False if it faults; vstart is then as before, or what a memory access set.
static bool resume(Core *c, const Inst *i) {
  unsigned vstart = c->vstart, vl = c->vl;
  if (needsVstart0(i->id))
    return false;
  Keep keep = keepOf(i->id);
  Inst inst = *i;
  if (keep == Keep::ByMask)
    inst.vm = 0;
  uint8_t old[8 * kVlenBytes];
  std::memcpy(old, c->v + i->rd * kVlenBytes, sizeof old);

  c->setVstart(0);
  // Nothing to do, but the instruction may be illegal.
  bool isPast = vstart >= vl;
  if (isPast)
    c->vl = 0;
  bool done;
  {
    MaskFrom mask(c, *i, vstart);
    done = executeAlone(c, inst);
  }
  if (isPast)
    c->vl = vl;
  if (!done) {
    if (c->vstart == 0)
      c->setVstart(vstart);
    return false;
  }
  if (keep != Keep::ByMask && !isPast)
    restore(c, keep, i->rd, old, vstart);
  return true;
}

TEC_HANDLER tec::illegalOrResume(TEC_PARAMS) {
  if (c->vstart == 0)
    TEC_ILLEGAL;
  c->setFault("illegal instruction", i->pc, TecFault::Illegal);
  c->work += 16 * 256; // lane by lane, mask and all
  if (!resume(c, i)) [[clang::musttail]]
    return stopAtFault(c, i, block, left);
  TEC_NEXT;
}
