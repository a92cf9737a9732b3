//===- ModelFloat.cpp - F and D -------------------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "test/unit/simulator_tec/suite/Model.h"

using namespace yarrow::reference;

/// A single that is not NaN-boxed reads as the canonical NaN.
static uint64_t readF(const State &s, FloatFormat f, unsigned reg) {
  if (f.width() == 64)
    return s.f[reg];
  return s.f[reg] >> 32 == 0xffffffff ? s.f[reg] & 0xffffffff : f.nan();
}
static void writeF(State &s, FloatFormat f, unsigned reg, uint64_t value) {
  s.f[reg] = f.width() == 64 ? value : value | 0xffffffff00000000;
}

/// Calls \p body with the rounding mode of the instruction, and accumulates
/// the flags; reserved modes are illegal.
template <class Body> static Result rounded(State &s, Word w, Body body) {
  unsigned mode = w.funct3() == 7 ? s.frm : w.funct3();
  if (mode > 4)
    return illegal();
  Rounding r{Mode(mode)};
  body(r);
  s.fflags |= r.flags;
  return next(s);
}
/// The same for instructions without a rounding mode.
template <class Body> static Result flagged(State &s, Body body) {
  Rounding r{Mode::NearestEven};
  body(r);
  s.fflags |= r.flags;
  return next(s);
}

static void addRounded(SemanticsTable &table, FloatFormat f, char suffix) {
  auto name = [suffix](const char *base) {
    return std::string(base) + "." + suffix;
  };
  using Binary = uint64_t (*)(FloatFormat, uint64_t, uint64_t, Rounding &);
  const std::pair<const char *, Binary> binaries[] = {
      {"fadd", add},
      {"fsub", [](FloatFormat f, uint64_t a, uint64_t b,
                  Rounding &r) { return add(f, a, b ^ f.sign(), r); }},
      {"fmul", mul},
      {"fdiv", div},
  };
  for (auto [base, operation] : binaries)
    table[name(base)] = [f, operation](State &s, uint32_t bits) {
      Word w{bits};
      return rounded(s, w, [&](Rounding &r) {
        writeF(s, f, w.rd(),
               operation(f, readF(s, f, w.rs1()), readF(s, f, w.rs2()), r));
      });
    };
  table[name("fsqrt")] = [f](State &s, uint32_t bits) {
    Word w{bits};
    return rounded(s, w, [&](Rounding &r) {
      writeF(s, f, w.rd(), sqrt(f, readF(s, f, w.rs1()), r));
    });
  };
  // Signs of the product and of the addend.
  struct Fused {
    const char *base;
    bool negateProduct, negateAddend;
  };
  for (Fused fused :
       {Fused{"fmadd", false, false}, Fused{"fmsub", false, true},
        Fused{"fnmsub", true, false}, Fused{"fnmadd", true, true}})
    table[name(fused.base)] = [f, fused](State &s, uint32_t bits) {
      Word w{bits};
      return rounded(s, w, [&](Rounding &r) {
        uint64_t a = readF(s, f, w.rs1()), c = readF(s, f, w.rs3());
        a ^= fused.negateProduct ? f.sign() : 0;
        c ^= fused.negateAddend ? f.sign() : 0;
        writeF(s, f, w.rd(), fma(f, a, readF(s, f, w.rs2()), c, r));
      });
    };
  for (bool isSigned : {false, true}) {
    std::string integer = isSigned ? "w" : "wu";
    table[std::string("fcvt.") + integer + "." + suffix] =
        [f, isSigned](State &s, uint32_t bits) {
          Word w{bits};
          return rounded(s, w, [&](Rounding &r) {
            setX(s, w.rd(),
                 uint32_t(toInteger(f, readF(s, f, w.rs1()), 32, isSigned, r)));
          });
        };
    table[std::string("fcvt.") + suffix + "." + integer] =
        [f, isSigned](State &s, uint32_t bits) {
          Word w{bits};
          return rounded(s, w, [&](Rounding &r) {
            uint32_t x = s.x[w.rs1()];
            __int128 value = isSigned ? __int128(int32_t(x)) : __int128(x);
            writeF(s, f, w.rd(), fromInteger(f, value, r));
          });
        };
  }
}

