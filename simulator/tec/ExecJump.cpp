//===- ExecJump.cpp - Branches, jumps and the table of scalar handlers ----===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Control transfers exist in up to four forms: timed (the taken one costs
// more) and near (the target is in the same page, so no look-up is needed).
//
//===----------------------------------------------------------------------===//
#include "simulator/tec/Exec.h"

namespace yarrow::sim::tec {

/// Goes to NEXT, which may be null if a fault is set, after I.
#define TEC_GO_TO(NEXT)                                                        \
  do {                                                                         \
    const Inst *next = NEXT;                                                   \
    if (!next) [[unlikely]]                                                    \
      [[clang::musttail]] return stopAtFault(c, i, block, left);               \
    left -= (i - block) + 1;                                                   \
    if (Timed)                                                                 \
      c->cycles += c->options.timing.takenBranchExtra;                         \
    if (left <= 0) [[unlikely]] {                                              \
      c->pc = next->pc;                                                        \
      c->stop = TecStop::Budget;                                               \
      c->leftAtStop = left;                                                    \
      return;                                                                  \
    }                                                                          \
    [[clang::musttail]] return next->handler(c, next, next, left);             \
  } while (0)

template <bool Near> static inline const Inst *target(Core *c, const Inst *i) {
  return Near ? i + (i->imm >> 2) : c->lookup(i->pc + uint32_t(i->imm));
}

#define TEC_BRANCH(NAME, TYPE, OP)                                             \
  template <bool Timed, bool Near> TEC_EXEC(NAME) {                            \
    if (TYPE(c->x[i->rs1]) OP TYPE(c->x[i->rs2]))                              \
      TEC_GO_TO((target<Near>(c, i)));                                         \
    TEC_NEXT;                                                                  \
  }
TEC_BRANCH(beq, uint32_t, ==)
TEC_BRANCH(bne, uint32_t, !=)
TEC_BRANCH(blt, int32_t, <)
TEC_BRANCH(bge, int32_t, >=)
TEC_BRANCH(bltu, uint32_t, <)
TEC_BRANCH(bgeu, uint32_t, >=)

template <bool Timed, bool Near> TEC_EXEC(jal) {
  const Inst *to = target<Near>(c, i);
  if (to) [[likely]]
    c->x[i->rd] = i->pc + 4;
  TEC_GO_TO(to);
}
template <bool Timed, bool Near> TEC_EXEC(jalr) {
  const Inst *to = c->lookup((c->x[i->rs1] + uint32_t(i->imm)) & ~1u);
  if (to) [[likely]]
    c->x[i->rd] = i->pc + 4;
  TEC_GO_TO(to);
}

/// Decoding a page again takes so many instructions' time.
static constexpr uint64_t kDecodeWork = 16 * 16384;

/// Text may have changed: what was decoded is forgotten, \p i with it.
TEC_EXEC(fence_i) {
  left -= (i - block) + 1;
  c->pc = i->pc + 4;
  c->leftAtStop = left;
  c->work += kDecodeWork;
  c->forgetText();
  const Inst *next = c->lookup(c->pc);
  if (!next || left <= 0) [[unlikely]] {
    c->stop = next ? TecStop::Budget : TecStop::Fault;
    return;
  }
  [[clang::musttail]] return next->handler(c, next, next, left);
}

#define RISCV_INST(ID, MNEMONIC, FORMAT, MATCH, MASK, EXEC, COST, ...)         \
  TEC_EXEC(EXEC);
#define RISCV_VINST(...)
#include "isa/RiscvInsts.def"

template <bool Timed, bool Near> static HandlerTable makeTable() {
  HandlerTable table = {{
#define RISCV_INST(ID, MNEMONIC, FORMAT, MATCH, MASK, EXEC, COST, ...)         \
  exec_##EXEC,
#define RISCV_VINST(...) nullptr,
#define exec_beq exec_beq<Timed, Near>
#define exec_bne exec_bne<Timed, Near>
#define exec_blt exec_blt<Timed, Near>
#define exec_bge exec_bge<Timed, Near>
#define exec_bltu exec_bltu<Timed, Near>
#define exec_bgeu exec_bgeu<Timed, Near>
#define exec_jal exec_jal<Timed, Near>
#define exec_jalr exec_jalr<Timed, Near>
#include "isa/RiscvInsts.def"
  }};
  return table;
}

const HandlerTable &scalarHandlers(bool timed, bool isNear) {
  static const HandlerTable tables[2][2] = {
      {makeTable<false, false>(), makeTable<false, true>()},
      {makeTable<true, false>(), makeTable<true, true>()}};
  return tables[timed][isNear];
}

} // namespace yarrow::sim::tec
