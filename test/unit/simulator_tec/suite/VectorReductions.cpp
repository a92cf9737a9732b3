//===- VectorReductions.cpp - Reductions of the model ---------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "test/unit/simulator_tec/suite/Vector.h"

using namespace yarrow::reference;

namespace {
/// sum and element have the width of the result.
using Step = uint64_t (*)(uint64_t sum, uint64_t element, int bits,
                          Rounding &r);
struct Reduction {
  Step step;
  int resultFactor = 1;
  bool isFloat = false;
  bool isSigned = false;
};
} // namespace

static Result reduce(State &s, Word w, const Reduction &reduction) {
  VType type(s.vtype);
  if (!type.isLegal || s.vstart != 0)
    return illegal();
  int wide = type.sew * reduction.resultFactor;
  if (reduction.isFloat && (type.sew < 32 || s.frm > 4))
    return illegal();
  Group source = groupOf(type, w.rs2(), type.sew);
  if (wide > kElenBits || !source.isLegal())
    return illegal();
  if (s.vl == 0)
    return vectorNext(s);
  Rounding r{Mode(s.frm)};
  uint64_t sum = getElement(s, w.rs1(), 0, wide);
  for (unsigned k = 0; k < s.vl; ++k) {
    if (!isActive(s, w, k))
      continue;
    uint64_t element = getElement(s, w.rs2(), k, type.sew);
    if (wide != type.sew && reduction.isFloat)
      element = convert(kSingle, kDouble, element, r);
    else if (reduction.isSigned)
      element = uint64_t(signExtend(element, unsigned(type.sew)));
    sum =
        lowBits(reduction.step(sum, lowBits(element, unsigned(wide)), wide, r),
                unsigned(wide));
  }
  s.fflags |= r.flags;
  setElement(s, w.rd(), 0, wide, sum);
  return vectorNext(s);
}

void yarrow::reference::addVectorReductions(SemanticsTable &table) {
  auto add = [&](const char *name, Reduction reduction) {
    table[std::string(name) + ".vs"] = [reduction](State &s, uint32_t bits) {
      return reduce(s, Word{bits}, reduction);
    };
  };
#define STEP(EXPRESSION)                                                       \
  [](uint64_t a, uint64_t b, [[maybe_unused]] int bits,                        \
     [[maybe_unused]] Rounding &r) { return uint64_t(EXPRESSION); }
#define SIGNED(X) signExtend(X, unsigned(bits))
  Step plus = STEP(a + b);
  add("vredsum", {plus});
  add("vredand", {STEP(a & b)});
  add("vredor", {STEP(a | b)});
  add("vredxor", {STEP(a ^ b)});
  add("vredminu", {STEP(a < b ? a : b)});
  add("vredmin", {STEP(SIGNED(a) < SIGNED(b) ? a : b)});
  add("vredmaxu", {STEP(a > b ? a : b)});
  add("vredmax", {STEP(SIGNED(a) > SIGNED(b) ? a : b)});
  add("vwredsumu", {plus, 2});
  add("vwredsum", {plus, 2, false, true});
  // The unordered sum is a sum in order, too.
  Step addFloats = STEP(yarrow::reference::add(formatOf(bits), a, b, r));
  add("vfredosum", {addFloats, 1, true});
  add("vfredusum", {addFloats, 1, true});
  add("vfwredosum", {addFloats, 2, true});
  add("vfwredusum", {addFloats, 2, true});
  add("vfredmin", {STEP(minimum(formatOf(bits), a, b, r)), 1, true});
  add("vfredmax", {STEP(maximum(formatOf(bits), a, b, r)), 1, true});
}
