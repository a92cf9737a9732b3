//===- Timing.h - What instructions of a TEC cost ---------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A TEC issues in order, one instruction at a time, and each takes the cycles
// of its class. That is simple on purpose: it ranks code as a small in-order
// core with a decoupled vector unit would, and every figure below can be set.
//
//   TecTiming timing;
//   timing.datapathBytes = 64;   // what if the vector unit were 512 bits wide?
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_SIMULATOR_TEC_TIMING_H
#define YARROW_SIMULATOR_TEC_TIMING_H

#include "isa/TecInsts.h"
#include <array>
#include <cstdint>

namespace yarrow::sim {

struct TecTiming {
  // Scalar. A dependent use is assumed to follow at once, so an instruction
  // costs its latency.
  uint32_t alu = 1;
  uint32_t takenBranchExtra = 1; ///< On top of alu: the refetch.
  uint32_t mul = 3;
  uint32_t div = 20; ///< Radix-4: two bits a cycle, and set-up.
  uint32_t fp = 4;
  uint32_t fpDiv = 20;
  uint32_t csr = 2;
  uint32_t npu = 4; ///< A write to an engine's queue over the core's bus.

  // Scalar memory. SRAM answers at its latency. DDR goes through line buffers
  // that follow up to kStreams rising streams: a hit costs as SRAM, the next
  // line of a stream its transfer, any other line the latency of DDR.
  uint32_t sramLoad = 4;
  uint32_t ddrMiss = 60;
  uint32_t store = 1; ///< Posted.
  static constexpr unsigned kLineBytes = 64;
  static constexpr unsigned kStreams = 8;

  // Vector. An instruction takes vl * width / datapathBytes cycles: elements
  // past vl cost nothing, widening and narrowing count the wide side.
  uint32_t datapathBytes = 32;
  uint32_t vset = 1;
  uint32_t vdivCyclesPerElement = 8; ///< Per divider; one per 64-bit lane.
  uint32_t vmove = 3;     ///< Vector register to scalar register or back.
  uint32_t vmemStart = 2; ///< Address generation and first beat.
  uint32_t sramBytesPerCycle = 32;
  uint32_t ddrBytesPerCycle = 8; ///< A TEC's share of the DDR bus.
  /// A strided or indexed access goes element by element.
  uint32_t elementsPerCycle = 1;
};

/// Cost classes of isa/RiscvInsts.def.
using isa::tec::Cost;
using isa::tec::kNumCosts;

struct TecTraffic {
  uint64_t ddrReadBytes = 0, ddrWrittenBytes = 0;
  uint64_t sramReadBytes = 0, sramWrittenBytes = 0;
};

/// Retired instructions of each cost class; index with unsigned(Cost).
using TecClassCounts = std::array<uint64_t, kNumCosts>;

} // namespace yarrow::sim

#endif // YARROW_SIMULATOR_TEC_TIMING_H
