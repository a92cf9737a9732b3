//===- VectorFloat.cpp - Vector floating point of the model ---------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "test/unit/simulator_tec/suite/Vector.h"

using namespace yarrow::reference;

namespace {
using Suffixes = std::initializer_list<const char *>;
/// Of the operands in the format of the result.
using Compute = uint64_t (*)(FloatFormat f, uint64_t a, uint64_t b, uint64_t d,
                             Rounding &r);
} // namespace

static uint64_t subtract(FloatFormat f, uint64_t a, uint64_t b, Rounding &r) {
  return add(f, a, b ^ f.sign(), r);
}
/// -(a * b) + c or -(a * b) - c, where the signs say so.
static uint64_t fused(FloatFormat f, uint64_t a, uint64_t b, uint64_t c,
                      bool negateProduct, bool negateAddend, Rounding &r) {
  return fma(f, a ^ (negateProduct ? f.sign() : 0), b,
             c ^ (negateAddend ? f.sign() : 0), r);
}

static void addSameWidth(SemanticsTable &table) {
  auto add = [&](const char *base, Suffixes suffixes, Compute compute) {
    Operation op;
    op.isFloat = true;
    op.sews = 32 | 64;
    op.compute = [compute](Lane &l) {
      return compute(formatOf(l.dBits), l.a, l.b, l.d, l.r);
    };
    addOperation(table, base, suffixes, op);
  };
#define COMPUTE(EXPRESSION)                                                    \
  [](FloatFormat f, [[maybe_unused]] uint64_t a, [[maybe_unused]] uint64_t b,  \
     [[maybe_unused]] uint64_t d,                                              \
     [[maybe_unused]] Rounding &r) { return uint64_t(EXPRESSION); }
  add("vfadd", {"vv", "vf"}, COMPUTE(yarrow::reference::add(f, a, b, r)));
  add("vfsub", {"vv", "vf"}, COMPUTE(subtract(f, a, b, r)));
  add("vfrsub", {"vf"}, COMPUTE(subtract(f, b, a, r)));
  add("vfmul", {"vv", "vf"}, COMPUTE(mul(f, a, b, r)));
  add("vfdiv", {"vv", "vf"}, COMPUTE(div(f, a, b, r)));
  add("vfrdiv", {"vf"}, COMPUTE(div(f, b, a, r)));
  add("vfmin", {"vv", "vf"}, COMPUTE(minimum(f, a, b, r)));
  add("vfmax", {"vv", "vf"}, COMPUTE(maximum(f, a, b, r)));
  add("vfsgnj", {"vv", "vf"}, COMPUTE((a & ~f.sign()) | (b & f.sign())));
  add("vfsgnjn", {"vv", "vf"}, COMPUTE((a & ~f.sign()) | (~b & f.sign())));
  add("vfsgnjx", {"vv", "vf"}, COMPUTE(a ^ (b & f.sign())));
  add("vfmacc", {"vv", "vf"}, COMPUTE(fused(f, b, a, d, false, false, r)));
  add("vfnmacc", {"vv", "vf"}, COMPUTE(fused(f, b, a, d, true, true, r)));
  add("vfmsac", {"vv", "vf"}, COMPUTE(fused(f, b, a, d, false, true, r)));
  add("vfnmsac", {"vv", "vf"}, COMPUTE(fused(f, b, a, d, true, false, r)));
  add("vfmadd", {"vv", "vf"}, COMPUTE(fused(f, b, d, a, false, false, r)));
  add("vfnmadd", {"vv", "vf"}, COMPUTE(fused(f, b, d, a, true, true, r)));
  add("vfmsub", {"vv", "vf"}, COMPUTE(fused(f, b, d, a, false, true, r)));
  add("vfnmsub", {"vv", "vf"}, COMPUTE(fused(f, b, d, a, true, false, r)));
  add("vfsqrt", {"v"}, COMPUTE(yarrow::reference::sqrt(f, a, r)));
  add("vfrsqrt7", {"v"}, COMPUTE(reciprocalRoot7(f, a, r)));
  add("vfrec7", {"v"}, COMPUTE(reciprocal7(f, a, r)));
  add("vfclass", {"v"}, COMPUTE(classify(f, a)));
}

static void addSelections(SemanticsTable &table) {
  Operation op;
  op.isFloat = true;
  op.sews = 32 | 64;
  Operation merge = op, move = op;
  merge.takesCarry = true;
  merge.compute = [](Lane &l) { return l.carry ? l.b : l.a; };
  addOperation(table, "vfmerge", {"vfm"}, merge);
  move.usesA = false;
  move.compute = [](Lane &l) { return l.b; };
  table["vfmv.v.f"] = [move](State &s, uint32_t bits) {
    return runElements(s, Word{bits}, move, Source::F);
  };
}

