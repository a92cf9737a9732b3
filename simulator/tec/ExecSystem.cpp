//===- ExecSystem.cpp - CSRs, vector configuration, engine access ---------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "simulator/tec/Exec.h"

#include <algorithm>

namespace yarrow::sim::tec {

namespace {
enum CsrNumber : uint32_t {
#define RISCV_CSR(ID, NAME, NUMBER, MEANING) k##ID = NUMBER,
#include "isa/RiscvCsrs.def"
};
} // namespace

/// False if there is no such CSR.
static bool readCsr(const Core *c, uint32_t csr, uint64_t retired,
                    uint32_t &value) {
  // Without timing, a cycle is an instruction.
  uint64_t cycles = c->options.timed ? c->cycles : retired;
  switch (csr) {
  case kFflags:
    value = c->fflags;
    return true;
  case kFrm:
    value = c->frm;
    return true;
  case kFcsr:
    value = c->frm << 5 | c->fflags;
    return true;
  case kVstart:
    value = c->vstart;
    return true;
  case kVxsat:
    value = c->vxsat;
    return true;
  case kVxrm:
    value = c->vxrm;
    return true;
  case kVcsr:
    value = c->vxrm << 1 | c->vxsat;
    return true;
  case kStep:
    value = c->step;
    return true;
  case kCycle:
  case kTime:
    value = uint32_t(cycles);
    return true;
  case kCycleh:
  case kTimeh:
    value = uint32_t(cycles >> 32);
    return true;
  case kInstret:
    value = uint32_t(retired);
    return true;
  case kInstreth:
    value = uint32_t(retired >> 32);
    return true;
  case kVl:
    value = c->vl;
    return true;
  case kVtype:
    value = c->vtype;
    return true;
  case kVlenb:
    value = kVlenBytes;
    return true;
  default:
    return false;
  }
}

/// False if it cannot be written.
static bool writeCsr(Core *c, uint32_t csr, uint32_t value) {
  switch (csr) {
  case kFflags:
    c->fflags = value & 31;
    return true;
  case kFrm:
    c->setFrm(value & 7);
    return true;
  case kFcsr:
    c->fflags = value & 31;
    c->setFrm(value >> 5 & 7);
    return true;
  case kVstart:
    c->vstart = value & (kVlenBytes * 8 - 1);
    c->updateVectorState();
    return true;
  case kVxsat:
    c->vxsat = value & 1;
    return true;
  case kVxrm:
    c->vxrm = value & 3;
    return true;
  case kVcsr:
    c->vxsat = value & 1;
    c->vxrm = value >> 1 & 3;
    return true;
  case kStep:
    c->step = value;
    return true;
  default:
    return false;
  }
}

enum class CsrOp { Write, Set, Clear };

/// \p writes is false for csrrs and csrrc whose source is x0 or 0: they may
/// read a CSR that cannot be written.
static bool accessCsr(Core *c, const Inst *i, int64_t retiredHere, CsrOp op,
                      uint32_t operand, bool writes) {
  c->work += 16 * 16; // the host's floating-point state is slow
  if (uint32_t(i->imm) == kFflags || uint32_t(i->imm) == kFcsr)
    c->collectHostFlags();
  uint32_t old;
  if (!readCsr(c, i->imm, c->retired + retiredHere, old))
    return false;
  uint32_t value = op == CsrOp::Write ? operand
                   : op == CsrOp::Set ? old | operand
                                      : old & ~operand;
  if (writes && !writeCsr(c, i->imm, value))
    return false;
  c->x[i->rd] = old;
  return true;
}

#define TEC_CSR(NAME, OP, OPERAND, WRITES)                                     \
  TEC_EXEC(NAME) {                                                             \
    if (!accessCsr(c, i, c->budget - left + (i - block), CsrOp::OP, OPERAND,   \
                   WRITES)) [[unlikely]]                                       \
      TEC_ILLEGAL;                                                             \
    TEC_NEXT;                                                                  \
  }
TEC_CSR(csrrw, Write, c->x[i->rs1], true)
TEC_CSR(csrrs, Set, c->x[i->rs1], i->rs1 != 0)
TEC_CSR(csrrc, Clear, c->x[i->rs1], i->rs1 != 0)
TEC_CSR(csrrwi, Write, i->rs1, true)
TEC_CSR(csrrsi, Set, i->rs1, i->rs1 != 0)
TEC_CSR(csrrci, Clear, i->rs1, i->rs1 != 0)

/// vl for \p avl elements. V 6.3 lets a machine choose for
/// VLMAX < AVL < 2 VLMAX; we take all we can.
static void configure(Core *c, const Inst *i, uint32_t vtype, uint32_t avl) {
  c->setVtype(vtype);
  c->vl = std::min<uint32_t>(avl, c->vlmax);
  c->x[i->rd] = c->vl;
}

/// Of vsetvli and vsetvl: rs1 = x0 means VLMAX, or with rd = x0 the present vl.
/// That form must not change VLMAX; V 6.2 lets a machine set vill then.
static void configureByRegister(Core *c, const Inst *i, uint32_t vtype) {
  bool keepsLength = i->rs1 == 0 && i->rd == kSink;
  uint32_t oldVlmax = c->vlmax;
  configure(c, i, vtype,
            i->rs1 != 0   ? c->x[i->rs1]
            : keepsLength ? c->vl
                          : UINT32_MAX);
  if (keepsLength && c->vlmax != oldVlmax) {
    c->setVtype(kVill);
    c->vl = 0;
  }
}

TEC_EXEC(vsetvli) {
  // Compilers change only how tails are left, again and again: SEW and LMUL,
  // and with them VLMAX, stay. An illegal vtype differs in its highest bit.
  bool keepsAll = ((uint32_t(i->imm) ^ c->vtype) & ~0xc0u) == 0;
  if (keepsAll && i->rs1 == 0 && i->rd == kSink && c->vstart == 0) {
    c->vtype = uint32_t(i->imm);
    TEC_NEXT;
  }
  configureByRegister(c, i, i->imm);
  TEC_NEXT;
}
TEC_EXEC(vsetivli) {
  configure(c, i, i->imm, i->rs1);
  TEC_NEXT;
}
TEC_EXEC(vsetvl) {
  configureByRegister(c, i, c->x[i->rs2]);
  TEC_NEXT;
}

TEC_EXEC(npu_submit) {
  c->port.submit(i->imm, c->x[i->rs1], c->x[i->rs2]);
  TEC_NEXT;
}
TEC_EXEC(npu_setorigin) {
  c->port.setOrigin(i->imm, c->x[i->rs1]);
  TEC_NEXT;
}
TEC_EXEC(npu_setbase) {
  c->port.setBase(c->x[i->rs1], c->x[i->rs2]);
  TEC_NEXT;
}
TEC_EXEC(npu_wait) {
  if (c->port.wait(i->imm, c->x[i->rs1])) [[likely]]
    TEC_NEXT;
  if (c->options.timed) { // charged again when it is tried again
    c->cycles -= c->options.timing.npu;
    --c->classCounts[unsigned(Cost::Npu)];
  }
  c->pc = i->pc;
  c->stop = TecStop::Waiting;
  c->leftAtStop = left - (i - block);
}
TEC_EXEC(npu_signal) {
  c->port.signal();
  if (!c->options.stopsAtSignal)
    TEC_NEXT;
  c->pc = i->pc + 4;
  c->stop = TecStop::Signaled;
  c->leftAtStop = left - (i - block) - 1;
}
TEC_EXEC(npu_end) {
  c->pc = i->pc + 4;
  c->stop = TecStop::Ended;
  c->leftAtStop = left - (i - block) - 1;
}

} // namespace yarrow::sim::tec
