//===- Npz.h - Several arrays in one .npz file ------------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// What numpy.savez and numpy.savez_compressed write: a zip archive of .npy
// files, stored or deflated, also with the sizes of Zip64. Stored arrays stay
// in the mapped file. Every offset, size and checksum is checked before use; an
// encrypted or otherwise packed member is refused.
//
//   if (auto arrays = readNpz("data.npz", diags))
//     for (const NpzArray &a : *arrays)     // in the order of the file
//       use(a.name, a.array);               // "images", float32[8,32,32,3]
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_SUPPORT_NPZ_H
#define YARROW_SUPPORT_NPZ_H

#include "support/Npy.h"

namespace yarrow {

struct NpzArray {
  std::string name; ///< Without ".npy".
  NpyView array;
};

/// nullopt after errors. The arrays' names in diagnostics are "data.npz:key".
std::optional<std::vector<NpzArray>> readNpz(const std::string &path,
                                             DiagnosticEngine &diags);

} // namespace yarrow

#endif // YARROW_SUPPORT_NPZ_H
