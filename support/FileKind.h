//===- FileKind.h - What a file is, by its first bytes ----------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Files get mixed up: the weights for the text, an .npz for an .npy, the ONNX
// model for the IR. A reader that checks here first reports in one message what
// the file is and where it belongs, instead of a hundred about its lines.
//
//   auto file = MappedFile::open(path, diags);
//   if (!file || !isKind(FileKind::CompassIr, file->bytes(), path,
//                        diag::IrSyntax, diags))
//     return nullptr;
//
//   net.onnx: error E0201: this is an ONNX model, not the text of a Compass IR
//     hint: yarrow import converts it to Compass IR
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_SUPPORT_FILEKIND_H
#define YARROW_SUPPORT_FILEKIND_H

#include "support/Diagnostics.h"
#include "support/diagnostics/Ir.h"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace yarrow {

enum class FileKind {
  Empty,
  Text, ///< Any that is none of those below.
  CompassIr,
  Configuration,
  Json,
  Npy,
  Npz,
  Elf,
  Onnx,
  Tflite,
  QnnGraph,     ///< JSON of the QNN converters.
  QnnContainer, ///< .dlc, or its model alone.
  QnnContext,
  QnnLibrary, ///< An ELF that makes a QNN graph when it is called.
  Hdf5,
  Torch, ///< Of torch.save or torch.jit.save.
  Safetensors,
  Gguf,
  LfsPointer,
  Html,
  Image,
  Tar,
  Archive, ///< ZIP, gzip and others.
  Utf16,
  Binary, ///< Any other that is no text, such as weights.
  /// Raw bytes of tensors: what a run was given. Looked for, never found.
  Samples
};

/// By the first few kilobytes, and by the names that archives of ZIP and ELF
/// files have where their headers say.
FileKind fileKindOf(std::span<const std::byte> bytes);

/// "an ONNX model"
std::string_view describe(FileKind kind);

/// What to do about a file of \p kind in the place of one that is
/// \p expected; "" where there is nothing to say.
std::string hintFor(FileKind kind, FileKind expected, const std::string &name);

/// False, with \p id reported for \p name, if \p bytes are plainly of another
/// kind than \p expected. What may be a damaged file of that kind is left to
/// its reader, who knows better what is wrong.
bool isKind(FileKind expected, std::span<const std::byte> bytes,
            const std::string &name, DiagId id, DiagnosticEngine &diags);

} // namespace yarrow

#endif // YARROW_SUPPORT_FILEKIND_H
