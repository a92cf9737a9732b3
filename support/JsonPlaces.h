//===- JsonPlaces.h - Where the members of a JSON file stand ----*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The parser keeps values, not lines. A diagnostic about one of a thousand
// layers in a file needs the line of its key.
//
//   JsonPlaces places(text, path);
//   places.of({"conv1", "q_bits_weight"});    // {path, 17, 5}
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_SUPPORT_JSONPLACES_H
#define YARROW_SUPPORT_JSONPLACES_H

#include "support/Diagnostics.h"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace yarrow {

class JsonPlaces {
public:
  /// Of \p text, which is valid JSON; comments (//, /* */) are allowed.
  JsonPlaces(std::string_view text, std::string path);

  /// Of the key at the end of \p keys, from the outermost object inwards; the
  /// file where there is none. Objects in lists are not looked into.
  Place of(const std::vector<std::string> &keys) const;

private:
  std::string path;
  std::map<std::vector<std::string>, Place> places;
};

} // namespace yarrow

#endif // YARROW_SUPPORT_JSONPLACES_H
