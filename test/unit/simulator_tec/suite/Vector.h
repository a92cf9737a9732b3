//===- Vector.h - What the vector parts of the model share ------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// vtype, register groups and the rules about them (V 3.4, 5.2, 5.3), and a loop
// over elements for instructions that work element by element:
//
//   Operation op;                          // vwadd.vv
//   op.resultFactor = 2;
//   op.compute = [](Lane &l) { return uint64_t(l.signedA() + l.signedB()); };
//   runElements(state, word, op, Source::V);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_TEST_UNIT_SIMULATOR_TEC_SUITE_VECTOR_H
#define YARROW_TEST_UNIT_SIMULATOR_TEC_SUITE_VECTOR_H

#include "test/unit/simulator_tec/suite/Model.h"

namespace yarrow::reference {

inline constexpr unsigned kVlenBits = 256;
inline constexpr int kElenBits = 64;

struct VType {
  bool isLegal;
  int sew = 0;      ///< Bits.
  int lmulLog2 = 0; ///< -3 to 3.
  explicit VType(uint32_t vtype);
  unsigned vlmax() const {
    int bits = lmulLog2 >= 0 ? int(kVlenBits) << lmulLog2
                             : int(kVlenBits) >> -lmulLog2;
    return unsigned(bits / sew);
  }
};

/// Registers that hold elements of eew bits.
struct Group {
  unsigned reg;
  int eew;
  int emulLog2;
  unsigned registers() const { return emulLog2 > 0 ? 1u << emulLog2 : 1; }
  unsigned end() const { return reg + registers(); }
  bool isLegal() const {
    return eew >= 1 && eew <= kElenBits && emulLog2 >= -3 && emulLog2 <= 3 &&
           reg % registers() == 0;
  }
};
/// The group whose elements have \p eew bits, one per element of vtype.
Group groupOf(const VType &type, unsigned reg, int eew);
/// A mask register.
inline Group maskOf(unsigned reg) { return {reg, 1, 0}; }

inline bool overlaps(const Group &a, const Group &b) {
  return a.reg < b.end() && b.reg < a.end();
}
/// V 5.2: whether a destination may share registers with a source in the way
/// that it does.
bool mayOverlap(const Group &destination, const Group &source);

uint64_t getElement(const State &s, unsigned reg, unsigned k, int eew);
void setElement(State &s, unsigned reg, unsigned k, int eew, uint64_t value);
inline bool maskBit(const State &s, unsigned reg, unsigned k) {
  return s.v[reg * 32 + k / 8] >> (k % 8) & 1;
}
inline void setMaskBit(State &s, unsigned reg, unsigned k, bool value) {
  uint8_t &byte = s.v[reg * 32 + k / 8];
  byte = uint8_t((byte & ~(1u << k % 8)) | unsigned(value) << k % 8);
}
inline bool isActive(const State &s, Word w, unsigned k) {
  return w.vm() || maskBit(s, 0, k);
}
/// Every vector instruction leaves vstart 0.
inline Result vectorNext(State &s) {
  s.vstart = 0;
  return next(s);
}

/// Where the second operand comes from.
enum class Source {
  None,
  V,   ///< vs1
  X,   ///< x[rs1], sign-extended
  Imm, ///< simm5
  Uimm,
  F, ///< f[rs1]
};

/// Operands of an element.
struct Lane {
  uint64_t a = 0, b = 0, d = 0; ///< vs2, second operand, old vd.
  int aBits, bBits, dBits;
  bool carry = false; ///< Of v0, where it is an operand.
  State &s;
  Rounding &r;
  int64_t signedA() const { return signExtend(a, unsigned(aBits)); }
  int64_t signedB() const { return signExtend(b, unsigned(bBits)); }
};

struct Operation {
  /// Element widths are SEW times these; aDivisor divides that of vs2.
  int resultFactor = 1, aFactor = 1, bFactor = 1, aDivisor = 1;
  bool toMask = false;
  bool isFloat = false; ///< Illegal in a reserved rounding mode.
  bool usesA = true;
  /// SEW must be one of these: bits of 8, 16, 32, 64.
  int sews = 8 | 16 | 32 | 64;
  /// v0 is an operand and no mask.
  bool takesCarry = false;
  std::function<uint64_t(Lane &)> compute;
};

Result runElements(State &s, Word w, const Operation &op, Source source);

/// Adds \p op under base.suffix, with the source that the suffix says.
void addOperation(SemanticsTable &table, const std::string &base,
                  std::initializer_list<const char *> suffixes,
                  const Operation &op);

/// The scalar operand as an element of \p bits.
uint64_t scalarElement(const State &s, Word w, Source source, int bits);

inline FloatFormat formatOf(int bits) { return bits == 32 ? kSingle : kDouble; }

} // namespace yarrow::reference

#endif // YARROW_TEST_UNIT_SIMULATOR_TEC_SUITE_VECTOR_H