static void addExact(SemanticsTable &table, FloatFormat f, char suffix) {
  auto name = [suffix](const char *base) {
    return std::string(base) + "." + suffix;
  };
  using Sign = uint64_t (*)(uint64_t, uint64_t);
  const std::pair<const char *, Sign> signs[] = {
      {"fsgnj", [](uint64_t, uint64_t b) { return b; }},
      {"fsgnjn", [](uint64_t, uint64_t b) { return ~b; }},
      {"fsgnjx", [](uint64_t a, uint64_t b) { return a ^ b; }},
  };
  for (auto [base, sign] : signs)
    table[name(base)] = [f, sign](State &s, uint32_t bits) {
      Word w{bits};
      uint64_t a = readF(s, f, w.rs1()), b = readF(s, f, w.rs2());
      writeF(s, f, w.rd(), (a & ~f.sign()) | (sign(a, b) & f.sign()));
      return next(s);
    };
  for (bool isMax : {false, true})
    table[name(isMax ? "fmax" : "fmin")] = [f, isMax](State &s, uint32_t bits) {
      Word w{bits};
      return flagged(s, [&](Rounding &r) {
        uint64_t a = readF(s, f, w.rs1()), b = readF(s, f, w.rs2());
        writeF(s, f, w.rd(), isMax ? maximum(f, a, b, r) : minimum(f, a, b, r));
      });
    };
  using Relation = bool (*)(FloatFormat, uint64_t, uint64_t, Rounding &);
  const std::pair<const char *, Relation> relations[] = {
      {"feq", equal}, {"flt", less}, {"fle", lessEqual}};
  for (auto [base, relation] : relations)
    table[name(base)] = [f, relation](State &s, uint32_t bits) {
      Word w{bits};
      return flagged(s, [&](Rounding &r) {
        setX(s, w.rd(),
             relation(f, readF(s, f, w.rs1()), readF(s, f, w.rs2()), r));
      });
    };
  table[name("fclass")] = [f](State &s, uint32_t bits) {
    Word w{bits};
    setX(s, w.rd(), uint32_t(classify(f, readF(s, f, w.rs1()))));
    return next(s);
  };
}

static void addMoves(SemanticsTable &table) {
  auto conversion = [](FloatFormat from, FloatFormat to) {
    return [from, to](State &s, uint32_t bits) {
      Word w{bits};
      return rounded(s, w, [&](Rounding &r) {
        writeF(s, to, w.rd(), convert(from, to, readF(s, from, w.rs1()), r));
      });
    };
  };
  table["fcvt.s.d"] = conversion(kDouble, kSingle);
  table["fcvt.d.s"] = conversion(kSingle, kDouble);
  table["fmv.x.w"] = [](State &s, uint32_t bits) {
    Word w{bits};
    setX(s, w.rd(), uint32_t(s.f[w.rs1()]));
    return next(s);
  };
  table["fmv.w.x"] = [](State &s, uint32_t bits) {
    Word w{bits};
    writeF(s, kSingle, w.rd(), s.x[w.rs1()]);
    return next(s);
  };
  for (FloatFormat f : {kSingle, kDouble}) {
    unsigned bytes = unsigned(f.width()) / 8;
    table[bytes == 4 ? "flw" : "fld"] = [f, bytes](State &s,
                                                   uint32_t bits) -> Result {
      Word w{bits};
      uint32_t address = s.x[w.rs1()] + uint32_t(w.immI());
      uint64_t value = 0;
      if (!s.memory->read(address, &value, bytes))
        return {Outcome::MemoryFault, address};
      writeF(s, f, w.rd(), value);
      return next(s);
    };
    table[bytes == 4 ? "fsw" : "fsd"] = [bytes](State &s,
                                                uint32_t bits) -> Result {
      Word w{bits};
      uint32_t address = s.x[w.rs1()] + uint32_t(w.immS());
      if (!s.memory->write(address, &s.f[w.rs2()], bytes))
        return {Outcome::MemoryFault, address};
      return next(s);
    };
  }
}

void yarrow::reference::addFloat(SemanticsTable &table) {
  addRounded(table, kSingle, 's');
  addRounded(table, kDouble, 'd');
  addExact(table, kSingle, 's');
  addExact(table, kDouble, 'd');
  addMoves(table);
}