static void addComparisons(SemanticsTable &table) {
  using Relation = bool (*)(FloatFormat, uint64_t, uint64_t, Rounding &);
  auto add = [&](const char *base, Suffixes suffixes, Relation relation) {
    Operation op;
    op.isFloat = true;
    op.toMask = true;
    op.sews = 32 | 64;
    op.compute = [relation](Lane &l) {
      return uint64_t(relation(formatOf(l.aBits), l.a, l.b, l.r));
    };
    addOperation(table, base, suffixes, op);
  };
  add("vmfeq", {"vv", "vf"}, equal);
  add("vmfne", {"vv", "vf"},
      [](FloatFormat f, uint64_t a, uint64_t b, Rounding &r) {
        return !equal(f, a, b, r);
      });
  add("vmflt", {"vv", "vf"}, less);
  add("vmfle", {"vv", "vf"}, lessEqual);
  add("vmfgt", {"vf"}, [](FloatFormat f, uint64_t a, uint64_t b, Rounding &r) {
    return less(f, b, a, r);
  });
  add("vmfge", {"vf"}, [](FloatFormat f, uint64_t a, uint64_t b, Rounding &r) {
    return lessEqual(f, b, a, r);
  });
}

static void addWidening(SemanticsTable &table) {
  auto add = [&](const char *base, Suffixes suffixes, bool aIsWide,
                 Compute compute) {
    Operation op;
    op.isFloat = true;
    op.sews = 32;
    op.resultFactor = 2;
    op.aFactor = aIsWide ? 2 : 1;
    op.compute = [compute, aIsWide](Lane &l) {
      // Exact but for signaling NaNs, which the operation would also find.
      uint64_t a = aIsWide ? l.a : convert(kSingle, kDouble, l.a, l.r);
      uint64_t b = convert(kSingle, kDouble, l.b, l.r);
      return compute(kDouble, a, b, l.d, l.r);
    };
    addOperation(table, base, suffixes, op);
  };
  add("vfwadd", {"vv", "vf"}, false,
      COMPUTE(yarrow::reference::add(f, a, b, r)));
  add("vfwsub", {"vv", "vf"}, false, COMPUTE(subtract(f, a, b, r)));
  add("vfwadd", {"wv", "wf"}, true,
      COMPUTE(yarrow::reference::add(f, a, b, r)));
  add("vfwsub", {"wv", "wf"}, true, COMPUTE(subtract(f, a, b, r)));
  add("vfwmul", {"vv", "vf"}, false, COMPUTE(mul(f, a, b, r)));
  add("vfwmacc", {"vv", "vf"}, false,
      COMPUTE(fused(f, b, a, d, false, false, r)));
  add("vfwnmacc", {"vv", "vf"}, false,
      COMPUTE(fused(f, b, a, d, true, true, r)));
  add("vfwmsac", {"vv", "vf"}, false,
      COMPUTE(fused(f, b, a, d, false, true, r)));
  add("vfwnmsac", {"vv", "vf"}, false,
      COMPUTE(fused(f, b, a, d, true, false, r)));
}

/// v(f|fw|fn)cvt[.mode].to.from.(v|w)
static void addConversion(SemanticsTable &table, const std::string &prefix,
                          const std::string &mode, const std::string &to,
                          const std::string &from) {
  Operation op;
  op.isFloat = true;
  bool widens = prefix == "vfw", narrows = prefix == "vfn";
  op.resultFactor = widens ? 2 : 1;
  op.aFactor = narrows ? 2 : 1;
  // Floats have 32 or 64 bits.
  bool toFloat = to == "f", fromFloat = from == "f";
  op.sews = 0;
  for (int sew : {8, 16, 32, 64}) {
    int toBits = sew * op.resultFactor, fromBits = sew * op.aFactor;
    bool toFits = toFloat ? toBits == 32 || toBits == 64 : toBits <= 64;
    bool fromFits =
        fromFloat ? fromBits == 32 || fromBits == 64 : fromBits <= 64;
    if (toFits && fromFits)
      op.sews |= sew;
  }
  op.compute = [=](Lane &l) -> uint64_t {
    Rounding r = l.r;
    if (mode == "rtz.")
      r.mode = Mode::TowardZero;
    if (mode == "rod.")
      r.mode = Mode::ToOdd;
    uint64_t result;
    if (toFloat && fromFloat)
      result = convert(formatOf(l.aBits), formatOf(l.dBits), l.a, r);
    else if (toFloat)
      result =
          fromInteger(formatOf(l.dBits),
                      from == "x" ? __int128(l.signedA()) : __int128(l.a), r);
    else
      result =
          toInteger(formatOf(l.aBits), l.a, unsigned(l.dBits), to == "x", r);
    l.r.flags = r.flags;
    return result;
  };
  std::string name =
      prefix + "cvt." + mode + to + "." + from + (narrows ? ".w" : ".v");
  table[name] = [op](State &s, uint32_t bits) {
    return runElements(s, Word{bits}, op, Source::None);
  };
}

void yarrow::reference::addVectorFloat(SemanticsTable &table) {
  addSameWidth(table);
  addSelections(table);
  addComparisons(table);
  addWidening(table);
  for (const char *prefix : {"vf", "vfw", "vfn"}) {
    for (const char *integer : {"x", "xu"}) {
      addConversion(table, prefix, "", integer, "f");
      addConversion(table, prefix, "rtz.", integer, "f");
      addConversion(table, prefix, "", "f", integer);
    }
    if (prefix != std::string("vf"))
      addConversion(table, prefix, "", "f", "f");
  }
  addConversion(table, "vfn", "rod.", "f", "f");
}
