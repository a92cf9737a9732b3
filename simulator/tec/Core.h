//===- Core.h - State of a TEC and the shape of its handlers ----*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Private to simulator/tec. Text is decoded into arrays of Inst; each holds the
// function that executes it, which ends in a tail call of the next one's, so
// that state stays in host registers and no dispatch loop is needed:
//
//   TEC_HANDLER exec_add(TEC_PARAMS) {
//     c->x[i->rd] = c->x[i->rs1] + c->x[i->rs2];
//     TEC_NEXT;
//   }
//
// Only a control transfer counts instructions: `left` is the budget at `block`,
// the first instruction since the last transfer.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_SIMULATOR_TEC_CORE_H
#define YARROW_SIMULATOR_TEC_CORE_H

#include "simulator/AddressMap.h"
#include "simulator/Memory.h"
#include "simulator/tec/Decode.h"
#include "simulator/tec/TecRun.h"
#include <array>
#include <cassert>
#include <cstdlib>
#include <memory>
#include <vector>

#if !__has_attribute(preserve_none) || !__has_cpp_attribute(clang::musttail)
#error "the TEC needs a compiler with preserve_none and musttail (clang 19)"
#endif

namespace yarrow::sim::tec {

struct Core;
struct Inst;
typedef __attribute__((preserve_none)) void
HandlerFn(Core *c, const Inst *i, const Inst *block, int64_t left);
using Handler = HandlerFn *;

#define TEC_PARAMS                                                             \
  [[maybe_unused]] Core *c, const Inst *i, const Inst *block, int64_t left
#define TEC_HANDLER __attribute__((preserve_none)) void
#define TEC_NEXT [[clang::musttail]] return i[1].handler(c, i + 1, block, left)
#define TEC_FAULT(REASON, ...)                                                 \
  do {                                                                         \
    c->setFault(REASON, __VA_ARGS__);                                          \
    [[clang::musttail]] return stopAtFault(c, i, block, left);                 \
  } while (0)
#define TEC_ACCESS_FAULT(ACCESS, ADDRESS, BYTES)                               \
  do {                                                                         \
    c->setAccessFault(ACCESS, ADDRESS, BYTES);                                 \
    [[clang::musttail]] return stopAtFault(c, i, block, left);                 \
  } while (0)
#define TEC_ILLEGAL TEC_FAULT("illegal instruction", i->pc, TecFault::Illegal)

/// A decoded instruction.
struct Inst {
  Handler handler; ///< exec, or in timed mode what charges for it first.
  Handler exec;
  int32_t imm; ///< Of loads and stores, see addressOf.
  uint32_t pc;
  uint8_t rd; ///< An x destination of 0 is kSink.
  uint8_t rs1, rs2, rs3;
  InstId id;
  uint8_t vm;  ///< 1: unmasked.
  uint8_t aux; ///< Rounding mode; or log2 of EEW bytes | (nf - 1) << 4.

  unsigned eewLog2() const { return aux & 15; }
  unsigned fields() const { return (aux >> 4) + 1; }
  /// Of a masked vector instruction whose vd is v0; rs3 is not in use there.
  bool overwritesMask() const { return rs3; }
};
static_assert(sizeof(Inst) == 32);

inline constexpr unsigned kPageBytes = 4096;
inline constexpr unsigned kPageInsts = kPageBytes / 4;
/// The last entry leads to the next page.
struct Page {
  Inst insts[kPageInsts + 1];
};

/// Writes to x0 go here.
inline constexpr unsigned kSink = 32;
/// vtype as an instruction sees it: no element width is legal.
inline constexpr uint8_t kNoSew = 4;
inline constexpr uint32_t kVill = 1u << 31;
inline constexpr uint8_t kDynamicRounding = 7;

/// Bits of fflags.
enum FloatFlag : uint8_t {
  kInexact = 1,
  kUnderflow = 2,
  kOverflow = 4,
  kDivideByZero = 8,
  kInvalid = 16
};

/// What a vtype means; by default, of one that is illegal.
struct VtypeInfo {
  /// Has a bit that makes every register number misaligned.
  static constexpr uint8_t kNoGroup = 0xff;

  uint16_t vlmax = 0;
  uint8_t sew = kNoSew;  ///< log2 of SEW in bytes; kNoSew if vill or vstart.
  int8_t lmul = 0;       ///< log2.
  uint8_t groupMask = 0; ///< Registers of a group, less one.
  /// The same of a group of elements twice as wide.
  uint8_t wideMask = kNoGroup;
  /// The same by log2 of an element width in bytes, for vlmax elements;
  /// kNoGroup if that is none of 1/8 to 8 registers, or sew is kNoSew.
  std::array<uint8_t, 4> widthMask = {kNoGroup, kNoGroup, kNoGroup, kNoGroup};

