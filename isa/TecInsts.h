//===- TecInsts.h - Decoder and disassembler of TEC code --------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The records of isa/RiscvInsts.def as tables, the decoder that finds the one
// that accepts a word, and the text of a word as `llvm-objdump -M no-aliases`
// prints it (with our custom-0 instructions added).
//
//   if (std::optional<tec::InstId> id = tec::findInst(0x02b50533))
//     tec::instInfo(*id).mnemonic;              // "mul"
//   tec::disassemble(0xfe051ee3, /*pc=*/0x108)  // "bne\ta0, zero, 0x104"
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_ISA_TECINSTS_H
#define YARROW_ISA_TECINSTS_H

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace yarrow::isa::tec {

enum class InstId : uint16_t {
#define RISCV_INST(ID, ...) ID,
#include "isa/RiscvInsts.def"
};
inline constexpr unsigned kNumInsts = 0
#define RISCV_INST(...) +1
#include "isa/RiscvInsts.def"
    ;

enum class Format : uint8_t {
#define RISCV_FORMAT(NAME, OPERANDS) NAME,
#include "isa/RiscvFormats.def"
};

/// Where an instruction is defined; Npu is ours.
enum class Extension : uint8_t { I, M, A, F, D, Zicsr, Zifencei, V, Npu };

/// Cost classes: what simulator/tec/Timing.h charges for.
enum class Cost : uint8_t {
  Alu,
  Mul,
  Div,
  Branch,
  Jump,
  Load,
  Store,
  Amo,
  Fence,
  Csr,
  Fp,
  FpDiv,
  Npu,
  VSet,
  VAlu,
  VFp,
  VWide,
  VWideFp,
  VDiv,
  VReduce,        ///< Tree: adds log2 of the lanes.
  VReduceOrdered, ///< One element after the other.
  VMask,          ///< On mask registers: one pass of a register.
  VMove,
  VMoveWhole,
  VSlide,
  VGather, ///< Each register of the result may come from any of the source.
  VLoad,
  VStore,
  VLoadSeg,
  VStoreSeg,
  VLoadMask,
  VStoreMask,
  VLoadWhole,
  VStoreWhole,
  VLoadStrided,
  VStoreStrided,
  VLoadIndexed,
  VStoreIndexed,
};
inline constexpr unsigned kNumCosts = unsigned(Cost::VStoreIndexed) + 1;

/// How wide the elements of a vector instruction's operands are, against SEW,
/// and where registers may overlap (V 5.2). A source that the format does not
/// name is not there.
enum class Shape : uint8_t {
  None,       ///< Not a vector instruction, or one that sets vtype.
  Same,       ///< All operands are of SEW.
  Wide,       ///< vd is of 2 * SEW.
  WideWide,   ///< vd and vt are of 2 * SEW.
  Narrow,     ///< vt is of 2 * SEW.
  Extend2,    ///< vt is of SEW / 2,
  Extend4,    ///< SEW / 4,
  Extend8,    ///< SEW / 8.
  Compare,    ///< vd is a mask.
  Masks,      ///< All operands are masks.
  MaskToX,    ///< vt is a mask.
  MaskScan,   ///< vd and vt are masks and must differ.
  Iota,       ///< vt is a mask; vd must not overlap it.
  Dest,       ///< There is only vd.
  Scalar,     ///< Element 0 of one register.
  Reduce,     ///< vd and vs are element 0 of one register.
  WideReduce, ///< The same, of 2 * SEW.
  NoOverlap,  ///< vd overlaps no source.
  Gather16,   ///< The same; vs is of 16 bits.
  Compress,   ///< The same; vs is a mask.
  Memory,     ///< vd is of the encoded width, in nf groups.
  Indexed,    ///< vd is of SEW, in nf groups; vt of the encoded width.
  MaskMemory, ///< vd is a mask.
  Whole,      ///< nf registers, whatever vtype is.
};

/// Immediates and where they lie; each is a word of isa/RiscvFormats.def.
enum class Immediate : uint8_t {
  None,
  I12,
  S12,
  B13,
  J21,
  U20,
  Sh5,
  Z5,
  V5,
  Csr,
  Vtype11,
  Vtype10,
  Unit
};

struct InstInfo {
  const char *mnemonic;
  Format format;
  uint32_t match, mask;
  Cost cost;
  Extension extension;
  Shape shape;
  const char *meaning; ///< Of our own instructions; else empty.
};

/// What a format's operands are.
struct FormatInfo {
  const char *operands;
  Immediate immediate;
  bool writesX, hasVd, hasVs, hasVt, hasRounding;
  bool accumulates; ///< vd is also a source.
};

const InstInfo &instInfo(InstId id);
const FormatInfo &formatInfo(Format format);
std::string_view name(Extension extension);

/// None if no record accepts \p word, or if a field that all configurations of
/// a TEC reserve is set: a static rounding mode 5 or 6, or registers of a
/// whole-register instruction that are not aligned.
std::optional<InstId> findInst(uint32_t word);

/// The immediate of \p word; that of u20 is shifted to its place.
int32_t immediate(uint32_t word, Immediate kind);

/// Registers that a whole-register instruction or the fields of a segment
/// access name: nf.
constexpr unsigned numFields(uint32_t word) { return (word >> 29) + 1; }
/// log2 of the bytes of the width in a vector memory instruction.
constexpr unsigned memoryWidthLog2(uint32_t word) {
  unsigned width = word >> 12 & 7;
  return width ? width - 4 : 0;
}

/// Mnemonic, a tab and the operands; ".word\t0x..." if there is no such
/// instruction. Jumps show their target, which depends on \p pc.
std::string disassemble(uint32_t word, uint32_t pc);

/// "sp", "fa0": names of the ABI. \p reg is below 32.
const char *xRegisterName(unsigned reg);
const char *fRegisterName(unsigned reg);

/// Nothing if a TEC has no such CSR.
std::optional<std::string_view> csrName(uint32_t number);

} // namespace yarrow::isa::tec

#endif // YARROW_ISA_TECINSTS_H
