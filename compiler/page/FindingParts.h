//===- FindingParts.h - What findings are made of ---------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// What the makers of findings share: figures of a report as they are there, and
// how they are written.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_PAGE_FINDINGPARTS_H
#define YARROW_COMPILER_PAGE_FINDINGPARTS_H

#include "support/Format.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <string>

namespace yarrow::finding {

using Json = nlohmann::ordered_json;

/// Layers that a finding lists.
inline constexpr std::size_t kMostLayers = 6;

/// 0 where the report does not have it.
inline uint64_t countOf(const Json &layer, const char *key) {
  auto it = layer.find(key);
  return it != layer.end() && it->is_number() ? it->get<uint64_t>() : 0;
}

inline std::string textOrNone(const Json &object, const char *key) {
  auto it = object.find(key);
  return it != object.end() && it->is_string() ? it->get<std::string>() : "";
}

/// "12.5 %", as the rest of the page has it.
inline std::string shareText(double part, double whole, int digits = 1) {
  return formatFixed(100 * part / whole, digits) + " %";
}

/// "3 layers", "1 layer"
inline std::string layersText(std::size_t count) {
  return formatCount(count) + (count == 1 ? " layer" : " layers");
}

} // namespace yarrow::finding

#endif // YARROW_COMPILER_PAGE_FINDINGPARTS_H
