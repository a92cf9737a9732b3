//===- TecRun.h - How a TEC is run, and why it stops ------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// What its owner gives it and learns from it (Tec.h).
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_SIMULATOR_TEC_TECRUN_H
#define YARROW_SIMULATOR_TEC_TECRUN_H

#include "simulator/AddressMap.h"
#include "simulator/tec/Timing.h"
#include <cstdint>
#include <string>

namespace yarrow::sim {

namespace tec {
/// Of a vector register.
inline constexpr unsigned kVlenBytes = 32;
} // namespace tec

/// What the custom-0 instructions call.
struct TecPort {
  virtual ~TecPort() = default;
  /// npu.submit: the list of descriptors at \p address goes to \p engine.
  virtual void submit(uint32_t engine, uint32_t address,
                      uint32_t sizeBytes) = 0;
  virtual void setBase(uint32_t region, uint32_t address) = 0;
  /// npu.setorigin: lists that are submitted later wait from \p count on.
  virtual void setOrigin(uint32_t counter, uint32_t count) = 0;
  /// True if \p counter has reached \p count. If false, run() returns Waiting
  /// and the next run() asks again.
  virtual bool wait(uint32_t counter, uint32_t count) = 0;
  virtual void signal() = 0;
  /// Whether to be told before the next accesses to SRAM of a TEC that has a
  /// map, whose first window that is: the first read and the first write of a
  /// run().
  virtual bool watchesSram() const { return false; }
  virtual void accessesSram([[maybe_unused]] bool isWrite) {}
};

enum class TecStop : uint8_t {
  Ended,
  Waiting,
  Fault,
  Budget,
  Signaled, ///< npu.signal, if asked for; pc() is behind it.
  Call,     ///< ecall, if there are system calls; pc() is behind it.
  Watch,    ///< The watcher asked for it; pc() has not been executed.
};

/// Is called before each instruction that is legal. It may look at the TEC,
/// whose pc(), retired() and vector registers' groups are those of the last
/// stop, and whose registers, CSRs and cycles() are up to date.
struct TecWatcher {
  virtual ~TecWatcher() = default;
  /// True to stop before the instruction at \p pc; the next run() asks again.
  virtual bool before(uint32_t pc, Cost cost) = 0;
};

struct TecFault {
  enum Kind : uint8_t {
    Illegal,    ///< No instruction, or one that is reserved as things are.
    BadAccess,  ///< Of memory: `access`, `sizeBytes` and `address` tell which.
    BadStack,   ///< The stack pointer would become `address`.
    Breakpoint, ///< ebreak.
    Other,
  };
  Kind kind = Other;
  uint32_t pc = 0;
  uint32_t word = 0;    ///< The instruction, if it could be fetched.
  uint32_t address = 0; ///< Of the access, or pc.
  Access access = Access::Read;
  uint32_t sizeBytes = 0;
  std::string reason;
  std::string str() const;
};

struct TecOptions {
  /// Count cycles and traffic. Results do not depend on it.
  bool timed = false;
  TecTiming timing;
  /// Use the vector handlers that run on any host, not the fastest of this
  /// one. Results are the same.
  bool anyHost = false;
  /// Let run() return Call at an ecall; otherwise it is a fault.
  bool hasSystemCalls = false;
  /// False: the npu instructions are illegal.
  bool hasEngines = true;
  /// Let run() return Signaled at each npu.signal.
  bool stopsAtSignal = false;
};

} // namespace yarrow::sim

#endif // YARROW_SIMULATOR_TEC_TECRUN_H
