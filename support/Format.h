//===- Format.h - Numbers as people read them -----------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The few number formats that reports share, independent of the locale.
//
//   formatCount(1234567)   "1,234,567"
//   formatBytes(4194304)   "4.00 MB"     (1 MB = 1024 * 1024 bytes)
//   formatFixed(0.12345,2) "0.12"
//   formatPercent(1, 8)    "12.5%"
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_SUPPORT_FORMAT_H
#define YARROW_SUPPORT_FORMAT_H

#include <cstdint>
#include <string>

namespace yarrow {

std::string formatCount(uint64_t value);
std::string formatBytes(uint64_t sizeBytes);
std::string formatFixed(double value, int digits);
/// part of whole; "-" when the whole is zero.
std::string formatPercent(double part, double whole, int digits = 1);

} // namespace yarrow

#endif // YARROW_SUPPORT_FORMAT_H
