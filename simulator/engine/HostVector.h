//===- HostVector.h - Loops compiled for several host processors ----------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// One binary serves hosts with and without wide vectors: the loader picks the
// version of a marked function that fits. Results are the same in all of them.
//
//   YARROW_HOST_CLONES void addRows(int32_t *a, const int32_t *b, size_t n) {
//     for (size_t i = 0; i < n; ++i) a[i] += b[i];
//   }
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_SIMULATOR_ENGINE_HOSTVECTOR_H
#define YARROW_SIMULATOR_ENGINE_HOSTVECTOR_H

#if defined(__x86_64__) && defined(__ELF__)
#define YARROW_HOST_CLONES                                                     \
  __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define YARROW_HOST_CLONES
#endif

#endif // YARROW_SIMULATOR_ENGINE_HOSTVECTOR_H
