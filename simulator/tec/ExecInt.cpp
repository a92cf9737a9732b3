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
// One TEC sees its own accesses in order.
TEC_EXEC(fence) { TEC_NEXT; }
TEC_EXEC(ecall) {
  if (!c->options.hasSystemCalls)
    TEC_FAULT("ecall, and a TEC has no system calls", i->pc);
  c->pc = i->pc + 4;
  c->stop = TecStop::Call;
  c->leftAtStop = left - (i - block) - 1;
}
TEC_EXEC(ebreak) { TEC_FAULT("ebreak", i->pc); }

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

#define TEC_LOAD(NAME, TYPE)                                                   \
  TEC_EXEC(NAME) {                                                             \
    uint32_t address = S + IMM;                                                \
    const uint8_t *from = c->at(address, sizeof(TYPE));                        \
    if (!from) [[unlikely]]                                                    \
      TEC_FAULT("load outside of memory", address);                            \
    TYPE value;                                                                \
    std::memcpy(&value, from, sizeof value);                                   \
    RD = uint32_t(value);                                                      \
    TEC_NEXT;                                                                  \
  }
TEC_LOAD(lb, int8_t)
TEC_LOAD(lh, int16_t)
TEC_LOAD(lw, uint32_t)
TEC_LOAD(lbu, uint8_t)
TEC_LOAD(lhu, uint16_t)

#define TEC_STORE(NAME, TYPE)                                                  \
  TEC_EXEC(NAME) {                                                             \
    uint32_t address = S + IMM;                                                \
    uint8_t *to = c->at(address, sizeof(TYPE));                                \
    if (!to) [[unlikely]]                                                      \
      TEC_FAULT("store outside of memory", address);                           \
    TYPE value = TYPE(T);                                                      \
    std::memcpy(to, &value, sizeof value);                                     \
    TEC_NEXT;                                                                  \
  }
TEC_STORE(sb, uint8_t)
TEC_STORE(sh, uint16_t)
TEC_STORE(sw, uint32_t)

// Atomics use the host's, so TECs may run on several host threads.
#define TEC_ATOMIC_ADDRESS                                                     \
  uint32_t address = S;                                                        \
  auto *word = reinterpret_cast<uint32_t *>(c->at(address, 4));                \
  if (!word || address % 4 != 0) [[unlikely]]                                  \
  TEC_FAULT("atomic access outside of memory or misaligned", address)

TEC_EXEC(lr_w) {
  TEC_ATOMIC_ADDRESS;
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
