//===- Tec.h - Interpreter of a vector core ---------------------*- C++ -*-===//
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
#include "simulator/tec/TecRun.h"
#include <cstdint>
#include <memory>

namespace yarrow::sim {

class Memory;
namespace tec {
struct Core;
}

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

  /// What it sees.
  const Memory &memory() const;
  uint32_t pc() const;
  uint32_t x(unsigned reg) const;
  void setX(unsigned reg, uint32_t value);
  /// The raw 64 bits of an f register (a float is NaN-boxed).
  uint64_t f(unsigned reg) const;
  void setF(unsigned reg, uint64_t bits);
  /// The kVlenBytes bytes of a vector register.
  const uint8_t *v(unsigned reg) const;
  static constexpr unsigned kVlenBytes = tec::kVlenBytes;
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
