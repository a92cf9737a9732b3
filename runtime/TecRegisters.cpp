//===- TecRegisters.cpp - The registers of a TEC as text ------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "runtime/TecRegisters.h"

#include "isa/TecInsts.h"
#include <cstdio>
#include <cstring>

using namespace yarrow;
using namespace yarrow::runtime;

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
      add(isa::tec::xRegisterName(i), hex(x[i], 8));
  for (unsigned i = 0; i < 32; ++i)
    if (f[i] != before.f[i])
      add(isa::tec::fRegisterName(i), hex(f[i], 16));
  if (v != before.v)
    for (unsigned i = 0; i < 32; ++i)
      if (v[i] != before.v[i])
        add("v" + std::to_string(i), hex(v[i]));
  for (const Single &s : kSingles)
    if (this->*s.value != before.*s.value)
      add(s.name, hex(this->*s.value, 8));
  return text;
}
