//===- TecLibrary.h - The kernels, compiled for the TECs ------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Every kernel of Kernels.def, for riscv32 with rv32imafdv_zvl256b and ABI
// ilp32d: as LLVM bitcode, to be specialized, and as position-independent
// machine code, to be linked. The functions that the compiler may call
// (tec/Builtins.cpp) are machine code only, since a call made late in
// compilation must find them; nothing else is undefined. Library
// yarrow_kernels_tec carries both in the program.
//
//   auto archive = llvm::object::Archive::create(
//       llvm::MemoryBufferRef(toStringRef(tecLibraryBitcode()), "tec"));
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_KERNELS_TECLIBRARY_H
#define YARROW_KERNELS_TECLIBRARY_H

#include <cstdint>
#include <span>

/// First bytes and sizes; see the generated assembly.
extern "C" const uint8_t yarrow_tec_library_a[];
extern "C" const uint64_t yarrow_tec_library_a_size;
extern "C" const uint8_t yarrow_tec_library_o[];
extern "C" const uint64_t yarrow_tec_library_o_size;

namespace yarrow::kernels {

/// An archive, with an index, of one module for each source file. None needs
/// another.
inline std::span<const uint8_t> tecLibraryBitcode() {
  return {yarrow_tec_library_a, size_t(yarrow_tec_library_a_size)};
}

/// A relocatable ELF file; each function has a section of its own.
inline std::span<const uint8_t> tecLibraryObject() {
  return {yarrow_tec_library_o, size_t(yarrow_tec_library_o_size)};
}

} // namespace yarrow::kernels

#endif // YARROW_KERNELS_TECLIBRARY_H