  /// Of \p registers, the OR of the numbers of groups' first ones.
  /// Always inlined, as Core::at.
  [[gnu::always_inline]] static bool isAligned(unsigned registers,
                                               uint8_t mask) {
    return ((registers | 32) & mask) == 0;
  }
};
struct VtypeTable {
  std::array<VtypeInfo, 256> of;
  constexpr VtypeTable() {
    for (unsigned vtype = 0; vtype < 256; ++vtype) {
      int lmul = int(vtype & 7) - (vtype & 4 ? 8 : 0);
      int sew = int(vtype >> 3 & 7);
      // A fraction of a register must hold SEW of the same fraction of ELEN
      // (V 3.4.2), which here is SEW <= LMUL * 64.
      if (lmul == -4 || sew > 3 + (lmul < 0 ? lmul : 0))
        continue;
      VtypeInfo &info = of[vtype];
      info.vlmax = uint16_t(1u << (5 - sew + lmul));
      info.sew = uint8_t(sew);
      info.lmul = int8_t(lmul);
      info.groupMask = maskOf(lmul);
      info.wideMask = maskOf(lmul + 1);
      for (int width = 0; width < 4; ++width)
        info.widthMask[unsigned(width)] = maskOf(width - sew + lmul);
    }
  }
  static constexpr uint8_t maskOf(int groupLog2) {
    return groupLog2 < -3 || groupLog2 > 3 ? VtypeInfo::kNoGroup
           : groupLog2 > 0                 ? uint8_t((1 << groupLog2) - 1)
                                           : 0;
  }
};
inline constexpr VtypeTable kVtypes;

/// Takes back a table of which every entry is null.
struct SpareDeleter {
  void operator()(Page **table) const;
};

/// A range of addresses and where it is in the host.
struct HostWindow {
  uint32_t base = 0;
  uint64_t sizeBytes = 0;
  uint8_t *host = nullptr;
};

/// Where accesses may go: DDR, SRAM, a stack, and rarely more. Handlers compare
/// with one window in line; its rivals cost a little more. A plain array
/// and functions that are always inlined: vector handlers are compiled for
/// several host instruction sets, and the linker must not merge their copies.
struct Windows {
  HostWindow all[AddressMap::kMaxWindows];
  unsigned count = 0;
  /// While the first window is closed, it as it was, and who opens it.
  HostWindow closed;
  Core *owner = nullptr;

  void add(uint32_t base, uint64_t sizeBytes, uint8_t *hostBase) {
    assert(count < AddressMap::kMaxWindows && "too many windows");
    all[count++] = {base, sizeBytes, hostBase + base};
  }
  /// The host address of [address, address + bytes), or null.
  [[gnu::always_inline]] uint8_t *find(uint32_t address, uint32_t bytes) const {
    uint32_t offset = address - all[0].base;
    if (uint64_t(offset) + bytes <= all[0].sizeBytes) [[likely]]
      return all[0].host + offset;
    return findFurther(address, bytes);
  }
  uint8_t *findFurther(uint32_t address, uint32_t bytes) const;

  /// The first window holds nothing until the owner opens it, which it is told
  /// to when something is accessed there.
  void closeFirst(Core *core) {
    closed = all[0];
    all[0].sizeBytes = 0;
    owner = core;
  }
  void openFirst() {
    if (owner)
      all[0] = closed;
    owner = nullptr;
  }
};

struct Core : VtypeInfo {
  uint32_t x[kSink + 1] = {};
  uint32_t vl = 0;
  uint8_t frm = 0;
  uint8_t hostMode = 0; ///< Rounding mode the host is in, as frm encodes it.
  /// Flags that are not, or no longer, in the host's status: while a TEC runs,
  /// an operation of the host leaves there what it raises, and nothing else
  /// may. collectHostFlags() moves them here.
  uint8_t fflags = 0;
  uint8_t vxrm = 0;
  bool vxsat = false;
  uint32_t vtype = kVill;
  uint32_t vstart = 0;
  uint32_t step = 0; ///< The CSR of that name.
  uint64_t f[32] = {};
  /// A group may start at v31 in a malformed program; 16 more registers keep
  /// it inside.
  alignas(64) uint8_t v[(32 + 16) * kVlenBytes] = {};
  /// What says which lanes are active, if an instruction is masked: v0, but
  /// where vstart resumes one (Resume.cpp).
  const uint8_t *activeMask = v;

  uint8_t *hostBase = nullptr;
  Windows readable, writable; ///< All that is writable is readable.
  /// Null: all of memory.
  std::shared_ptr<const AddressMap> map;
  TecWatcher *watcher = nullptr;
  uint32_t stackLow = 0, stackBytes = 0; ///< 0: the stack is not guarded.
  /// By address / kPageBytes; null: not decoded. Mapped, not calloc'ed: a
  /// heap that has seen such a block once would clear its 8 MB at each reset.
  std::unique_ptr<Page *[], SpareDeleter> pages;
  std::vector<uint32_t> decodedPages;

