//===- Text.cpp - Decoded text of a TEC, page by page ---------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "simulator/tec/Core.h"
#include "simulator/tec/Reserved.h"

#include <cstring>

using namespace yarrow::sim;
using namespace yarrow::sim::tec;

static constexpr unsigned kSp = 2;

static TEC_HANDLER illegalInst(TEC_PARAMS) { TEC_ILLEGAL; }

static TEC_HANDLER notExecutable(TEC_PARAMS) {
  TEC_ACCESS_FAULT(Access::Fetch, i->pc, 4);
}

static TEC_HANDLER nextPage(TEC_PARAMS) {
  const Inst *next = c->lookup(i->pc);
  left -= i - block;
  if (!next) [[unlikely]]
    [[clang::musttail]] return stopAtFault(c, i, i, left);
  if (left <= 0) [[unlikely]] {
    c->pc = i->pc;
    c->stop = TecStop::Budget;
    c->leftAtStop = left;
    return;
  }
  [[clang::musttail]] return next->handler(c, next, next, left);
}

static bool isVectorMemory(Cost cost) { return cost >= Cost::VLoad; }

void tec::unpack(Inst &inst, uint32_t word, uint32_t pc, InstId id) {
  const InstInfo &info = instInfo(id);
  const FormatInfo &format = formatInfo(info.format);
  inst.pc = pc;
  inst.id = id;
  inst.imm = isa::tec::immediate(word, format.immediate);
  inst.rd = word >> 7 & 31;
  inst.rs1 = word >> 15 & 31;
  inst.rs2 = word >> 20 & 31;
  inst.rs3 = word >> 27;
  inst.vm = word >> 25 & 1;
  inst.aux = word >> 12 & 7;
  if (format.writesX && inst.rd == 0)
    inst.rd = kSink;
  if (isVectorMemory(info.cost))
    inst.aux = isa::tec::memoryWidthLog2(word) | (isa::tec::numFields(word) - 1)
                                                     << 4;
  if (info.shape != Shape::None)
    inst.rs3 = !inst.vm && inst.rd == 0;
}

/// Asks the watcher, then goes on as without one.
static TEC_HANDLER watched(TEC_PARAMS) {
  Cost cost = instInfo(i->id).cost;
  c->collectHostFlags();
  if (c->watcher->before(i->pc, cost)) [[unlikely]] {
    c->pc = i->pc;
    c->stop = TecStop::Watch;
    c->leftAtStop = left - (i - block);
    return;
  }
  Handler next = c->options.timed ? timedHandler(cost) : i->exec;
  [[clang::musttail]] return next(c, i, block, left);
}

/// Makes the immediate of a load or store relative to the window where it is
/// likely to go. Only speed depends on it.
static void expectWindow(Inst &inst, const Windows &windows, const Core &core) {
  inst.rs3 = 0;
  if (inst.rs1 == kSp) {
    uint32_t sp = core.stackBytes ? core.stackLow : core.x[kSp];
    const HostWindow &second = windows.all[1];
    if (sp - second.base < second.sizeBytes) {
      Handler handler = secondWindowHandler(inst.id);
      if (!handler)
        handler = secondWindowFloatHandler(inst.id);
      if (handler) {
        inst.rs3 = 1;
        inst.exec = handler;
      }
    }
  }
  inst.imm = int32_t(uint32_t(inst.imm) - windows.all[inst.rs3].base);
}

static void decode(Inst &inst, uint32_t word, uint32_t pc, const Core &core) {
  const TecOptions &options = core.options;
  std::optional<InstId> id = findInst(word);
  if (!id || (instInfo(*id).cost == Cost::Npu && !options.hasEngines)) {
    inst.pc = pc;
    inst.handler = inst.exec = illegalInst;
    return;
  }
  unpack(inst, word, pc, *id);
  const InstInfo &info = instInfo(*id);
  bool jumps = info.format == Format::B || info.format == Format::J;
  bool isNear = jumps && (pc + inst.imm) / kPageBytes == pc / kPageBytes &&
                inst.imm % 4 == 0;
  inst.exec = vectorHandlers(options.anyHost).of[unsigned(*id)];
  if (inst.exec)
    checkSources(inst);
  if (!inst.exec)
    inst.exec = scalarHandlers(options.timed, isNear).of[unsigned(*id)];
  if (info.cost == Cost::Load || info.cost == Cost::Store)
    expectWindow(inst, info.cost == Cost::Load ? core.readable : core.writable,
                 core);
  if (inst.rd == kSp && core.stackBytes != 0)
    if (Handler guarded = guardedStackHandler(*id))
      inst.exec = guarded;
  if (!inst.exec)
    inst.exec = illegalInst;
  Handler counted = elementwiseHandler(info.cost);
  inst.handler = core.watcher    ? watched
                 : options.timed ? timedHandler(info.cost)
                 : counted       ? counted
                                 : inst.exec;
}

const Inst *Core::lookupSlow(uint32_t address) {
  if (address % 4) {
    setFault("misaligned instruction fetch", address);
    return nullptr;
  }
  if (!isExecutable(address)) {
    setAccessFault(Access::Fetch, address, 4);
    return nullptr;
  }
  uint32_t number = address / kPageBytes;
  auto page = std::make_unique<Page>();
  for (unsigned k = 0; k <= kPageInsts; ++k) {
    Inst &inst = page->insts[k];
    inst.pc = number * kPageBytes + k * 4;
    if (k == kPageInsts) {
      inst.handler = inst.exec = nextPage;
    } else if (isExecutable(inst.pc)) {
      uint32_t word;
      std::memcpy(&word, hostBase + inst.pc, 4);
      decode(inst, word, inst.pc, *this);
    } else {
      inst.handler = inst.exec = notExecutable;
    }
  }
  pages[number] = page.release();
  decodedPages.push_back(number);
  return lookup(address);
}
