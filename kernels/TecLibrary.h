//===- TecLibrary.h - The kernels as bitcode for the TECs -----------*- C++
//-*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// LLVM bitcode of every kernel of Kernels.def and of the functions that the
// compiler may call (tec/Builtins.cpp), for riscv32 with rv32imafdv_zvl256b and
// ABI ilp32d. It has no undefined symbols. Library yarrow_kernels_tec carries
// it in the program.
//
//   llvm::MemoryBufferRef bitcode(toStringRef(tecLibraryBitcode()), "tec");
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_KERNELS_TECLIBRARY_H
#define YARROW_KERNELS_TECLIBRARY_H

#include <cstdint>
#include <span>

/// First byte of the bitcode and its size; see the generated assembly.
extern "C" const uint8_t yarrow_tec_library_bc[];
extern "C" const uint64_t yarrow_tec_library_bc_size;

namespace yarrow::kernels {

inline std::span<const uint8_t> tecLibraryBitcode() {
  return {yarrow_tec_library_bc, size_t(yarrow_tec_library_bc_size)};
}

} // namespace yarrow::kernels

#endif // YARROW_KERNELS_TECLIBRARY_H
