//===- VectorPermutations.cpp - Slides, gathers and moves of the model ----===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "test/unit/simulator_tec/suite/Vector.h"

using namespace yarrow::reference;

static void addScalarMoves(SemanticsTable &table) {
  // To scalars whatever vl and vstart are; to vectors if vstart < vl.
  table["vmv.x.s"] = [](State &s, uint32_t bits) {
    Word w{bits};
    VType type(s.vtype);
    if (!type.isLegal)
      return illegal();
    uint64_t element = getElement(s, w.rs2(), 0, type.sew);
    setX(s, w.rd(), uint32_t(signExtend(element, unsigned(type.sew))));
    return vectorNext(s);
  };
  table["vmv.s.x"] = [](State &s, uint32_t bits) {
    Word w{bits};
    VType type(s.vtype);
    if (!type.isLegal)
      return illegal();
    if (s.vstart < s.vl)
      setElement(s, w.rd(), 0, type.sew,
                 scalarElement(s, w, Source::X, type.sew));
    return vectorNext(s);
  };
  table["vfmv.f.s"] = [](State &s, uint32_t bits) {
    Word w{bits};
    VType type(s.vtype);
    if (!type.isLegal || type.sew < 32 || s.frm > 4)
      return illegal();
    uint64_t element = getElement(s, w.rs2(), 0, type.sew);
    s.f[w.rd()] = type.sew == 32 ? element | 0xffffffff00000000 : element;
    return vectorNext(s);
  };
  table["vfmv.s.f"] = [](State &s, uint32_t bits) {
    Word w{bits};
    VType type(s.vtype);
    if (!type.isLegal || type.sew < 32 || s.frm > 4)
      return illegal();
    if (s.vstart < s.vl)
      setElement(s, w.rd(), 0, type.sew,
                 scalarElement(s, w, Source::F, type.sew));
    return vectorNext(s);
  };
}

/// Element k of the result is source(old state, k), for those that it does not
/// leave alone by returning false.
using Pick =
    std::function<bool(const State &before, unsigned k, uint64_t &element)>;
/// vd and vs2 have SEW. \p mayShare: vd may overlap vs2.
static Result permute(State &s, Word w, bool mayShare, const Pick &pick) {
  VType type(s.vtype);
  Group d = groupOf(type, w.rd(), type.sew);
  Group a = groupOf(type, w.rs2(), type.sew);
  if (!d.isLegal() || !a.isLegal() || (!mayShare && overlaps(d, a)) ||
      (!w.vm() && d.reg == 0))
    return illegal();
  State before = s;
  for (unsigned k = s.vstart; k < s.vl; ++k) {
    uint64_t element;
    if (isActive(before, w, k) && pick(before, k, element))
      setElement(s, w.rd(), k, type.sew, element);
  }
  return vectorNext(s);
}

static void addSlides(SemanticsTable &table) {
  for (bool immediate : {false, true}) {
    const char *suffix = immediate ? ".vi" : ".vx";
    table[std::string("vslideup") + suffix] = [immediate](State &s,
                                                          uint32_t bits) {
      Word w{bits};
      VType type(s.vtype);
      if (!type.isLegal)
        return illegal();
      uint64_t offset = immediate ? w.rs1() : s.x[w.rs1()];
      return permute(
          s, w, false, [=](const State &before, unsigned k, uint64_t &element) {
            if (k < offset)
              return false;
            element =
                getElement(before, w.rs2(), k - unsigned(offset), type.sew);
            return true;
          });
    };
    table[std::string("vslidedown") + suffix] = [immediate](State &s,
                                                            uint32_t bits) {
      Word w{bits};
      VType type(s.vtype);
      if (!type.isLegal)
        return illegal();
      uint64_t offset = immediate ? w.rs1() : s.x[w.rs1()];
      return permute(
          s, w, true, [=](const State &before, unsigned k, uint64_t &element) {
            uint64_t from = k + offset;
            element = from < type.vlmax() ? getElement(before, w.rs2(),
                                                       unsigned(from), type.sew)
                                          : 0;
            return true;
          });
    };
  }
  for (bool isFloat : {false, true})
    for (bool up : {false, true}) {
      std::string name = isFloat ? "vfslide1" : "vslide1";
      name += up ? "up" : "down";
      table[name + (isFloat ? ".vf" : ".vx")] = [isFloat, up](State &s,
                                                              uint32_t bits) {
        Word w{bits};
        VType type(s.vtype);
        if (!type.isLegal || (isFloat && (type.sew < 32 || s.frm > 4)))
          return illegal();
        uint64_t scalar =
            scalarElement(s, w, isFloat ? Source::F : Source::X, type.sew);
        return permute(
            s, w, !up, [=](const State &before, unsigned k, uint64_t &element) {
              if (up)
                element = k == 0 ? scalar
                                 : getElement(before, w.rs2(), k - 1, type.sew);
              else
                element = k + 1 == before.vl
                              ? scalar
                              : getElement(before, w.rs2(), k + 1, type.sew);
              return true;
            });
      };
    }
}

