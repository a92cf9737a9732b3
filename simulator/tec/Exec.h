//===- Exec.h - What files of handlers share --------------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Private to simulator/tec. TEC_EXEC(NAME) { ... TEC_NEXT; } defines the
// handler that the EXEC column of isa/RiscvInsts.def names.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_SIMULATOR_TEC_EXEC_H
#define YARROW_SIMULATOR_TEC_EXEC_H

#include "simulator/tec/Core.h"
#include <limits>

#define TEC_EXEC(NAME) TEC_HANDLER exec_##NAME(TEC_PARAMS)

/// A scalar load or store of BYTES, of which the code that follows finds the
/// host address in `host`. The immediate is relative to the window that the
/// access is expected in, so that costs one comparison; others have a handler
/// of their own, lest the common one needs a frame.
#define TEC_MEMORY_IN(WINDOW, NAME, WINDOWS, BYTES, ...)                       \
  {                                                                            \
    const HostWindow &window = c->WINDOWS.all[WINDOW];                         \
    uint32_t offset = c->x[i->rs1] + uint32_t(i->imm);                         \
    if (uint64_t(offset) + (BYTES) > window.sizeBytes) [[unlikely]]            \
      [[clang::musttail]] return elsewhere_##NAME(c, i, block, left);          \
    uint8_t *host = window.host + offset;                                      \
    __VA_ARGS__;                                                               \
    TEC_NEXT;                                                                  \
  }
#define TEC_MEMORY(NAME, ACCESS, WINDOWS, BYTES, ...)                          \
  static TEC_HANDLER elsewhere_##NAME(TEC_PARAMS) {                            \
    uint32_t address = addressOf(c, c->WINDOWS, i);                            \
    uint8_t *host = c->WINDOWS.findFurther(address, BYTES);                    \
    if (!host) [[unlikely]]                                                    \
      TEC_ACCESS_FAULT(ACCESS, address, BYTES);                                \
    __VA_ARGS__;                                                               \
    TEC_NEXT;                                                                  \
  }                                                                            \
  static TEC_HANDLER second_##NAME(TEC_PARAMS)                                 \
      TEC_MEMORY_IN(1, NAME, WINDOWS, BYTES, __VA_ARGS__) TEC_EXEC(NAME)       \
          TEC_MEMORY_IN(0, NAME, WINDOWS, BYTES, __VA_ARGS__)
#define TEC_LOADS(NAME, BYTES, ...)                                            \
  TEC_MEMORY(NAME, Access::Read, readable, BYTES, __VA_ARGS__)
#define TEC_STORES(NAME, BYTES, ...)                                           \
  TEC_MEMORY(NAME, Access::Write, writable, BYTES, __VA_ARGS__)

namespace yarrow::sim::tec {

/// Division of the M and V extensions: by zero gives all ones, and the least
/// value divided by -1 is itself (remainder 0).
template <class T> static inline T divide(T a, T b) {
  if (b == 0)
    return T(-1);
  if (std::numeric_limits<T>::is_signed && b == T(-1))
    return T(0 - uint64_t(a));
  return T(a / b);
}
template <class T> static inline T remainder(T a, T b) {
  if (b == 0)
    return a;
  if (std::numeric_limits<T>::is_signed && b == T(-1))
    return 0;
  return T(a % b);
}

/// value << amount, for loops over lanes. On x86 without AVX2 compilers shift
/// vectors by amounts that vary through conversions from float, which raise
/// flags (see Core::fflags); they do not see through the asm.
template <class T> static inline T shiftLeft(T value, T amount) {
#if defined(__SSE2__) && !defined(__AVX2__)
  asm("" : "+r"(amount));
#endif
  return T(value << amount);
}

} // namespace yarrow::sim::tec

#endif // YARROW_SIMULATOR_TEC_EXEC_H
