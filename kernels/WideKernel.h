//===- WideKernel.h - Kernels with the host's widest vectors ----*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// YARROW_KERNEL for kernels that take much of the evaluator's time: on hosts of
// x86-64-v4 they are compiled a second time for its vectors. No bit changes, as
// neither form contracts or reorders operations; one binary serves both. TECs
// know one form.
//
//   YARROW_WIDE_KERNEL(yk_eltwise_int, EltwiseInt) { ... p.shape ... }
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_KERNELS_WIDEKERNEL_H
#define YARROW_KERNELS_WIDEKERNEL_H

#include "kernels/Signature.h"

#ifdef __x86_64__
#define YARROW_WIDE_KERNEL(SYMBOL, NAME)                                       \
  static inline void SYMBOL##_body(const NAME::Params &p,                      \
                                   NAME##Buffers buffers, uint32_t task,       \
                                   uint32_t taskCount);                        \
  __attribute__((target("arch=x86-64-v4"), min_vector_width(512),              \
                 flatten)) static void                                         \
  SYMBOL##_wide(const NAME::Params &p, NAME##Buffers buffers, uint32_t task,   \
                uint32_t taskCount) {                                          \
    SYMBOL##_body(p, buffers, task, taskCount);                                \
  }                                                                            \
  extern "C" void SYMBOL(const void *params, void *const *buffers,             \
                         uint32_t task, uint32_t taskCount) {                  \
    const auto &p = *static_cast<const NAME::Params *>(params);                \
    NAME##Buffers named{{buffers, variadicCount(p)}};                          \
    if (__builtin_cpu_supports("x86-64-v4"))                                   \
      SYMBOL##_wide(p, named, task, taskCount);                                \
    else                                                                       \
      SYMBOL##_body(p, named, task, taskCount);                                \
  }                                                                            \
  static inline void SYMBOL##_body(const NAME::Params &p,                      \
                                   NAME##Buffers buffers, uint32_t task,       \
                                   uint32_t taskCount)
#else
#define YARROW_WIDE_KERNEL(SYMBOL, NAME) YARROW_KERNEL(SYMBOL, NAME)
#endif

#endif // YARROW_KERNELS_WIDEKERNEL_H
