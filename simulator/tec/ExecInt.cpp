//===- ExecInt.cpp - RV32I, M and A ---------------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "simulator/tec/Exec.h"

#include <cstring>

namespace yarrow::sim::tec {

#define RD c->x[i->rd]
#define S c->x[i->rs1]
#define T c->x[i->rs2]
#define IMM uint32_t(i->imm)

TEC_EXEC(lui) {
  RD = IMM;
  TEC_NEXT;
}
TEC_EXEC(auipc) {
  RD = i->pc + IMM;
  TEC_NEXT;
}
TEC_EXEC(addi) {
  RD = S + IMM;
  TEC_NEXT;
}
TEC_EXEC(slti) {
  RD = int32_t(S) < i->imm;
  TEC_NEXT;
}
TEC_EXEC(sltiu) {
  RD = S < IMM;
  TEC_NEXT;
}
TEC_EXEC(xori) {
  RD = S ^ IMM;
  TEC_NEXT;
}
TEC_EXEC(ori) {
  RD = S | IMM;
  TEC_NEXT;
}
TEC_EXEC(andi) {
  RD = S & IMM;
  TEC_NEXT;
}
TEC_EXEC(slli) {
  RD = S << IMM;
  TEC_NEXT;
}
TEC_EXEC(srli) {
  RD = S >> IMM;
  TEC_NEXT;
}
TEC_EXEC(srai) {
  RD = uint32_t(int32_t(S) >> i->imm);
  TEC_NEXT;
}
TEC_EXEC(add) {
  RD = S + T;
  TEC_NEXT;
}
TEC_EXEC(sub) {
  RD = S - T;
  TEC_NEXT;
}
TEC_EXEC(sll) {
  RD = S << (T & 31);
  TEC_NEXT;
}
TEC_EXEC(slt) {
  RD = int32_t(S) < int32_t(T);
  TEC_NEXT;
}
TEC_EXEC(sltu) {
  RD = S < T;
  TEC_NEXT;
}
TEC_EXEC(xor_) {
  RD = S ^ T;
  TEC_NEXT;
}
TEC_EXEC(srl) {
  RD = S >> (T & 31);
  TEC_NEXT;
}
TEC_EXEC(sra) {
  RD = uint32_t(int32_t(S) >> (T & 31));
  TEC_NEXT;
}
TEC_EXEC(or_) {
  RD = S | T;
  TEC_NEXT;
}
TEC_EXEC(and_) {
  RD = S & T;
  TEC_NEXT;
}
// A guarded stack: what moves sp out of it overflows. Compilers move sp by
// these three; an sp from elsewhere is caught when memory is accessed through
// it.
#define TEC_STACK(NAME, SP)                                                    \
  static TEC_HANDLER guarded_##NAME(TEC_PARAMS) {                              \
    uint32_t sp = SP;                                                          \
    if (sp - c->stackLow > c->stackBytes) [[unlikely]]                         \
      TEC_FAULT("", sp, TecFault::BadStack);                                   \
    RD = sp;                                                                   \
    TEC_NEXT;                                                                  \
  }
TEC_STACK(addi, S + IMM)
TEC_STACK(add, S + T)
TEC_STACK(sub, S - T)

Handler guardedStackHandler(InstId id) {
  switch (id) {
  case InstId::addi:
    return guarded_addi;
  case InstId::add:
    return guarded_add;
  case InstId::sub:
    return guarded_sub;
  default:
    return nullptr;
  }
}

// One TEC sees its own accesses in order.
TEC_EXEC(fence) { TEC_NEXT; }
TEC_EXEC(ecall) {
  if (!c->options.hasSystemCalls)
    TEC_FAULT("ecall: a TEC has no system calls", i->pc);
  c->pc = i->pc + 4;
  c->stop = TecStop::Call;
  c->leftAtStop = left - (i - block) - 1;
}
TEC_EXEC(ebreak) { TEC_FAULT("ebreak", i->pc, TecFault::Breakpoint); }

TEC_EXEC(mul) {
  RD = S * T;
  TEC_NEXT;
}
TEC_EXEC(mulh) {
  RD = uint32_t((int64_t(int32_t(S)) * int32_t(T)) >> 32);
  TEC_NEXT;
}
TEC_EXEC(mulhsu) {
  RD = uint32_t((int64_t(int32_t(S)) * int64_t(T)) >> 32);
  TEC_NEXT;
}
TEC_EXEC(mulhu) {
  RD = uint32_t((uint64_t(S) * T) >> 32);
  TEC_NEXT;
}
TEC_EXEC(div_) {
  RD = divide(int32_t(S), int32_t(T));
  TEC_NEXT;
}
TEC_EXEC(divu) {
  RD = divide(S, T);
  TEC_NEXT;
}
TEC_EXEC(rem) {
  RD = remainder(int32_t(S), int32_t(T));
  TEC_NEXT;
}
TEC_EXEC(remu) {
  RD = remainder(S, T);
  TEC_NEXT;
}

