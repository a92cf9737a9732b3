//===- VectorSources.cpp - Registers that are read in two widths ----------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// V 5.2 reserves them for every instruction. What an instruction reads is taken
// from how it is spelled: vwadd.wv has a wide vs2 and a vs1.
//
//===----------------------------------------------------------------------===//
#include "test/unit/simulator_tec/suite/Vector.h"

#include <vector>

using namespace yarrow::reference;

namespace {
struct Spelling {
  std::string base;   ///< Up to the last point.
  std::string suffix; ///< Behind it.

  explicit Spelling(const std::string &name)
      : base(name.substr(0, name.rfind('.'))),
        suffix(name.substr(name.rfind('.') + 1)) {}
  bool starts(const char *with) const { return base.starts_with(with); }
  bool has(const char *part) const {
    return base.find(part) != std::string::npos;
  }
  bool isWide() const { return starts("vw") || starts("vfw"); }
};
} // namespace

static void addArithmetic(std::vector<Group> &groups, const Spelling &spelling,
                          const VType &type, Word w) {
  const std::string &base = spelling.base, &suffix = spelling.suffix;
  bool isMaskOnly = suffix == "mm" || suffix == "m";
  bool hasVs2 = base != "vid" && base != "vmv.v" && base != "vfmv.v" &&
                base != "vmv.s" && base != "vfmv.s";
  if (hasVs2) {
    int width = suffix[0] == 'w'  ? 2 * type.sew
                : suffix == "vf2" ? type.sew / 2
                : suffix == "vf4" ? type.sew / 4
                : suffix == "vf8" ? type.sew / 8
                                  : type.sew;
    groups.push_back(isMaskOnly ? maskOf(w.rs2())
                                : groupOf(type, w.rs2(), width));
  }
  if (suffix == "mm" || suffix == "vm")
    groups.push_back(maskOf(w.rs1()));
  else if (suffix == "vs")
    groups.push_back({w.rs1(), spelling.isWide() ? 2 * type.sew : type.sew, 0});
  else if (suffix == "vv" || suffix == "wv" || suffix == "vvm")
    groups.push_back(
        groupOf(type, w.rs1(), spelling.has("ei16") ? 16 : type.sew));
  if (spelling.has("macc") || spelling.has("msac") || spelling.has("madd") ||
      spelling.has("msub"))
    groups.push_back(
        groupOf(type, w.rd(), spelling.isWide() ? 2 * type.sew : type.sew));
}

static void addMemory(std::vector<Group> &groups, const Spelling &spelling,
                      const VType &type, Word w) {
  int encoded = w.funct3() == 0 ? 8 : 8 << (w.funct3() - 4);
  bool isIndexed = (w.bits >> 26 & 1) != 0; // mop is 1 or 3
  if (isIndexed)
    groups.push_back(groupOf(type, w.rs2(), encoded));
  if (!spelling.starts("vs") || spelling.base == "vsm")
    return;
  Group data = groupOf(type, w.rd(), isIndexed ? type.sew : encoded);
  for (unsigned field = 0; field < w.nf(); ++field) {
    groups.push_back(data);
    data.reg += data.registers();
  }
}

static bool readsTwoWidths(const Spelling &spelling, const State &s, Word w) {
  VType type(s.vtype);
  if (!type.isLegal)
    return false;
  std::vector<Group> groups;
  if (!w.vm())
    groups.push_back(maskOf(0));
  unsigned opcode = w.bits & 0x7f;
  if (opcode == 0x07 || opcode == 0x27)
    addMemory(groups, spelling, type, w);
  else
    addArithmetic(groups, spelling, type, w);
  for (const Group &a : groups)
    for (const Group &b : groups)
      if (a.eew != b.eew && overlaps(a, b))
        return true;
  return false;
}

void yarrow::reference::restrictVectorSources(SemanticsTable &table) {
  for (auto &[name, semantics] : table) {
    if (name[0] != 'v' || name.starts_with("vset"))
      continue;
    semantics = [spelling = Spelling(name),
                 unrestricted = semantics](State &s, uint32_t bits) {
      return readsTwoWidths(spelling, s, Word{bits}) ? illegal()
                                                     : unrestricted(s, bits);
    };
  }
}