  Memory &memory;
  TecPort &port;
  const TecOptions options;

  uint32_t pc = 0;
  TecStop stop = TecStop::Ended;
  TecFault::Kind faultKind = TecFault::Other;
  const char *faultReason = nullptr; ///< Unless the kind tells it.
  uint32_t faultAddress = 0, faultBytes = 0;
  Access faultAccess = Access::Read;
  uint64_t retired = 0; ///< Before this run().
  int64_t budget = 0;   ///< Of this run().
  int64_t leftAtStop = 0;

  /// What instructions took beyond the time of one, in sixteenths: vector
  /// instructions by their elements.
  uint64_t work = 0;

  bool reserved = false; ///< lr.w
  uint32_t reservedAddress = 0, reservedValue = 0;

  uint64_t cycles = 0;
  TecTraffic traffic;
  TecClassCounts classCounts = {};
  uint32_t lines[TecTiming::kStreams] = {};
  unsigned nextLine = 0;

  Core(Memory &memory, TecPort &port, TecOptions options);
  ~Core() { forgetText(); }

  bool isExecutable(uint32_t address) const;
  /// Takes the windows from the map, or from memory as it is now.
  void updateWindows();
  /// Of a window that is closed; \p windows: those for what it is accessed.
  void openSram(const Windows *windows);

  /// Null (and a fault is set) if \p address cannot be executed.
  const Inst *lookup(uint32_t address) {
    Page *page = pages[address / kPageBytes];
    if (!page || address % 4) [[unlikely]]
      return lookupSlow(address);
    return &page->insts[address % kPageBytes / 4];
  }
  const Inst *lookupSlow(uint32_t address);
  void forgetText();

  void setFault(const char *reason, uint32_t address,
                TecFault::Kind kind = TecFault::Other) {
    faultKind = kind;
    faultReason = reason;
    faultAddress = address;
  }
  /// For instructions that set a vector configuration; they clear vstart.
  void setVtype(uint32_t newVtype) {
    VtypeInfo &info = *this;
    info = newVtype < 256 ? kVtypes.of[newVtype] : VtypeInfo();
    vtype = sew == kNoSew ? kVill : newVtype;
    vstart = 0;
  }
  void setAccessFault(Access access, uint32_t address, uint32_t bytes) {
    faultKind = TecFault::BadAccess;
    faultAccess = access;
    faultAddress = address;
    faultBytes = bytes;
  }
  void setFrm(uint8_t mode);
  void collectHostFlags();
  [[gnu::always_inline]] void setVstart(uint32_t element) {
    vstart = element;
    updateVectorState();
  }
  void updateVectorState();
};

/// Of a scalar load or store, whose immediate is relative to the window that it
/// is expected in: the first of \p windows or, if it is relative to the stack
/// pointer, maybe the second. rs3 tells which.
inline uint32_t addressOf(const Core *c, const Windows &windows,
                          const Inst *i) {
  return c->x[i->rs1] + uint32_t(i->imm) + windows.all[i->rs3].base;
}

/// Stops at \p i, which does not retire.
TEC_HANDLER stopAtFault(TEC_PARAMS);
/// Where a vector handler goes that found vtype illegal for it, which vtype
/// always is while vstart is not 0: executes \p i from vstart on, or faults.
TEC_HANDLER illegalOrResume(TEC_PARAMS);

/// Handlers by InstId: scalar instructions, where jumps whose target is in the
/// same page (isNear) need no look-up, and vector instructions.
struct HandlerTable {
  Handler of[kNumInsts];
};
const HandlerTable &scalarHandlers(bool timed, bool isNear);
const HandlerTable &vectorHandlers(bool anyHost);
/// What charges for an instruction of class \p cost and then executes it.
Handler timedHandler(Cost cost);
/// Without timing: what counts the work of a class that goes element by
/// element; null for all others.
Handler elementwiseHandler(Cost cost);

/// Fills \p inst from a word, all but the handlers.
void unpack(Inst &inst, uint32_t word, uint32_t pc, InstId id);

/// What executes loads and stores that expect the second window; else null.
Handler secondWindowHandler(InstId id);
Handler secondWindowFloatHandler(InstId id);

/// What executes \p id, which writes the stack pointer, where that is guarded;
/// null if it needs no guard.
Handler guardedStackHandler(InstId id);

/// Puts the host into rounding mode \p mode (0 to 3 as frm encodes them).
void setHostRounding(uint8_t mode);

} // namespace yarrow::sim::tec

#endif // YARROW_SIMULATOR_TEC_CORE_H