static void addGathers(SemanticsTable &table) {
  for (bool is16 : {false, true})
    table[is16 ? "vrgatherei16.vv" : "vrgather.vv"] = [is16](State &s,
                                                             uint32_t bits) {
      Word w{bits};
      VType type(s.vtype);
      if (!type.isLegal)
        return illegal();
      int indexBits = is16 ? 16 : type.sew;
      Group index = groupOf(type, w.rs1(), indexBits);
      if (!index.isLegal() || overlaps(groupOf(type, w.rd(), type.sew), index))
        return illegal();
      return permute(
          s, w, false, [=](const State &before, unsigned k, uint64_t &element) {
            uint64_t from = getElement(before, w.rs1(), k, indexBits);
            element = from < type.vlmax() ? getElement(before, w.rs2(),
                                                       unsigned(from), type.sew)
                                          : 0;
            return true;
          });
    };
  for (bool immediate : {false, true})
    table[immediate ? "vrgather.vi" : "vrgather.vx"] =
        [immediate](State &s, uint32_t bits) {
          Word w{bits};
          VType type(s.vtype);
          if (!type.isLegal)
            return illegal();
          uint32_t from = immediate ? w.rs1() : s.x[w.rs1()];
          return permute(s, w, false,
                         [=](const State &before, unsigned, uint64_t &element) {
                           element =
                               from < type.vlmax()
                                   ? getElement(before, w.rs2(), from, type.sew)
                                   : 0;
                           return true;
                         });
        };
  table["vcompress.vm"] = [](State &s, uint32_t bits) {
    Word w{bits};
    VType type(s.vtype);
    if (!type.isLegal || s.vstart != 0)
      return illegal();
    Group d = groupOf(type, w.rd(), type.sew);
    Group a = groupOf(type, w.rs2(), type.sew);
    if (!d.isLegal() || !a.isLegal() || overlaps(d, a) ||
        overlaps(d, maskOf(w.rs1())))
      return illegal();
    unsigned to = 0;
    for (unsigned k = 0; k < s.vl; ++k)
      if (maskBit(s, w.rs1(), k))
        setElement(s, w.rd(), to++, type.sew,
                   getElement(s, w.rs2(), k, type.sew));
    return vectorNext(s);
  };
}

static void addWholeMoves(SemanticsTable &table) {
  for (unsigned registers : {1u, 2u, 4u, 8u})
    table["vmv" + std::to_string(registers) + "r.v"] =
        [registers](State &s, uint32_t bits) {
          Word w{bits};
          VType type(s.vtype);
          if (!type.isLegal || w.rd() % registers || w.rs2() % registers)
            return illegal();
          State before = s;
          unsigned elements = registers * kVlenBits / unsigned(type.sew);
          for (unsigned k = s.vstart; k < elements; ++k)
            setElement(s, w.rd(), k, type.sew,
                       getElement(before, w.rs2(), k, type.sew));
          return vectorNext(s);
        };
}

void yarrow::reference::addVectorPermutations(SemanticsTable &table) {
  addScalarMoves(table);
  addSlides(table);
  addGathers(table);
  addWholeMoves(table);
}
