//===- Tec.h - Interpreter of a vector core -------------------------*- C++
//-*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A TEC is a RISC-V core: rv32imafd and V 1.0 with VLEN 256
// (isa/RiscvInsts.def) plus custom-0 instructions that drive the engines
// through a TecPort. Text is decoded once per 4 KiB page into an array of
// handlers that call one another; reset() forgets what was decoded.
//
//   Tec tec(memory, port, {.timed = true});
//   tec.reset(entryAddress);
//   tec.setX(2, stackTop);
//   switch (tec.run(/*maxInstructions=*/100000)) {
//   case TecStop::Ended: break;                // npu.end
//   case TecStop::Waiting:                     // npu.wait: run the engines,
//     tec.setCycles(eventCycle);               // then run() again
//     break;
//   case TecStop::Budget: break;               // run() again
//   case TecStop::Fault: report(tec.fault());
//   }
//
// docs/isa.md lists what the machine does where the RISC-V manuals leave it a
// choice.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_SIMULATOR_TEC_TEC_H
#define YARROW_SIMULATOR_TEC_TEC_H

#include "simulator/AddressMap.h"
#include "simulator/tec/Timing.h"
#include <cstdint>
#include <memory>
#include <string>

namespace yarrow::sim {

class Memory;
namespace tec {
struct Core;
}

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

class Tec {
public:
  Tec(Memory &memory, TecPort &port, TecOptions options = {});
  ~Tec();
  Tec(const Tec &) = delete;
  Tec &operator=(const Tec &) = delete;

  /// Clears registers, CSRs and decoded text; the next run() begins at \p pc.
  /// Clock and counters go on.
  void reset(uint32_t pc);
  /// Null for none; it must outlive the TEC or be taken back. Slows it down.
  void setWatcher(TecWatcher *watcher);
  /// The stack pointer may be moved only within [low, high], high being an
  /// empty stack: what goes further overflows. 0 and 0, as at first: anywhere.
  void setStack(uint32_t low, uint32_t high);
  /// What may be accessed from now on; null, as at first, for all of memory.
  void setMap(std::shared_ptr<const AddressMap> map);
  /// Runs at least one instruction and stops after \p maxInstructions, give or
  /// take the rest of a straight run of instructions within a page.
  TecStop run(uint64_t maxInstructions);

  uint32_t pc() const;
  uint32_t x(unsigned reg) const;
  void setX(unsigned reg, uint32_t value);
  /// The raw 64 bits of an f register (a float is NaN-boxed).
  uint64_t f(unsigned reg) const;
  void setF(unsigned reg, uint64_t bits);
  /// The kVlenBytes bytes of a vector register.
  const uint8_t *v(unsigned reg) const;
  static constexpr unsigned kVlenBytes = 32;
  uint32_t fcsr() const;
  uint32_t vl() const;
  uint32_t vtype() const;
  uint32_t vstart() const;
  uint32_t vcsr() const;
  /// CSR step: which step of its program it is in, from 1; 0 if that is not
  /// told.
  uint32_t step() const;

  /// Why run() returned Fault.
  const TecFault &fault() const;

  uint64_t retired() const;
  /// Time of the host, in instructions: those that retired, and what vector
  /// instructions take beyond the time of one.
  uint64_t effort() const;
  /// The rest is zero unless timed. A caller moves the clock forward after a
  /// wait.
  uint64_t cycles() const;
  void setCycles(uint64_t cycles);
  const TecTraffic &traffic() const;
  const TecClassCounts &retiredByClass() const;

private:
  void describeFault();

  std::unique_ptr<tec::Core> core;
  TecFault faultInfo;
};

} // namespace yarrow::sim

#endif // YARROW_SIMULATOR_TEC_TEC_H
