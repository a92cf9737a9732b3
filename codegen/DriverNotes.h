//===- DriverNotes.h - What the driver needs to load a program --*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The contents of the small notes of an executable, from the sizes of its
// parts (isa/ElfLayout.h has the structures, docs/executable.md the meaning):
//
//   std::string bytes = featureMapNote(input);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_CODEGEN_DRIVERNOTES_H
#define YARROW_CODEGEN_DRIVERNOTES_H

#include "codegen/ExecutableInput.h"
#include <string>

namespace yarrow {

/// Note "weight", one part behind the other: the constants, then each state at
/// an aligned place. They live as long as \p input.
std::vector<std::span<const std::byte>>
weightParts(const ExecutableInput &input);
/// Of all of them together.
uint64_t weightBytes(const ExecutableInput &input);

/// The device memory that the driver will allocate, at most.
uint64_t deviceMemoryBytes(const ExecutableInput &input);

/// The parameter block before the driver patches it.
std::string rodataNote(const ExecutableInput &input);
/// Constants, workspace, inputs and outputs: sizes, and which words of the
/// parameter block hold their addresses.
std::string featureMapNote(const ExecutableInput &input);
/// Where the parameter block refers to the descriptors.
std::string remapNote(const ExecutableInput &input);
std::string subgraphsNote(const ExecutableInput &input);
std::string compilerMessageNote(const ExecutableInput &input);
// Of a file with several programs.
std::string globalParametersNote(const ExecutableInput &input);
std::string inputShapesNote(const ExecutableInput &input);
/// The name of the file of constants, and the SHA-256 of what is in it.
std::string extraWeightsNote(const ExecutableInput &input);

} // namespace yarrow

#endif // YARROW_CODEGEN_DRIVERNOTES_H
