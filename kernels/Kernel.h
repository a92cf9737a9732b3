//===- Kernel.h - What every operator kernel looks like -------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// An operator's arithmetic is written once, here, as freestanding C++: no
// allocation, no exceptions, no C library. The host build is the reference
// evaluator; the same source compiled to RISC-V bitcode is the operator
// library of the NPU's vector cores (TECs). Every kernel has one C symbol:
//
//   extern "C" void yk_softmax(const void *params, void *const *buffers,
//                              uint32_t task, uint32_t taskCount);
//
// `params` points to the kernel's parameter struct: only fixed-size integers
// and floats, no pointers, the same bytes on a 64-bit host and a 32-bit TEC.
// `buffers` are the inputs, constants, outputs and scratch areas in the order
// that the struct's comment gives; each is aligned to its element size. A
// kernel does share `task` of `taskCount` and its result does not depend on
// taskCount. It needs less than 8 KB of stack.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_KERNELS_KERNEL_H
#define YARROW_KERNELS_KERNEL_H

#include "support/ElementType.h"

namespace yarrow::kernels {

/// Element type of a buffer.
using DType = ElementType;
constexpr uint32_t dtypeBytes(DType t) { return elementBytes(t); }

/// The half-open range of `total` items that task `task` of `taskCount` does.
struct Share {
  uint32_t begin, end;
};
inline Share shareOf(uint32_t total, uint32_t task, uint32_t taskCount) {
  uint32_t base = total / taskCount, extra = total % taskCount;
  uint32_t begin = task * base + (task < extra ? task : extra);
  return {begin, begin + base + (task < extra ? 1 : 0)};
}

using KernelFn = void (*)(const void *params, void *const *buffers,
                          uint32_t task, uint32_t taskCount);

} // namespace yarrow::kernels

#endif // YARROW_KERNELS_KERNEL_H
