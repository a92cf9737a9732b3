//===- Format.h - Numbers as people read them -----------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The few formats that messages and reports share, independent of the locale.
//
//   formatCount(1234567)   "1,234,567"
//   formatBytes(4194304)   "4.00 MB"     (1 MB = 1024 * 1024 bytes)
//   formatFixed(0.12345,2) "0.12"
//   formatPercent(1, 8)    "12.5%"
//   shapeText({1, 32, 3})  "[1,32,3]"
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_SUPPORT_FORMAT_H
#define YARROW_SUPPORT_FORMAT_H

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>

namespace yarrow {

std::string formatCount(uint64_t value);
std::string formatBytes(uint64_t sizeBytes);
std::string formatFixed(double value, int digits);
/// part of whole; "-" when the whole is zero.
std::string formatPercent(double part, double whole, int digits = 1);

std::string shapeText(std::span<const int64_t> shape);
inline std::string shapeText(std::initializer_list<int64_t> shape) {
  return shapeText(std::span(shape.begin(), shape.size()));
}
/// The index along each axis of element \p element in row-major order:
/// "[0,1,2]". No extent of \p shape may be 0.
std::string indexText(uint64_t element, std::span<const int64_t> shape);
/// "NaN", "inf" or "-inf" of a \p value that is not finite.
std::string nonFiniteText(double value);
/// \p text as a word of a command that is proposed: in quotes where a shell
/// would take it apart.
std::string shellWord(const std::string &text);

} // namespace yarrow

#endif // YARROW_SUPPORT_FORMAT_H
