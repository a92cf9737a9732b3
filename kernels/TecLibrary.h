//===- TecLibrary.h - The kernels, compiled for the TECs ------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Every kernel of Kernels.def and the functions that the compiler may call
// (tec/Builtins.cpp), for riscv32 with rv32imafdv_zvl256b and ABI ilp32d: as
// LLVM bitcode, to be specialized, and as position-independent machine code, to
// be linked. Neither has undefined symbols. Library yarrow_kernels_tec carries
// both in the program.
//
//   llvm::MemoryBufferRef bitcode(toStringRef(tecLibraryBitcode()), "tec");
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_KERNELS_TECLIBRARY_H
#define YARROW_KERNELS_TECLIBRARY_H

#include <cstdint>
#include <span>

/// First bytes and sizes; see the generated assembly.
extern "C" const uint8_t yarrow_tec_library_bc[];
extern "C" const uint64_t yarrow_tec_library_bc_size;
extern "C" const uint8_t yarrow_tec_library_o[];
extern "C" const uint64_t yarrow_tec_library_o_size;

namespace yarrow::kernels {

inline std::span<const uint8_t> tecLibraryBitcode() {
  return {yarrow_tec_library_bc, size_t(yarrow_tec_library_bc_size)};
}

/// A relocatable ELF file; each function has a section of its own.
inline std::span<const uint8_t> tecLibraryObject() {
  return {yarrow_tec_library_o, size_t(yarrow_tec_library_o_size)};
}

} // namespace yarrow::kernels

#endif // YARROW_KERNELS_TECLIBRARY_H
