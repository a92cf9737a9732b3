//===- ElfWriter.h - Writes the executable ----------------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Puts program, descriptors, constants and the map of tensors into the ELF that
// the Compass driver loads (isa/ElfLayout.h). Regions are numbered: 0 SRAM,
// 1 constants, 2 workspace, then inputs, then outputs; the driver patches the
// address of each into the parameter block.
//
//   ExecutableInput input;
//   input.text = program.text; ...
//   input.weights = {bytesOf(conv1Weights), bytesOf(conv1Bias)};
//   input.inputs = {{"image", isa::DataS8, 224 * 224 * 3, 127.0f, 0}};
//   return writeExecutable(input, "aipu.bin", diags);
//
// Constants are written without a copy in memory. The same input gives the same
// bytes.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_CODEGEN_ELFWRITER_H
#define YARROW_CODEGEN_ELFWRITER_H

#include "codegen/ExecutableInput.h"
#include "support/Diagnostics.h"
#include <cstdint>
#include <optional>
#include <string>

namespace yarrow {

/// False (and CodegenFailed or FileUnwritable is reported) if the parts exceed
/// the device's address space or the file cannot be written. An empty \p path
/// writes nothing. A file of constants goes into its folder.
bool writeExecutable(const ExecutableInput &input, const std::string &path,
                     DiagnosticEngine &diags);
/// The same file in memory; nullopt instead of false.
std::optional<std::string> executableBytes(const ExecutableInput &input,
                                           DiagnosticEngine &diags);

/// Whether the device's memory holds so many bytes: what a network needs before
/// anything is known of its plan, or with it. Else a diagnostic with \p what
/// takes them.
bool fitsDeviceMemory(uint64_t sizeBytes, const std::string &what,
                      DiagnosticEngine &diags);

} // namespace yarrow

#endif // YARROW_CODEGEN_ELFWRITER_H
