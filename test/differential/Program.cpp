//===- Program.cpp - A random program and where its parts lie -------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "test/differential/Program.h"
#include "test/differential/State.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <elf.h>

using namespace yarrow;
using namespace yarrow::differential;

static_assert(kSavedBytes <= kStateBytes);

uint32_t Program::logBytesPerIteration() const {
  uint32_t bytes = 0;
  for (const Step &step : steps)
    bytes += step.logBytes;
  return bytes;
}

std::string Program::describe(size_t step) const {
  const Step &s = steps[step];
  char text[64];
  std::snprintf(text, sizeof text, "step %zu at 0x%x: 0x%08x ", step, s.firstPc,
                s.word);
  std::string line = text + isa::tec::disassemble(s.word, s.firstPc);
  std::ranges::replace(line, '\t', ' ');
  return line + (s.context.empty() ? "" : ", " + s.context);
}

std::string Program::stepOfLogByte(uint32_t offset) const {
  uint32_t perIteration = logBytesPerIteration();
  if (perIteration == 0)
    return "no step";
  std::string where =
      "iteration " + std::to_string(offset / perIteration) + ", ";
  uint32_t rest = offset % perIteration;
  for (size_t k = 0; k < steps.size(); ++k) {
    if (rest < steps[k].logBytes)
      return where + describe(k) + ", byte " + std::to_string(rest) + " of " +
             std::to_string(steps[k].logBytes);
    rest -= steps[k].logBytes;
  }
  return where + "after the last step";
}

std::string Program::stepAt(uint32_t pc) const {
  size_t found = steps.size();
  for (size_t k = 0; k < steps.size(); ++k)
    if (steps[k].firstPc <= pc)
      found = k;
  return found == steps.size() ? "before the first step" : describe(found);
}

std::vector<uint8_t> Program::elf() const {
  static constexpr uint32_t kPageBytes = 4096;
  const uint32_t textBytes = uint32_t(text.size()) * 4;
  const uint32_t poolOffset =
      kPageBytes + (textBytes + kPageBytes - 1) / kPageBytes * kPageBytes;
  Elf32_Ehdr header = {};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS32;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_ident[EI_VERSION] = EV_CURRENT;
  header.e_type = ET_EXEC;
  header.e_machine = EM_RISCV;
  header.e_version = EV_CURRENT;
  header.e_entry = kTextAddress;
  header.e_phoff = sizeof header;
  header.e_flags = 0x4; // double-float ABI
  header.e_ehsize = sizeof header;
  header.e_phentsize = sizeof(Elf32_Phdr);
  header.e_phnum = 2;
  Elf32_Phdr segments[2] = {};
  segments[0] = {PT_LOAD,   kPageBytes, kTextAddress, kTextAddress,
                 textBytes, textBytes,  PF_R | PF_X,  kPageBytes};
  segments[1] = {PT_LOAD,      poolOffset, kPoolAddress,
                 kPoolAddress, kPoolBytes, kDataEnd - kPoolAddress,
                 PF_R | PF_W,  kPageBytes};
  std::vector<uint8_t> file(poolOffset + kPoolBytes);
  std::memcpy(file.data(), &header, sizeof header);
  std::memcpy(file.data() + sizeof header, segments, sizeof segments);
  std::memcpy(file.data() + kPageBytes, text.data(), textBytes);
  std::memcpy(file.data() + poolOffset, pool.data(), kPoolBytes);
  return file;
}

std::string differential::stateName(uint32_t offset) {
  auto name = [](const char *prefix, uint32_t at, uint32_t width) {
    return prefix + std::to_string(at / width) + " byte " +
           std::to_string(at % width);
  };
  if (offset >= kStateOfV)
    return name("v", offset - kStateOfV, 32);
  if (offset >= kStateOfF)
    return name("f", offset - kStateOfF, 8);
  if (offset >= kStateOfCsrs)
    return kSavedCsrs[(offset - kStateOfCsrs) / 4].name;
  return name("x", offset, 4);
}
