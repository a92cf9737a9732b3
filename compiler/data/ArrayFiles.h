//===- ArrayFiles.h - Files of arrays by their endings ----------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// What a path means as an input and as an output is the same: its ending
// decides, in any case.
//
//   if (isNpz("A.NPZ"))
//     readNpz("A.NPZ", diags);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_DATA_ARRAYFILES_H
#define YARROW_COMPILER_DATA_ARRAYFILES_H

#include <string>
#include <string_view>

namespace yarrow {

/// In lower case.
std::string lowerCase(std::string_view text);

/// The extension in lower case, ".npy" of "folder/X.NPY"; "" for a path without
/// one.
std::string endingOf(const std::string &path);

/// Whether the file has a shape; others are raw tensors.
bool isNpy(const std::string &path);
/// Whether it holds several arrays by name.
bool isNpz(const std::string &path);

} // namespace yarrow

#endif // YARROW_COMPILER_DATA_ARRAYFILES_H
