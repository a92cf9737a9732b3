//===- TecRegisters.cpp - The registers of a TEC as text ------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "runtime/TecRegisters.h"

#include <cstdio>
#include <cstring>

using namespace yarrow;
using namespace yarrow::runtime;

const char *runtime::xRegisterName(unsigned reg) {
  static constexpr const char *names[32] = {
      "zero", "ra", "sp", "gp", "tp",  "t0",  "t1", "t2", "s0", "s1", "a0",
      "a1",   "a2", "a3", "a4", "a5",  "a6",  "a7", "s2", "s3", "s4", "s5",
      "s6",   "s7", "s8", "s9", "s10", "s11", "t3", "t4", "t5", "t6"};
  return names[reg];
}

const char *runtime::fRegisterName(unsigned reg) {
  static constexpr const char *names[32] = {
      "ft0", "ft1", "ft2",  "ft3",  "ft4", "ft5", "ft6",  "ft7",
      "fs0", "fs1", "fa0",  "fa1",  "fa2", "fa3", "fa4",  "fa5",
      "fa6", "fa7", "fs2",  "fs3",  "fs4", "fs5", "fs6",  "fs7",
      "fs8", "fs9", "fs10", "fs11", "ft8", "ft9", "ft10", "ft11"};
  return names[reg];
}

TecRegisters TecRegisters::of(const sim::Tec &tec) {
  TecRegisters r;
  for (unsigned i = 0; i < 32; ++i) {
    r.x[i] = tec.x(i);
    r.f[i] = tec.f(i);
    std::memcpy(r.v[i].data(), tec.v(i), r.v[i].size());
  }
  r.fcsr = tec.fcsr();
  r.vl = tec.vl();
  r.vtype = tec.vtype();
  r.vstart = tec.vstart();
  r.vcsr = tec.vcsr();
  return r;
}

static std::string hex(uint64_t value, int digits) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%0*llx", digits,
                (unsigned long long)value);
  return text;
}

static std::string hex(const std::array<uint8_t, sim::Tec::kVlenBytes> &bytes) {
  std::string text = "0x";
  for (size_t i = bytes.size(); i-- > 0;) {
    char digits[4];
    std::snprintf(digits, sizeof digits, "%02x", bytes[i]);
    text += digits;
  }
  return text;
}

namespace {
/// The registers that are not in a file, with the names of their CSRs.
struct Single {
  const char *name;
  uint32_t TecRegisters::*value;
};
constexpr Single kSingles[] = {{"fcsr", &TecRegisters::fcsr},
                               {"vl", &TecRegisters::vl},
                               {"vtype", &TecRegisters::vtype},
                               {"vstart", &TecRegisters::vstart},
                               {"vcsr", &TecRegisters::vcsr}};
} // namespace

std::string TecRegisters::str() const {
  std::string text;
  auto line = [&](const std::string &name, const std::string &value) {
    text += name + " " + value + "\n";
  };
  for (unsigned i = 0; i < 32; ++i)
    line("x" + std::to_string(i), hex(x[i], 8));
  for (unsigned i = 0; i < 32; ++i)
    line("f" + std::to_string(i), hex(f[i], 16));
  for (unsigned i = 0; i < 32; ++i)
    line("v" + std::to_string(i), hex(v[i]));
  for (const Single &s : kSingles)
    line(s.name, hex(this->*s.value, 8));
  return text;
}

std::string TecRegisters::changesSince(const TecRegisters &before) const {
  std::string text;
  auto add = [&](const std::string &name, const std::string &value) {
    text += " " + name + "=" + value;
  };
  for (unsigned i = 0; i < 32; ++i)
    if (x[i] != before.x[i])
      add(xRegisterName(i), hex(x[i], 8));
  for (unsigned i = 0; i < 32; ++i)
    if (f[i] != before.f[i])
      add(fRegisterName(i), hex(f[i], 16));
  if (v != before.v)
    for (unsigned i = 0; i < 32; ++i)
      if (v[i] != before.v[i])
        add("v" + std::to_string(i), hex(v[i]));
  for (const Single &s : kSingles)
    if (this->*s.value != before.*s.value)
      add(s.name, hex(this->*s.value, 8));
  return text;
}
