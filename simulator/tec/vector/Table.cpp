//===- Table.cpp - The vector handlers of one set of host instructions ----===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "simulator/tec/vector/Lanes.h"

namespace yarrow::sim::tec::YARROW_TEC_SIMD {

#define RISCV_INST(...)
#define RISCV_VINST(ID, MNEMONIC, FORMAT, MATCH, MASK, EXEC, COST, ...)        \
  TEC_EXEC(EXEC);
#include "isa/RiscvInsts.def"

extern const HandlerTable handlers;
const HandlerTable handlers = {{
#define RISCV_INST(...) nullptr,
#define RISCV_VINST(ID, MNEMONIC, FORMAT, MATCH, MASK, EXEC, COST, ...)        \
  exec_##EXEC,
#include "isa/RiscvInsts.def"
}};

} // namespace yarrow::sim::tec::YARROW_TEC_SIMD