template <class Value> static inline Value loaded(const uint8_t *host) {
  Value value;
  std::memcpy(&value, host, sizeof value);
  return value;
}
#define TEC_LOAD(NAME, TYPE)                                                   \
  TEC_LOADS(NAME, sizeof(TYPE), RD = uint32_t(loaded<TYPE>(host)))
TEC_LOAD(lb, int8_t)
TEC_LOAD(lh, int16_t)
TEC_LOAD(lw, uint32_t)
TEC_LOAD(lbu, uint8_t)
TEC_LOAD(lhu, uint16_t)

#define TEC_STORE(NAME, TYPE)                                                  \
  TEC_STORES(NAME, sizeof(TYPE), TYPE value = TYPE(T);                         \
             std::memcpy(host, &value, sizeof value))
TEC_STORE(sb, uint8_t)
TEC_STORE(sh, uint16_t)
TEC_STORE(sw, uint32_t)

Handler secondWindowHandler(InstId id) {
  switch (id) {
  case InstId::lb:
    return second_lb;
  case InstId::lh:
    return second_lh;
  case InstId::lw:
    return second_lw;
  case InstId::lbu:
    return second_lbu;
  case InstId::lhu:
    return second_lhu;
  case InstId::sb:
    return second_sb;
  case InstId::sh:
    return second_sh;
  case InstId::sw:
    return second_sw;
  default:
    return nullptr;
  }
}

// Atomics use the host's, so TECs may run on several host threads.
#define TEC_ATOMIC_WORD(ACCESS, WINDOWS)                                       \
  uint32_t address = S;                                                        \
  uint8_t *host = c->WINDOWS.find(address, 4);                                 \
  if (!host) [[unlikely]]                                                      \
    TEC_ACCESS_FAULT(ACCESS, address, 4);                                      \
  if (address % 4 != 0) [[unlikely]]                                           \
    TEC_FAULT("misaligned atomic access", address);                            \
  auto *word = reinterpret_cast<uint32_t *>(host)
#define TEC_ATOMIC_ADDRESS TEC_ATOMIC_WORD(Access::Write, writable)

TEC_EXEC(lr_w) {
  TEC_ATOMIC_WORD(Access::Read, readable);
  c->reserved = true;
  c->reservedAddress = address;
  RD = c->reservedValue = __atomic_load_n(word, __ATOMIC_SEQ_CST);
  TEC_NEXT;
}
TEC_EXEC(sc_w) {
  TEC_ATOMIC_ADDRESS;
  bool stored = c->reserved && c->reservedAddress == address &&
                __atomic_compare_exchange_n(word, &c->reservedValue, T, false,
                                            __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
  c->reserved = false;
  RD = !stored;
  TEC_NEXT;
}
TEC_EXEC(amoswap_w) {
  TEC_ATOMIC_ADDRESS;
  RD = __atomic_exchange_n(word, T, __ATOMIC_SEQ_CST);
  TEC_NEXT;
}
#define TEC_AMO(NAME, OP)                                                      \
  TEC_EXEC(NAME) {                                                             \
    TEC_ATOMIC_ADDRESS;                                                        \
    RD = __atomic_fetch_##OP(word, T, __ATOMIC_SEQ_CST);                       \
    TEC_NEXT;                                                                  \
  }
TEC_AMO(amoadd_w, add)
TEC_AMO(amoxor_w, xor)
TEC_AMO(amoand_w, and)
TEC_AMO(amoor_w, or)
TEC_AMO(amominu_w, min)
TEC_AMO(amomaxu_w, max)
#undef TEC_AMO
#define TEC_AMO(NAME, OP)                                                      \
  TEC_EXEC(NAME) {                                                             \
    TEC_ATOMIC_ADDRESS;                                                        \
    RD = uint32_t(__atomic_fetch_##OP(reinterpret_cast<int32_t *>(word),       \
                                      int32_t(T), __ATOMIC_SEQ_CST));          \
    TEC_NEXT;                                                                  \
  }
TEC_AMO(amomin_w, min)
TEC_AMO(amomax_w, max)

} // namespace yarrow::sim::tec
