//===- TecTrace.cpp - Every instruction of a TEC as text ------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "runtime/TecTrace.h"

#include "isa/TecInsts.h"
#include <algorithm>
#include <cstdio>

using namespace yarrow;
using namespace yarrow::runtime;

/// Where the changed registers begin.
static constexpr size_t kTextColumns = 36;

void TecTrace::attach(const sim::Tec &core) {
  tec = &core;
  registers = TecRegisters::of(core);
}

/// Text does not change while a program runs, so a line is made once.
const std::string &TecTrace::lineOf(uint32_t pc) {
  std::string &line = lines[pc];
  if (!line.empty())
    return line;
  uint32_t word = fetch(pc);
  char numbers[32];
  std::snprintf(numbers, sizeof numbers, "%08x %08x  ", pc, word);
  std::string text = isa::tec::disassemble(word, pc);
  std::replace(text.begin(), text.end(), '\t', ' ');
  line = prefix + numbers + text;
  return line;
}

bool TecTrace::before(uint32_t pc, sim::Cost cost) {
  // An npu.wait that has to wait is tried again.
  if (hasPending && pc == pendingPc && cost == sim::Cost::Npu)
    return false;
  finish();
  if (const TecSymbol *symbol = symbols ? symbols->find(pc) : nullptr;
      symbol && symbol->address == pc)
    append(prefix + symbol->name + ":\n");
  hasPending = true;
  pendingPc = pc;
  return false;
}

void TecTrace::finish(bool hasFaulted) {
  if (!hasPending)
    return;
  hasPending = false;
  if (hasFaulted) {
    append(lineOf(pendingPc) + "  (fault)\n");
    return;
  }
  TecRegisters now = TecRegisters::of(*tec);
  std::string changes = now.changesSince(registers);
  registers = now;
  std::string line = lineOf(pendingPc);
  if (!changes.empty())
    line.resize(std::max(line.size(), prefix.size() + 19 + kTextColumns), ' ');
  append(line + changes + "\n");
}
