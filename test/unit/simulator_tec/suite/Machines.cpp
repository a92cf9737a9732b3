//===- Machines.cpp - The TECs that the suite compares with the model -----===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "test/unit/simulator_tec/suite/Machines.h"

#include <cstdio>

using namespace yarrow;
using namespace yarrow::reference;

static constexpr uint32_t kEnd = 0x0000400b; // npu.end
static constexpr uint32_t kJump = 0x0000006f;

static uint32_t loadEight(unsigned vd, unsigned rs1) { // vl8re8.v
  return 0xe2800007 | vd << 7 | rs1 << 15;
}
static uint32_t writeCsr(unsigned csr, unsigned rs1) { // csrrw x0
  return 0x00001073 | csr << 20 | rs1 << 15;
}

static const uint32_t kDriver[] = {
    kEnd,
    writeCsr(0x008, 0),
    writeCsr(0x800, 0),
    loadEight(0, 5),
    loadEight(8, 6),
    loadEight(16, 7),
    loadEight(24, 8),
    writeCsr(0x003, 9),
    writeCsr(0x00F, 10),
    0x80007057 | 11 << 15 | 12 << 20, // vsetvl x0, x11, x12
    writeCsr(0x008, 13),
    kEnd,
    0x00000067 | 31 << 15, // jalr x0, 0(x31)
};
static constexpr uint32_t kLoaded = kDriverAddress + 12 * 4;

static uint32_t jumpTo(uint32_t from, uint32_t to) {
  uint32_t offset = to - from;
  return kJump | (offset >> 20 & 1) << 31 | (offset >> 1 & 1023) << 21 |
         (offset >> 11 & 1) << 20 | (offset >> 12 & 255) << 12;
}

std::vector<uint32_t>
yarrow::reference::textOf(const std::vector<Case> &cases) {
  std::vector<uint32_t> text(kTextBytes / 4, kEnd);
  std::copy(std::begin(kDriver), std::end(kDriver), text.begin());
  for (unsigned k = 0; k < cases.size(); ++k) {
    uint32_t at = slotAddress(k);
    uint32_t *slot = &text[(at - kDriverAddress) / 4];
    slot[0] = cases[k].prefix;
    slot[1] = cases[k].word;
    slot[2] = kEnd;
    slot[3] = jumpTo(at + 12, kDriverAddress);
  }
  return text;
}

Machine::Machine(sim::TecOptions options)
    : memory(sim::Memory::create(kSramBytes)),
      hasDdr(memory && memory->growDdr(kDdrBytes)),
      tec(*memory, port, options) {}

void Machine::begin(const ModelMemory &from) {
  memory->write(0, from.ddr.data(), from.ddr.size());
  memory->write(ModelMemory::kSramBase, from.sram.data(), from.sram.size());
  stop = sim::TecStop::Fault;
}

void Machine::toDriver() {
  if (stop == sim::TecStop::Ended)
    for (unsigned k = 0; k < 3; ++k) {
      tec.run(1000);
      if (tec.pc() == kDriverAddress + 4)
        return;
    }
  tec.reset(kDriverAddress);
  tec.run(1000);
}

void Machine::execute(const State &initial, uint32_t slot) {
  toDriver();
  memory->write(kRegisterAddress, initial.v, sizeof initial.v);
  for (unsigned k = 0; k < 4; ++k)
    tec.setX(5 + k, kRegisterAddress + k * 256);
  tec.setX(9, uint32_t(initial.frm << 5 | initial.fflags));
  tec.setX(10, uint32_t(initial.vxrm << 1 | initial.vxsat));
  tec.setX(11, initial.vl);
  tec.setX(12, initial.vtype);
  tec.setX(13, initial.vstart);
  tec.run(1000);
  if (tec.pc() != kLoaded) {
    stop = sim::TecStop::Fault;
    return;
  }
  for (unsigned reg = 1; reg < 32; ++reg) {
    tec.setX(reg, initial.x[reg]);
    tec.setF(reg, initial.f[reg]);
  }
  tec.setF(0, initial.f[0]);
  tec.setX(31, slot);
  port.calls.clear();
  stop = tec.run(1000);
}

namespace {
/// Collects differences as text.
class Differences {
public:
  std::string text;
  void check(const std::string &what, uint64_t expected, uint64_t got) {
    if (expected == got || text.size() > 1000)
      return;
    char line[160];
    std::snprintf(line, sizeof line, "  %s: expected %llx, got %llx\n",
                  what.c_str(), (unsigned long long)expected,
                  (unsigned long long)got);
    text += line;
  }
};
} // namespace

std::string Machine::compare(const State &expected,
                             const Result &result) const {
  Differences d;
  auto stopOf = [](Outcome outcome) {
    return outcome == Outcome::Waits ? sim::TecStop::Waiting
           : outcome == Outcome::Next || outcome == Outcome::Stopped
               ? sim::TecStop::Ended
               : sim::TecStop::Fault;
  };
  d.check("stop", unsigned(stopOf(result.outcome)), unsigned(stop));
  // A case that goes on ends with the next instruction, wherever that is.
  d.check("pc", expected.pc + (result.outcome == Outcome::Next ? 4 : 0),
          tec.pc());
  if (stop == sim::TecStop::Fault && result.outcome != Outcome::Illegal)
    d.check("fault address", result.faultAddress, tec.fault().address);
  for (unsigned reg = 0; reg < 32; ++reg) {
    if (expected.x[reg] != tec.x(reg))
      d.check("x" + std::to_string(reg), expected.x[reg], tec.x(reg));
    if (expected.f[reg] != tec.f(reg))
      d.check("f" + std::to_string(reg), expected.f[reg], tec.f(reg));
  }
  if (std::memcmp(expected.v, tec.v(0), sizeof expected.v) != 0)
    for (unsigned k = 0; k < sizeof expected.v; k += 8) {
      uint64_t want, got;
      std::memcpy(&want, expected.v + k, 8);
      std::memcpy(&got, tec.v(0) + k, 8);
      if (want != got)
        d.check("v" + std::to_string(k / 32) + " byte " +
                    std::to_string(k % 32),
                want, got);
    }
  d.check("fcsr", uint32_t(expected.frm << 5 | expected.fflags), tec.fcsr());
  d.check("step", expected.step, tec.step());
  d.check("vcsr", uint32_t(expected.vxrm << 1 | expected.vxsat), tec.vcsr());
  d.check("vl", expected.vl, tec.vl());
  d.check("vtype", expected.vtype, tec.vtype());
  d.check("vstart", expected.vstart, tec.vstart());
  d.check("calls of the port", expected.portCalls.size(), port.calls.size());
  if (expected.portCalls != port.calls)
    d.check("a call of the port", 0, 1);
  for (const ModelMemory::Range &range : expected.memory->written)
    if (std::memcmp(expected.memory->at(range.address, range.sizeBytes),
                    memory->at(range.address, range.sizeBytes),
                    range.sizeBytes) != 0) {
      d.check("memory at", 0, range.address);
      break;
    }
  return d.text;
}

bool Machine::sameMemory(const ModelMemory &expected) const {
  return !std::memcmp(expected.ddr.data(), memory->at(0, kDdrBytes),
                      kDdrBytes) &&
         !std::memcmp(expected.sram.data(),
                      memory->at(ModelMemory::kSramBase, kSramBytes),
                      kSramBytes);
}
