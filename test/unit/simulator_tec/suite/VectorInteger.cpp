//===- VectorInteger.cpp - Integer and fixed-point vector arithmetic ------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "test/unit/simulator_tec/suite/Vector.h"

using namespace yarrow::reference;

namespace {
using Compute = uint64_t (*)(Lane &);
using Suffixes = std::initializer_list<const char *>;
} // namespace

/// The amount of a shift of \p bits: its lowest bits count.
static unsigned amount(const Lane &l, int bits) {
  return unsigned(l.b & uint64_t(bits - 1));
}

/// v / 2^shift, rounded as vxrm says (V 3.8).
static __int128 roundOff(__int128 v, unsigned shift, unsigned vxrm) {
  if (shift == 0)
    return v;
  __int128 whole = v >> shift, lost = v - (whole << shift);
  __int128 half = (__int128)1 << (shift - 1);
  bool odd = whole & 1;
  switch (vxrm) {
  case 0: // nearest, up
    return whole + (lost >= half);
  case 1: // nearest, even
    return whole + (lost > half || (lost == half && odd));
  case 2: // down
    return whole;
  default: // to odd
    return whole | (lost != 0);
  }
}

/// To \p bits; sets vxsat if that changes it.
static uint64_t saturate(Lane &l, __int128 v, int bits, bool isSigned) {
  __int128 most = ((__int128)1 << (isSigned ? bits - 1 : bits)) - 1;
  __int128 least = isSigned ? -most - 1 : 0;
  __int128 clamped = v > most ? most : v < least ? least : v;
  if (clamped != v)
    l.s.vxsat = true;
  return uint64_t(clamped);
}

static uint64_t highProduct(__int128 a, __int128 b, int bits) {
  return uint64_t((unsigned __int128)(a * b) >> bits);
}

static void addSimple(SemanticsTable &table) {
  auto add = [&](const char *base, Suffixes suffixes, Compute compute) {
    Operation op;
    op.compute = compute;
    addOperation(table, base, suffixes, op);
  };
  add("vadd", {"vv", "vx", "vi"}, [](Lane &l) { return l.a + l.b; });
  add("vsub", {"vv", "vx"}, [](Lane &l) { return l.a - l.b; });
  add("vrsub", {"vx", "vi"}, [](Lane &l) { return l.b - l.a; });
  add("vminu", {"vv", "vx"}, [](Lane &l) { return l.a < l.b ? l.a : l.b; });
  add("vmaxu", {"vv", "vx"}, [](Lane &l) { return l.a > l.b ? l.a : l.b; });
  add("vmin", {"vv", "vx"},
      [](Lane &l) { return l.signedA() < l.signedB() ? l.a : l.b; });
  add("vmax", {"vv", "vx"},
      [](Lane &l) { return l.signedA() > l.signedB() ? l.a : l.b; });
  add("vand", {"vv", "vx", "vi"}, [](Lane &l) { return l.a & l.b; });
  add("vor", {"vv", "vx", "vi"}, [](Lane &l) { return l.a | l.b; });
  add("vxor", {"vv", "vx", "vi"}, [](Lane &l) { return l.a ^ l.b; });
  add("vsll", {"vv", "vx", "vu"},
      [](Lane &l) { return l.a << amount(l, l.aBits); });
  add("vsrl", {"vv", "vx", "vu"},
      [](Lane &l) { return l.a >> amount(l, l.aBits); });
  add("vsra", {"vv", "vx", "vu"},
      [](Lane &l) { return uint64_t(l.signedA() >> amount(l, l.aBits)); });
  add("vdivu", {"vv", "vx"},
      [](Lane &l) { return l.b ? l.a / l.b : ~uint64_t(0); });
  add("vremu", {"vv", "vx"}, [](Lane &l) { return l.b ? l.a % l.b : l.a; });
  add("vdiv", {"vv", "vx"}, [](Lane &l) {
    __int128 a = l.signedA(), b = l.signedB();
    return b ? uint64_t(a / b) : ~uint64_t(0);
  });
  add("vrem", {"vv", "vx"}, [](Lane &l) {
    __int128 a = l.signedA(), b = l.signedB();
    return b ? uint64_t(a % b) : l.a;
  });
  add("vmul", {"vv", "vx"}, [](Lane &l) { return l.a * l.b; });
  add("vmulhu", {"vv", "vx"}, [](Lane &l) {
    return uint64_t((unsigned __int128)l.a * l.b >> l.aBits);
  });
  add("vmulh", {"vv", "vx"},
      [](Lane &l) { return highProduct(l.signedA(), l.signedB(), l.aBits); });
  add("vmulhsu", {"vv", "vx"},
      [](Lane &l) { return highProduct(l.signedA(), (__int128)l.b, l.aBits); });
  add("vmacc", {"vv", "vx"}, [](Lane &l) { return l.b * l.a + l.d; });
  add("vnmsac", {"vv", "vx"}, [](Lane &l) { return l.d - l.b * l.a; });
  add("vmadd", {"vv", "vx"}, [](Lane &l) { return l.b * l.d + l.a; });
  add("vnmsub", {"vv", "vx"}, [](Lane &l) { return l.a - l.b * l.d; });
}

