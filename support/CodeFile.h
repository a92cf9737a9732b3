//===- CodeFile.h - The file that code was loaded from ----------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A program, or a shared library that programs of any kind use: what of the two
// a piece of code is in, the process knows by addresses.
//
//   auto path = codeFile(reinterpret_cast<const void *>(&someFunction));
//   if (path) ...   // "/usr/lib/libyarrow_compiler.so.0.1"
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_SUPPORT_CODEFILE_H
#define YARROW_SUPPORT_CODEFILE_H

#include <optional>
#include <string>

namespace yarrow {

/// Nullopt if no file is mapped there, or it was deleted or replaced since.
std::optional<std::string> codeFile(const void *address);

} // namespace yarrow

#endif // YARROW_SUPPORT_CODEFILE_H
