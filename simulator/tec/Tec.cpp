//===- Tec.cpp - Interpreter of a vector core -----------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "simulator/tec/Tec.h"
#include "simulator/tec/Core.h"

#include <algorithm>
#include <cfenv>
#include <cstdio>
#include <cstring>

using namespace yarrow::sim;
using namespace yarrow::sim::tec;

std::string TecFault::str() const {
  char text[80];
  std::snprintf(text, sizeof text,
                " (pc 0x%08x, word 0x%08x, address 0x%08x): ", pc, word,
                address);
  std::string inst = isa::tec::disassemble(word, pc);
  std::replace(inst.begin(), inst.end(), '\t', ' ');
  return reason + text + inst;
}

Tec::Tec(Memory &memory, TecPort &port, TecOptions options)
    : core(std::make_unique<Core>(memory, port, options)) {}
Tec::~Tec() = default;

void Tec::reset(uint32_t pc) {
  auto fresh = std::make_unique<Core>(core->memory, core->port, core->options);
  fresh->pc = pc;
  fresh->retired = core->retired;
  fresh->work = core->work;
  fresh->cycles = core->cycles;
  fresh->traffic = core->traffic;
  fresh->classCounts = core->classCounts;
  fresh->map = core->map;
  fresh->watcher = core->watcher;
  fresh->stackLow = core->stackLow;
  fresh->stackBytes = core->stackBytes;
  core = std::move(fresh);
}

/// Runs with the host's floating point as IEEE 754 has it by default, whatever
/// the program that embeds us has set, and restores that.
namespace {
class HostFloat {
public:
  explicit HostFloat(uint8_t mode) {
    std::fegetenv(&saved);
    std::fesetenv(FE_DFL_ENV);
    if (mode != 0)
      setHostRounding(mode);
  }
  ~HostFloat() { std::fesetenv(&saved); }

private:
  std::fenv_t saved;
};
} // namespace

void Tec::describeFault() {
  const Core &c = *core;
  faultInfo = {};
  faultInfo.kind = c.faultKind;
  faultInfo.pc = c.pc;
  faultInfo.address = c.faultAddress;
  switch (c.faultKind) {
  case TecFault::BadAccess: {
    AddressMap all;
    if (!c.map)
      all = AddressMap::everything(c.memory);
    faultInfo.access = c.faultAccess;
    faultInfo.sizeBytes = c.faultBytes;
    faultInfo.reason =
        (c.map ? *c.map : all)
            .explain(c.faultAccess, c.faultAddress, c.faultBytes);
    return;
  }
  case TecFault::BadStack: {
    char text[96];
    std::snprintf(text, sizeof text,
                  "stack overflow: sp would be 0x%08x, and the stack is "
                  "0x%08x to 0x%08x",
                  c.faultAddress, c.stackLow, c.stackLow + c.stackBytes);
    faultInfo.reason = text;
    return;
  }
  default:
    faultInfo.reason = c.faultReason;
  }
}

TecStop Tec::run(uint64_t maxInstructions) {
  Core *c = core.get();
  c->updateWindows();
  c->budget = int64_t(std::clamp<uint64_t>(maxInstructions, 1, INT64_MAX));
  c->leftAtStop = c->budget;
  c->stop = TecStop::Fault;
  if (const Inst *i = c->lookup(c->pc)) {
    HostFloat hostFloat(c->hostMode);
    i->handler(c, i, i, c->budget);
    c->collectHostFlags();
  }
  c->retired += c->budget - c->leftAtStop;
  c->budget = c->leftAtStop = 0;
  if (c->stop == TecStop::Fault) {
    describeFault();
    c->memory.read(c->pc, &faultInfo.word, sizeof faultInfo.word);
  }
  return c->stop;
}

void Tec::setMap(std::shared_ptr<const AddressMap> map) {
  core->map = std::move(map);
  core->forgetText();
}

void Tec::setWatcher(TecWatcher *watcher) {
  core->watcher = watcher;
  core->forgetText();
}
void Tec::setStack(uint32_t low, uint32_t high) {
  core->stackLow = low;
  core->stackBytes = high - low;
  core->forgetText();
}

const Memory &Tec::memory() const { return core->memory; }
uint32_t Tec::pc() const { return core->pc; }
uint32_t Tec::x(unsigned reg) const { return core->x[reg]; }
void Tec::setX(unsigned reg, uint32_t value) {
  if (reg != 0)
    core->x[reg] = value;
}
uint64_t Tec::f(unsigned reg) const { return core->f[reg]; }
void Tec::setF(unsigned reg, uint64_t bits) { core->f[reg] = bits; }
const uint8_t *Tec::v(unsigned reg) const { return core->v + reg * kVlenBytes; }
uint32_t Tec::fcsr() const { return core->frm << 5 | core->fflags; }
uint32_t Tec::vl() const { return core->vl; }
uint32_t Tec::vtype() const { return core->vtype; }
uint32_t Tec::vstart() const { return core->vstart; }
uint32_t Tec::vcsr() const { return core->vxrm << 1 | core->vxsat; }
uint32_t Tec::step() const { return core->step; }
const TecFault &Tec::fault() const { return faultInfo; }
uint64_t Tec::retired() const { return core->retired; }
uint64_t Tec::effort() const { return core->retired + core->work / 16; }
uint64_t Tec::cycles() const { return core->cycles; }
void Tec::setCycles(uint64_t cycles) { core->cycles = cycles; }
const TecTraffic &Tec::traffic() const { return core->traffic; }
const TecClassCounts &Tec::retiredByClass() const { return core->classCounts; }
