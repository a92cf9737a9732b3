//===- NameList.h - The first of many names, for messages -------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//   nameList({"a", "b", "c", "d", "e"})   "a, b, c and 2 more"
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_SUPPORT_NAMELIST_H
#define YARROW_SUPPORT_NAMELIST_H

#include "support/Format.h"

#include <span>
#include <string>

namespace yarrow {

inline std::string nameList(std::span<const std::string> names,
                            const char *separator = ", ") {
  constexpr std::size_t kMostReported = 3;
  std::string text;
  for (std::size_t i = 0; i < names.size() && i < kMostReported; ++i)
    text += (i ? separator : "") + names[i];
  if (names.size() > kMostReported)
    text += " and " + formatCount(names.size() - kMostReported) + " more";
  return text;
}

} // namespace yarrow

#endif // YARROW_SUPPORT_NAMELIST_H
