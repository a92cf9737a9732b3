//===- Core.cpp - Windows and configuration of a TEC ----------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "simulator/tec/Core.h"

#include <cfenv>
#include <cstdlib>
#include <mutex>
#include <new>
#include <sys/mman.h>

using namespace yarrow::sim;
using namespace yarrow::sim::tec;

static constexpr size_t kPageTableBytes =
    (uint64_t(1) << 32) / kPageBytes * sizeof(Page *);

/// Tables that no core has now, all null. Cores come and go with tasks, many of
/// which run for less than it takes to map a table and to give it back.
namespace {
class SpareTables {
public:
  Page **take() {
    {
      std::lock_guard<std::mutex> lock(mutex);
      if (!tables.empty()) {
        Page **table = tables.back();
        tables.pop_back();
        return table;
      }
    }
    void *table = mmap(nullptr, kPageTableBytes, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (table == MAP_FAILED)
      throw std::bad_alloc(); // out of address space, like operator new
    return static_cast<Page **>(table);
  }

  void give(Page **table) {
    {
      std::lock_guard<std::mutex> lock(mutex);
      if (tables.size() < kMostTables) {
        tables.push_back(table);
        return;
      }
    }
    munmap(static_cast<void *>(table), kPageTableBytes);
  }

private:
  /// Those of a few machines' cores.
  static constexpr size_t kMostTables = 32;
  std::mutex mutex;
  std::vector<Page **> tables;
};
} // namespace

static SpareTables &spareTables() {
  // Never destroyed: a core may outlive what is static.
  static SpareTables &tables = *new SpareTables;
  return tables;
}

Core::Core(Memory &memory, TecPort &port, TecOptions options)
    : pages(spareTables().take()), memory(memory), port(port),
      options(options) {}

void SpareDeleter::operator()(Page **table) const { spareTables().give(table); }

void Core::forgetText() {
  for (uint32_t number : decodedPages) {
    delete pages[number];
    pages[number] = nullptr;
  }
  decodedPages.clear();
}

TEC_HANDLER tec::stopAtFault(TEC_PARAMS) {
  c->pc = i->pc;
  c->stop = TecStop::Fault;
  c->leftAtStop = left - (i - block);
}

uint8_t *Windows::findFurther(uint32_t address, uint32_t bytes) const {
  if (owner) {
    uint32_t offset = address - closed.base;
    if (uint64_t(offset) + bytes <= closed.sizeBytes) {
      uint8_t *host = closed.host + offset;
      owner->openSram(this);
      return host;
    }
  }
  for (unsigned k = 0; k < count; ++k) {
    uint32_t offset = address - all[k].base;
    if (uint64_t(offset) + bytes <= all[k].sizeBytes)
      return all[k].host + offset;
  }
  return nullptr;
}

static Windows windowsOf(const AddressMap &map, Access access,
                         const Memory &memory) {
  Windows windows;
  for (const Window &w : map.windows(access))
    windows.add(w.base, w.sizeBytes, memory.hostBase());
  return windows;
}

void Core::updateWindows() {
  hostBase = memory.hostBase();
  if (map) {
    readable = windowsOf(*map, Access::Read, memory);
    writable = windowsOf(*map, Access::Write, memory);
    if (port.watchesSram()) {
      readable.closeFirst(this);
      writable.closeFirst(this);
    }
    return;
  }
  readable = {};
  for (const DdrRange &range : memory.ddrRanges())
    readable.add(uint32_t(range.begin), range.end - range.begin, hostBase);
  readable.add(Memory::kSramBase, memory.sramBytes(), hostBase);
  writable = readable;
}

void Core::openSram(const Windows *windows) {
  bool isWrite = windows == &writable;
  port.accessesSram(isWrite);
  readable.openFirst();
  if (isWrite)
    writable.openFirst();
}

bool Core::isExecutable(uint32_t address) const {
  return map ? map->allows(Access::Fetch, address, 4)
             : readable.find(address, 4) != nullptr;
}

void Core::updateVectorState() {
  VtypeInfo info =
      vtype >> 31 || vstart ? VtypeInfo() : kVtypes.of[vtype & 255];
  sew = info.sew;
  widthMask = info.widthMask;
}

void tec::setHostRounding(uint8_t mode) {
  static constexpr int kModes[4] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD,
                                    FE_UPWARD};
  std::fesetround(kModes[mode]);
}

void Core::setFrm(uint8_t mode) {
  frm = mode;
  // RMM has no counterpart in the host: instructions notice that frm and
  // hostMode differ. So with the reserved modes.
  uint8_t host = mode < 4 ? mode : 0;
  if (host != hostMode) {
    hostMode = host;
    setHostRounding(host);
  }
}

void Core::collectHostFlags() {
  static constexpr std::pair<int, FloatFlag> kFlags[] = {
      {FE_INEXACT, kInexact},
      {FE_UNDERFLOW, kUnderflow},
      {FE_OVERFLOW, kOverflow},
      {FE_DIVBYZERO, kDivideByZero},
      {FE_INVALID, kInvalid}};
  int raised = std::fetestexcept(FE_ALL_EXCEPT);
  if (raised == 0)
    return;
  for (auto [host, flag] : kFlags)
    fflags |= raised & host ? flag : 0;
  std::feclearexcept(FE_ALL_EXCEPT);
}
