//===- NpyHeader.h - The dictionary at the head of a .npy file ------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The header of a .npy file is a Python dictionary in text form. This reads
// that dictionary only, not Python:
//
//   {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_SUPPORT_NPYHEADER_H
#define YARROW_SUPPORT_NPYHEADER_H

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace yarrow {

struct NpyHeader {
  std::string descr; ///< "" when it is not a string: a structured type.
  bool isFortranOrder = false;
  std::vector<int64_t> shape;
};

/// Returns "" and fills \p header, or says what is wrong with the text.
std::string parseNpyHeader(std::string_view text, NpyHeader &header);

} // namespace yarrow

#endif // YARROW_SUPPORT_NPYHEADER_H
