//===- Machine.h - The size and speed of a target -------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The properties in which chips of the family differ. Compiler and simulator
// take every size and latency from here, so to answer "what if the SRAM were
// twice as big?" you write a JSON file of three lines:
//
//   { "name": "X2_big", "base": "X2_1204", "sramBytes": 8388608 }
//
//   std::optional<isa::Machine> machine = isa::findTarget("X2_1204", diags);
//
// The targets/ folder is part of the program; findTarget also takes the path
// of a file. A file without "base" gives every key below, except for optional
// units such as "winograd". Names have no meaning.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_ISA_MACHINE_H
#define YARROW_ISA_MACHINE_H

#include "isa/Types.h"
#include "support/Diagnostics.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace yarrow::isa {

/// The shape of the tensor engine's multiplier array. In one cycle it takes
/// `inputLanes` channels of `pixels` pixels and adds their products with
/// `outputLanes` filters to pixels * outputLanes accumulators.
struct MacArray {
  uint32_t inputLanes = 0;
  uint32_t outputLanes = 0;
  uint32_t pixels = 0;

  /// Multiplications per cycle with 8-bit inputs.
  uint32_t products() const { return inputLanes * outputLanes * pixels; }
};

/// The speed of a TEC beyond one instruction per cycle. Latencies count from
/// issue to the cycle in which a dependent instruction can issue.
struct TecTiming {
  /// Bits of a vector register worked on per cycle; VLEN itself is 256.
  uint32_t vectorDatapathBits = 0;
  /// Elements per cycle of an indexed or strided vector access.
  uint32_t gatherElementsPerCycle = 0;
  uint32_t sramLoadCycles = 0;
  uint32_t multiplyCycles = 0;
  uint32_t divideCycles = 0; ///< Integer and float; also the square root.
  uint32_t floatCycles = 0;
  uint32_t takenBranchCycles = 0; ///< Lost at each taken branch.
};

/// How many copies of each direction (seen from the SRAM) are under way at
/// once; they share the DDR bandwidth.
struct DmaChannels {
  uint32_t loadChannels = 0;
  uint32_t storeChannels = 0;
};

/// The tensor engine's Winograd mode: input and output transforms in the data
/// path. A machine without it has zeros.
struct WinogradUnit {
  /// Widths of the multipliers' operands in this mode: transformed inputs (see
  /// transformedBits) and transformed weights, of which exact ones (twice G)
  /// have 12 bits.
  uint32_t inputBits = 0;
  uint32_t weightBits = 0;
  /// Transformed inputs of one step: a tile of inputLanes channels for each of
  /// the array's pixels, 2 bytes a value. There are two such buffers: one is
  /// filled while the array takes tap after tap from the other.
  uint32_t tileBufferBytes = 0;
  /// Length of both transforms' pipelines together.
  uint32_t transformCycles = 0;

  /// Is there this mode, for 8-bit inputs and weights of so many bits?
  bool has(WinogradMode mode, uint32_t bits = 8) const {
    return inputBits >= transformedBits(mode) && weightBits >= bits;
  }
};

/// Row reuse of depthwise convolutions: a buffer before the array keeps a row
/// of inputs, of which all taps of a kernel row are taken at once. A machine
/// without it has zero.
struct DepthwiseUnit {
  /// Values of inputLanes channels at neighbouring columns.
  uint32_t rowBufferBytes = 0;
};

/// Requantization with multipliers of 31 bits: the output stage's multipliers
/// take 16 of them, so results go through once for each half. A machine that
/// lacks it has zero.
struct OutputStage {
  uint32_t widePasses = 0; ///< Cycles per vector of results, instead of 1.
};

/// What decodes weight streams (isa/WeightStream.h) on their way into SRAM: one
/// in each load channel of the DMA engine. A machine without it has zeros.
struct WeightDecoder {
  uint32_t bytesPerCycle = 0; ///< Of decoded weights.
  uint32_t startCycles = 0;   ///< Length of its pipeline.
};

/// What an executable tells a driver about the chip that it is for.
struct DeviceId {
  uint32_t version = 0;       ///< X2 is 5, X3 is 6.
  uint32_t configuration = 0; ///< The digits of a product's name: 1204.
  uint32_t revision = 0;      ///< X3P is 1, X3S is 2.

  /// As in note "compilermsg", of architecture 0.
  uint32_t word() const {
    return revision << 28 | version << 16 | configuration;
  }
};

