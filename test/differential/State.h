//===- State.h - The registers that a program saves at its end --*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Offsets from kStateAddress, shared by the code that saves and the code that
// explains a difference.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_TEST_DIFFERENTIAL_STATE_H
#define YARROW_TEST_DIFFERENTIAL_STATE_H

#include <cstdint>
#include <iterator>

namespace yarrow::differential {

struct SavedCsr {
  const char *name;
  uint32_t number;
};
/// In the order in which they are saved: vstart before it is cleared.
inline constexpr SavedCsr kSavedCsrs[] = {
    {"vstart", 0x008}, {"fcsr", 0x003},  {"fflags", 0x001}, {"frm", 0x002},
    {"vxsat", 0x009},  {"vxrm", 0x00A},  {"vcsr", 0x00F},   {"vl", 0xC20},
    {"vtype", 0xC21},  {"vlenb", 0xC22},
};

inline constexpr uint32_t kStateOfCsrs = 32 * 4;
inline constexpr uint32_t kStateOfF = 0x100;
inline constexpr uint32_t kStateOfV = 0x400;
inline constexpr uint32_t kSavedBytes = kStateOfV + 32 * 32;
static_assert(kStateOfCsrs + 4 * std::size(kSavedCsrs) <= kStateOfF);

} // namespace yarrow::differential

#endif // YARROW_TEST_DIFFERENTIAL_STATE_H
