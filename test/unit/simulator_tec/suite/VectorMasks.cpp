//===- VectorMasks.cpp - Mask instructions of the model -------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "test/unit/simulator_tec/suite/Vector.h"

using namespace yarrow::reference;

static void addLogical(SemanticsTable &table) {
  using Logical = bool (*)(bool, bool);
  const std::pair<const char *, Logical> operations[] = {
      {"vmand", [](bool a, bool b) { return a && b; }},
      {"vmnand", [](bool a, bool b) { return !(a && b); }},
      {"vmandn", [](bool a, bool b) { return a && !b; }},
      {"vmxor", [](bool a, bool b) { return a != b; }},
      {"vmor", [](bool a, bool b) { return a || b; }},
      {"vmnor", [](bool a, bool b) { return !(a || b); }},
      {"vmorn", [](bool a, bool b) { return a || !b; }},
      {"vmxnor", [](bool a, bool b) { return a == b; }},
  };
  for (auto [name, operation] : operations)
    table[std::string(name) + ".mm"] = [operation](State &s, uint32_t bits) {
      Word w{bits};
      if (!VType(s.vtype).isLegal)
        return illegal();
      State before = s;
      for (unsigned k = s.vstart; k < s.vl; ++k)
        setMaskBit(s, w.rd(), k,
                   operation(maskBit(before, w.rs2(), k),
                             maskBit(before, w.rs1(), k)));
      return vectorNext(s);
    };
}

static bool mayCount(const State &s) {
  return VType(s.vtype).isLegal && s.vstart == 0;
}

static void addCounts(SemanticsTable &table) {
  table["vcpop.m"] = [](State &s, uint32_t bits) {
    Word w{bits};
    if (!mayCount(s))
      return illegal();
    uint32_t count = 0;
    for (unsigned k = 0; k < s.vl; ++k)
      count += isActive(s, w, k) && maskBit(s, w.rs2(), k);
    setX(s, w.rd(), count);
    return vectorNext(s);
  };
  table["vfirst.m"] = [](State &s, uint32_t bits) {
    Word w{bits};
    if (!mayCount(s))
      return illegal();
    uint32_t first = ~0u;
    for (unsigned k = s.vl; k-- > 0;)
      if (isActive(s, w, k) && maskBit(s, w.rs2(), k))
        first = k;
    setX(s, w.rd(), first);
    return vectorNext(s);
  };
}

static void addRelative(SemanticsTable &table) {
  // The bit of an element before, at and after the first that is set.
  struct Kind {
    const char *name;
    bool before, at;
  };
  for (Kind kind : {Kind{"vmsbf.m", true, false}, Kind{"vmsif.m", true, true},
                    Kind{"vmsof.m", false, true}})
    table[kind.name] = [kind](State &s, uint32_t bits) {
      Word w{bits};
      if (!mayCount(s) || w.rd() == w.rs2() || (!w.vm() && w.rd() == 0))
        return illegal();
      bool found = false;
      State before = s;
      for (unsigned k = 0; k < s.vl; ++k) {
        if (!isActive(before, w, k))
          continue;
        bool first = !found && maskBit(before, w.rs2(), k);
        setMaskBit(s, w.rd(), k, first ? kind.at : !found && kind.before);
        found = found || first;
      }
      return vectorNext(s);
    };
}

static void addNumbers(SemanticsTable &table) {
  table["viota.m"] = [](State &s, uint32_t bits) {
    Word w{bits};
    VType type(s.vtype);
    if (!mayCount(s))
      return illegal();
    Group d = groupOf(type, w.rd(), type.sew);
    if (!d.isLegal() || overlaps(d, maskOf(w.rs2())) || (!w.vm() && d.reg == 0))
      return illegal();
    uint64_t count = 0;
    for (unsigned k = 0; k < s.vl; ++k) {
      if (!isActive(s, w, k))
        continue;
      setElement(s, w.rd(), k, type.sew, count);
      count += maskBit(s, w.rs2(), k);
    }
    return vectorNext(s);
  };
  table["vid.v"] = [](State &s, uint32_t bits) {
    Word w{bits};
    VType type(s.vtype);
    if (!type.isLegal || !groupOf(type, w.rd(), type.sew).isLegal() ||
        (!w.vm() && w.rd() == 0))
      return illegal();
    for (unsigned k = s.vstart; k < s.vl; ++k)
      if (isActive(s, w, k))
        setElement(s, w.rd(), k, type.sew, k);
    return vectorNext(s);
  };
}

void yarrow::reference::addVectorMasks(SemanticsTable &table) {
  addLogical(table);
  addCounts(table);
  addRelative(table);
  addNumbers(table);
}
