//===- FileName.h - Names that become file names ----------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The name of a model is the first part of the names of files and is part of IR
// text. A name that is a path would write to another folder, and a name with
// brackets or line ends could not be read back.
//
//   if (std::string_view why = whyNoFileName(name); !why.empty())
//     diags.report(diag::ConfigBadValue, place, "...").expected(why);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_SUPPORT_FILENAME_H
#define YARROW_SUPPORT_FILENAME_H

#include "support/diagnostics/Settings.h"

#include <string_view>

namespace yarrow {

/// Why \p name cannot be the first part of a file name, or "" if it can.
constexpr std::string_view whyNoFileName(std::string_view name) {
  // The system's 255 less what is put behind a name, such as
  // "_statistic_info.npy" and the ending of a temporary file.
  constexpr std::size_t kMostBytes = 200;
  constexpr std::string_view kSyntax = "/\\=,[]#'\"";
  if (name.empty())
    return "it must not be empty";
  if (name.size() > kMostBytes)
    return "it must not be longer than 200 bytes";
  if (name == "." || name == "..")
    return "it must not be a folder";
  for (char c : name) {
    if (c == '/' || c == '\\')
      return "it must not be a path";
    if (c < ' ' || c > '~')
      return "it must be printable ASCII";
    if (kSyntax.find(c) != std::string_view::npos)
      return "it must not have = , [ ] # or quotes";
  }
  if (name.front() == ' ' || name.back() == ' ')
    return "it must not begin or end with a blank";
  return "";
}

} // namespace yarrow

#endif // YARROW_SUPPORT_FILENAME_H