static void addCarries(SemanticsTable &table) {
  auto add = [&](const char *base, Suffixes suffixes, bool toMask,
                 Compute compute) {
    Operation op;
    op.takesCarry = true;
    op.toMask = toMask;
    op.compute = compute;
    addOperation(table, base, suffixes, op);
  };
  add("vadc", {"vvm", "vxm", "vim"}, false,
      [](Lane &l) { return l.a + l.b + l.carry; });
  add("vsbc", {"vvm", "vxm"}, false,
      [](Lane &l) { return l.a - l.b - l.carry; });
  add("vmerge", {"vvm", "vxm", "vim"}, false,
      [](Lane &l) { return l.carry ? l.b : l.a; });
  add("vmadc", {"vv", "vx", "vi", "vvm", "vxm", "vim"}, true, [](Lane &l) {
    return uint64_t(((unsigned __int128)l.a + l.b + l.carry) >> l.aBits);
  });
  add("vmsbc", {"vv", "vx", "vvm", "vxm"}, true, [](Lane &l) {
    return uint64_t((unsigned __int128)l.a < (unsigned __int128)l.b + l.carry);
  });
}

static void addComparisons(SemanticsTable &table) {
  auto add = [&](const char *base, Suffixes suffixes, Compute compute) {
    Operation op;
    op.toMask = true;
    op.compute = compute;
    addOperation(table, base, suffixes, op);
  };
  add("vmseq", {"vv", "vx", "vi"},
      [](Lane &l) { return uint64_t(l.a == l.b); });
  add("vmsne", {"vv", "vx", "vi"},
      [](Lane &l) { return uint64_t(l.a != l.b); });
  add("vmsltu", {"vv", "vx"}, [](Lane &l) { return uint64_t(l.a < l.b); });
  add("vmslt", {"vv", "vx"},
      [](Lane &l) { return uint64_t(l.signedA() < l.signedB()); });
  add("vmsleu", {"vv", "vx", "vi"},
      [](Lane &l) { return uint64_t(l.a <= l.b); });
  add("vmsle", {"vv", "vx", "vi"},
      [](Lane &l) { return uint64_t(l.signedA() <= l.signedB()); });
  add("vmsgtu", {"vx", "vi"}, [](Lane &l) { return uint64_t(l.a > l.b); });
  add("vmsgt", {"vx", "vi"},
      [](Lane &l) { return uint64_t(l.signedA() > l.signedB()); });
}

static void addMoves(SemanticsTable &table) {
  Operation move;
  move.usesA = false;
  move.compute = [](Lane &l) { return l.b; };
  const std::pair<const char *, Source> sources[] = {
      {"vmv.v.v", Source::V}, {"vmv.v.x", Source::X}, {"vmv.v.i", Source::Imm}};
  for (auto [name, source] : sources)
    table[name] = [move, source = source](State &s, uint32_t bits) {
      return runElements(s, Word{bits}, move, source);
    };
  for (int divisor : {2, 4, 8})
    for (bool isSigned : {false, true}) {
      Operation extend;
      extend.aDivisor = divisor;
      extend.sews = 8 * divisor | 16 * divisor | 32 * divisor;
      extend.compute = [isSigned](Lane &l) {
        return isSigned ? uint64_t(l.signedA()) : l.a;
      };
      std::string name = isSigned ? "vsext.vf" : "vzext.vf";
      table[name + std::to_string(divisor)] = [extend](State &s,
                                                       uint32_t bits) {
        return runElements(s, Word{bits}, extend, Source::None);
      };
    }
}