struct Machine {
  std::string name;
  DeviceId device;
  uint32_t cores = 0;
  uint32_t tecs = 0; ///< Per core.
  /// Per core. They take their commands from one queue, so that as many are
  /// under way at once; each has an array and buffers as below.
  uint32_t tensorEngines = 1;
  uint32_t clockMhz = 0;

  MacArray macArray;
  /// Weights of `outputLanes` filters that stay in the tensor engine while the
  /// input streams past them. There are two such buffers: one is filled while
  /// the other is used. Per cycle the array needs inputLanes * outputLanes
  /// weights and inputLanes * pixels inputs; the inputs alone are half or less
  /// of what each built-in target's SRAM delivers, both together are all of it
  /// or more. That is why there is a weight buffer and no input buffer.
  uint32_t weightBufferBytes = 0;
  /// Partial sums, also twice: one half drains through the output stage while
  /// the other accumulates. sumBytes() each. Its
  /// pixels share one loading of the weight buffer: with the sizes chosen the
  /// array works on a full weight buffer at least 16 times as long as half of
  /// the SRAM's bandwidth takes to fill it.
  uint32_t accumulatorBytes = 0;
  uint32_t int16Passes = 0; ///< Cycles per step when the input has 16 bits.

  uint32_t sramBytes = 0;         ///< Per core.
  uint32_t sramBytesPerCycle = 0; ///< At least 1 for each tensor engine.
  uint32_t ddrBytesPerCycle = 0;  ///< Shared by all cores.
  uint32_t ddrBurstBytes = 0;     ///< A shorter access costs a whole burst.

  uint32_t ddrLatencyCycles = 0;
  uint32_t dmaStartCycles = 0;    ///< Per copy, before its first access.
  uint32_t engineStartCycles = 0; ///< Per tensor command; then it works.
  uint32_t eventCycles = 0;       ///< From a signal to the end of a wait on it.

  TecTiming tec;
  DmaChannels dma;
  WinogradUnit winograd;
  DepthwiseUnit depthwise;
  WeightDecoder weightDecoder;
  OutputStage outputStage;

  bool hasWideScales() const { return outputStage.widePasses != 0; }
  bool hasWeightDecoder() const { return weightDecoder.bytesPerCycle != 0; }
  bool hasWinograd(WinogradMode mode, uint32_t weightBits = 8) const {
    return winograd.has(mode, weightBits);
  }
  /// Multiplications per cycle of one core with 8-bit inputs.
  uint32_t macsPerCycle() const { return macArray.products() * tensorEngines; }
  /// What a tensor engine may take of the SRAM's bandwidth, if all work.
  uint32_t engineSramBytesPerCycle() const {
    return sramBytesPerCycle / tensorEngines;
  }
  /// Commands of a queue that are under way at once.
  uint32_t channelsOf(Unit queue) const {
    return queue == Unit::DmaLoad    ? dma.loadChannels
           : queue == Unit::DmaStore ? dma.storeChannels
                                     : tensorEngines;
  }
  /// SRAM below the TECs' stacks: what a program may use for data.
  uint32_t dataSramBytes() const { return sramBytes - tecs * kSramStackBytes; }
  /// Bytes of weights that the buffer holds for each filter.
  uint32_t weightBytesPerLane() const {
    return weightBufferBytes / macArray.outputLanes;
  }
  /// Output pixels (of outputLanes channels each) that the accumulators hold.
  uint32_t accumulatorPixels(ElementType input) const {
    return accumulatorBytes / (sumBytes(input) * macArray.outputLanes);
  }

  /// A complete machine file, the same bytes for equal machines.
  std::string toJson() const;
};

/// The machine that \p text describes, with every problem of it reported as
/// TargetInvalid. \p fileName is for diagnostics.
std::optional<Machine> parseMachine(std::string_view text,
                                    const std::string &fileName,
                                    DiagnosticEngine &diags);
std::optional<Machine> readMachine(const std::string &path,
                                   DiagnosticEngine &diags);

/// A built-in target by its name, or the machine file that a path ending in
/// .json leads to.
std::optional<Machine> findTarget(const std::string &nameOrPath,
                                  DiagnosticEngine &diags);
std::vector<std::string> builtinTargetNames();

} // namespace yarrow::isa

#endif // YARROW_ISA_MACHINE_H
