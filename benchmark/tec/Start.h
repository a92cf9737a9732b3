//===- Start.h - How a benchmark of a TEC starts and ends -------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// For programs without a C library, which Linux and TecProcess start alike:
// defines _start, which calls main and exits with its result.
//
//   #include "benchmark/tec/Start.h"
//   int main(void) { return 0; }
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_BENCHMARK_TEC_START_H
#define YARROW_BENCHMARK_TEC_START_H

#include <stdint.h>

#ifdef __cplusplus
extern "C"
#endif
    int main(void);

__asm__(".globl _start\n"
        "_start:\n"
        "  call main\n"
        "  li a7, 93\n"
        "  ecall\n");

#endif // YARROW_BENCHMARK_TEC_START_H
