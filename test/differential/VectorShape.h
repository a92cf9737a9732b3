//===- VectorShape.h - Registers that a vector instruction names ----------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Element widths and register groups of each operand, by the rules of the V
// extension (not from the simulator, which is under test), and what the rules
// permit.
//
//   VectorShape shape = shapeOf(InstId::vwmacc_vv);
//   if (shape.isLegal({.sewLog2 = 0, .lmulLog2 = 2}))
//     VectorRegs regs = chooseRegs(shape, config, random);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_TEST_DIFFERENTIAL_VECTORSHAPE_H
#define YARROW_TEST_DIFFERENTIAL_VECTORSHAPE_H

#include "test/Random.h"
#include "test/differential/Program.h"

namespace yarrow::differential {

struct VectorConfig {
  int sewLog2 = 0;  ///< Of bytes.
  int lmulLog2 = 0; ///< -3 to 3.
  uint32_t vlmax() const { return 1u << (5 - sewLog2 + lmulLog2); }
  /// V 3.4.2: SEW up to LMUL * ELEN for fractions.
  bool isLegal() const { return sewLog2 <= 3 + (lmulLog2 < 0 ? lmulLog2 : 0); }
};

enum class Width : uint8_t {
  None,
  Sew,      ///< SEW, LMUL.
  Wide,     ///< Twice SEW, twice LMUL.
  Fraction, ///< SEW and LMUL divided by 2^fractionLog2.
  Fixed,    ///< EEW of 2^eewLog2 bytes, EMUL in proportion.
  Mask,     ///< One register of bits.
  Element,  ///< Element 0 of a register, SEW.
  WideElement,
  Whole, ///< wholeRegs registers, whatever vtype says.
};

/// Registers of an operand under a configuration.
struct Group {
  int eewLog2 = 0; ///< Of bytes; -3 is a mask.
  int emulLog2 = 0;
  unsigned regs = 1; ///< All fields.
  unsigned alignment = 1;
};

struct VectorShape {
  Width d = Width::None, t = Width::None, s = Width::None;
  uint8_t fractionLog2 = 0;
  uint8_t eewLog2 = 0; ///< Of Fixed.
  uint8_t fields = 1;  ///< Of a segment, for d.
  uint8_t wholeRegs = 1;
  bool noOverlap = false; ///< d may not share registers with a source.
  bool readsD = false;    ///< d is a source too (multiply-add, stores).
  bool isMaskable = true; ///< Bit 25 is free.
  bool readsV0 = false;   ///< v0 is an operand (vadc).
  bool writesD = true;
  int8_t minSewLog2 = 0, maxSewLog2 = 3;

  Group group(Width width, const VectorConfig &config) const;
  bool isLegal(const VectorConfig &config) const;
};

/// True for instructions of V other than those that set the configuration.
bool isVector(InstId id);
VectorShape shapeOf(InstId id);

struct VectorRegs {
  unsigned d = 0, t = 0, s = 0;
  bool masked = false;
};
/// Registers that V 5.2 and 5.3 permit.
VectorRegs chooseRegs(const VectorShape &shape, const VectorConfig &config,
                      testing::Random &random);

} // namespace yarrow::differential

#endif // YARROW_TEST_DIFFERENTIAL_VECTORSHAPE_H
