//===- ModelSystem.cpp - CSRs, fences, vset and the engines' instructions -===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "test/unit/simulator_tec/suite/Vector.h"

using namespace yarrow::reference;

/// False if there is no such CSR.
static bool readCsr(const State &s, unsigned csr, uint32_t &value) {
  switch (csr) {
  case 0x001:
    value = s.fflags;
    return true;
  case 0x002:
    value = s.frm;
    return true;
  case 0x003:
    value = uint32_t(s.frm << 5 | s.fflags);
    return true;
  case 0x008:
    value = s.vstart;
    return true;
  case 0x009:
    value = s.vxsat;
    return true;
  case 0x00A:
    value = s.vxrm;
    return true;
  case 0x00F:
    value = uint32_t(s.vxrm << 1 | s.vxsat);
    return true;
  case 0x800:
    value = s.step;
    return true;
  case 0xC20:
    value = s.vl;
    return true;
  case 0xC21:
    value = s.vtype;
    return true;
  case 0xC22:
    value = kVlenBits / 8;
    return true;
  default:
    return false;
  }
}
static void writeCsr(State &s, unsigned csr, uint32_t value) {
  switch (csr) {
  case 0x001:
    s.fflags = value & 31;
    break;
  case 0x002:
    s.frm = value & 7;
    break;
  case 0x003:
    s.fflags = value & 31;
    s.frm = value >> 5 & 7;
    break;
  case 0x008: // as many bits as the largest element number takes
    s.vstart = value & (kVlenBits - 1);
    break;
  case 0x009:
    s.vxsat = value & 1;
    break;
  case 0x00A:
    s.vxrm = value & 3;
    break;
  case 0x00F:
    s.vxsat = value & 1;
    s.vxrm = value >> 1 & 3;
    break;
  case 0x800:
    s.step = value;
    break;
  default:
    break;
  }
}

static void addCsrs(SemanticsTable &table) {
  for (const char *name :
       {"csrrw", "csrrs", "csrrc", "csrrwi", "csrrsi", "csrrci"})
    table[name] = [kind = name[4], immediate = name[5] == 'i'](State &s,
                                                               uint32_t bits) {
      Word w{bits};
      unsigned csr = bits >> 20;
      uint32_t old;
      bool writes = kind == 'w' || w.rs1() != 0;
      bool readOnly = csr >> 10 == 3;
      if (!readCsr(s, csr, old) || (writes && readOnly))
        return illegal();
      uint32_t operand = immediate ? w.rs1() : s.x[w.rs1()];
      if (writes)
        writeCsr(s, csr,
                 kind == 'w'   ? operand
                 : kind == 's' ? old | operand
                               : old & ~operand);
      setX(s, w.rd(), old);
      return next(s);
    };
}

static Result configure(State &s, unsigned rd, uint32_t vtype, uint32_t avl) {
  VType type(vtype);
  s.vtype = type.isLegal ? vtype : 1u << 31;
  uint32_t vlmax = type.isLegal ? type.vlmax() : 0;
  s.vl = avl < vlmax ? avl : vlmax;
  s.vstart = 0;
  setX(s, rd, s.vl);
  return next(s);
}
/// Of vsetvli and vsetvl.
static Result configureByRegister(State &s, Word w, uint32_t vtype) {
  if (w.rs1() != 0)
    return configure(s, w.rd(), vtype, s.x[w.rs1()]);
  if (w.rd() != 0)
    return configure(s, w.rd(), vtype, ~0u);
  // vl is kept, and VLMAX must be: if not, a TEC sets vill (V 6.2).
  VType before(s.vtype), after(vtype);
  uint32_t vlmaxBefore = before.isLegal ? before.vlmax() : 0;
  uint32_t vlmaxAfter = after.isLegal ? after.vlmax() : 0;
  return configure(s, 0, vlmaxBefore == vlmaxAfter ? vtype : 1u << 31, s.vl);
}

static void addConfiguration(SemanticsTable &table) {
  table["vsetvli"] = [](State &s, uint32_t bits) {
    Word w{bits};
    return configureByRegister(s, w, bits >> 20 & 0x7ff);
  };
  table["vsetivli"] = [](State &s, uint32_t bits) {
    Word w{bits};
    return configure(s, w.rd(), bits >> 20 & 0x3ff, w.rs1());
  };
  table["vsetvl"] = [](State &s, uint32_t bits) {
    Word w{bits};
    return configureByRegister(s, w, s.x[w.rs2()]);
  };
}

void yarrow::reference::addSystem(SemanticsTable &table) {
  addCsrs(table);
  addConfiguration(table);
  for (const char *name : {"fence", "fence.tso", "fence.i"})
    table[name] = [](State &s, uint32_t) { return next(s); };
  table["npu.submit"] = [](State &s, uint32_t bits) {
    Word w{bits};
    s.portCalls.push_back({0, bits >> 25, s.x[w.rs1()], s.x[w.rs2()]});
    return next(s);
  };
  table["npu.setbase"] = [](State &s, uint32_t bits) {
    Word w{bits};
    s.portCalls.push_back({1, s.x[w.rs1()], s.x[w.rs2()], 0});
    return next(s);
  };
  table["npu.setorigin"] = [](State &s, uint32_t bits) {
    s.portCalls.push_back({5, bits >> 25, s.x[Word{bits}.rs1()], 0});
    return next(s);
  };
  table["npu.signal"] = [](State &s, uint32_t) {
    s.portCalls.push_back({3, 0, 0, 0});
    return next(s);
  };
  for (const char *name : {"ecall", "ebreak"})
    table[name] = [](State &, uint32_t) { return illegal(); };
  // The port of the suite lets all counters wait.
  table["npu.wait"] = [](State &s, uint32_t bits) {
    s.portCalls.push_back({2, bits >> 25, s.x[Word{bits}.rs1()], 0});
    return Result{Outcome::Waits};
  };
  table["npu.end"] = [](State &s, uint32_t) {
    s.pc += 4;
    return Result{Outcome::Stopped};
  };
}
