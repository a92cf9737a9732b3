//===- TecEncode.h - Words of TEC instructions ------------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Puts operands into the fields that the record of an instruction leaves free.
//
//   uint32_t word = encode(InstId::addi, {.d = 5, .s = 5, .imm = -1});
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_TEST_TECENCODE_H
#define YARROW_TEST_TECENCODE_H

#include "isa/TecInsts.h"
#include <cstdint>
#include <string_view>

namespace yarrow::testing {

/// Fields named as in isa/RiscvFormats.def; those that an instruction lacks are
/// ignored.
struct Operands {
  unsigned d = 0, s = 0, t = 0, q = 0;
  int32_t imm = 0;
  unsigned rm = 0;
  unsigned vm = 1;
};

uint32_t encode(isa::tec::InstId id, const Operands &operands);
/// True if \p name ("xs", "vt") is an operand, as isa/RiscvFormats.def has it.
bool hasOperand(isa::tec::InstId id, std::string_view name);

} // namespace yarrow::testing

#endif // YARROW_TEST_TECENCODE_H