static void addWidening(SemanticsTable &table) {
  // Results of twice SEW; wrap-around does the rest.
  auto add = [&](const std::string &base, Suffixes suffixes, int aFactor,
                 Compute compute) {
    Operation op;
    op.resultFactor = 2;
    op.aFactor = aFactor;
    op.compute = compute;
    addOperation(table, base, suffixes, op);
  };
  for (int wide : {0, 1}) {
    Suffixes suffixes = {"vv", "vx"}, wideSuffixes = {"wv", "wx"};
    Suffixes these = wide ? wideSuffixes : suffixes;
    add("vwaddu", these, 1 + wide, [](Lane &l) { return l.a + l.b; });
    add("vwsubu", these, 1 + wide, [](Lane &l) { return l.a - l.b; });
    add("vwadd", these, 1 + wide,
        [](Lane &l) { return uint64_t(l.signedA()) + uint64_t(l.signedB()); });
    add("vwsub", these, 1 + wide,
        [](Lane &l) { return uint64_t(l.signedA()) - uint64_t(l.signedB()); });
  }
  auto addProduct = [&](const char *base, bool aSigned, bool bSigned,
                        bool accumulates, Suffixes suffixes) {
    Operation op;
    op.resultFactor = 2;
    op.compute = [=](Lane &l) {
      uint64_t a = aSigned ? uint64_t(l.signedA()) : l.a;
      uint64_t b = bSigned ? uint64_t(l.signedB()) : l.b;
      return a * b + (accumulates ? l.d : 0);
    };
    addOperation(table, base, suffixes, op);
  };
  addProduct("vwmulu", false, false, false, {"vv", "vx"});
  addProduct("vwmul", true, true, false, {"vv", "vx"});
  addProduct("vwmulsu", true, false, false, {"vv", "vx"}); // vs2 is signed
  addProduct("vwmaccu", false, false, true, {"vv", "vx"});
  addProduct("vwmacc", true, true, true, {"vv", "vx"});
  addProduct("vwmaccsu", false, true, true, {"vv", "vx"}); // vs1 is signed
  addProduct("vwmaccus", true, false, true, {"vx"});       // vs2 is signed
}

static void addNarrowing(SemanticsTable &table) {
  auto add = [&](const char *base, Compute compute) {
    Operation op;
    op.aFactor = 2;
    op.compute = compute;
    addOperation(table, base, {"wv", "wx", "wu"}, op);
  };
  add("vnsrl", [](Lane &l) { return l.a >> amount(l, l.aBits); });
  add("vnsra",
      [](Lane &l) { return uint64_t(l.signedA() >> amount(l, l.aBits)); });
  add("vnclipu", [](Lane &l) {
    __int128 v = roundOff((__int128)l.a, amount(l, l.aBits), l.s.vxrm);
    return saturate(l, v, l.dBits, false);
  });
  add("vnclip", [](Lane &l) {
    __int128 v = roundOff(l.signedA(), amount(l, l.aBits), l.s.vxrm);
    return saturate(l, v, l.dBits, true);
  });
}

static void addFixedPoint(SemanticsTable &table) {
  auto add = [&](const char *base, Suffixes suffixes, Compute compute) {
    Operation op;
    op.compute = compute;
    addOperation(table, base, suffixes, op);
  };
  add("vsaddu", {"vv", "vx", "vi"},
      [](Lane &l) { return saturate(l, (__int128)l.a + l.b, l.dBits, false); });
  add("vsadd", {"vv", "vx", "vi"}, [](Lane &l) {
    return saturate(l, (__int128)l.signedA() + l.signedB(), l.dBits, true);
  });
  add("vssubu", {"vv", "vx"},
      [](Lane &l) { return saturate(l, (__int128)l.a - l.b, l.dBits, false); });
  add("vssub", {"vv", "vx"}, [](Lane &l) {
    return saturate(l, (__int128)l.signedA() - l.signedB(), l.dBits, true);
  });
  add("vaaddu", {"vv", "vx"}, [](Lane &l) {
    return uint64_t(roundOff((__int128)l.a + l.b, 1, l.s.vxrm));
  });
  add("vaadd", {"vv", "vx"}, [](Lane &l) {
    return uint64_t(roundOff((__int128)l.signedA() + l.signedB(), 1, l.s.vxrm));
  });
  add("vasubu", {"vv", "vx"}, [](Lane &l) {
    return uint64_t(roundOff((__int128)l.a - l.b, 1, l.s.vxrm));
  });
  add("vasub", {"vv", "vx"}, [](Lane &l) {
    return uint64_t(roundOff((__int128)l.signedA() - l.signedB(), 1, l.s.vxrm));
  });
  add("vsmul", {"vv", "vx"}, [](Lane &l) {
    __int128 product = (__int128)l.signedA() * l.signedB();
    return saturate(l, roundOff(product, unsigned(l.dBits - 1), l.s.vxrm),
                    l.dBits, true);
  });
  add("vssrl", {"vv", "vx", "vu"}, [](Lane &l) {
    return uint64_t(roundOff((__int128)l.a, amount(l, l.aBits), l.s.vxrm));
  });
  add("vssra", {"vv", "vx", "vu"}, [](Lane &l) {
    return uint64_t(roundOff(l.signedA(), amount(l, l.aBits), l.s.vxrm));
  });
}

void yarrow::reference::addVectorInteger(SemanticsTable &table) {
  addSimple(table);
  addCarries(table);
  addComparisons(table);
  addMoves(table);
  addWidening(table);
  addNarrowing(table);
  addFixedPoint(table);
}
