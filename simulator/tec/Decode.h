//===- Decode.h - Decoder of TEC instructions -----------------------*- C++
//-*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Finds the record of isa/RiscvInsts.def that accepts a word.
//
//   if (std::optional<InstId> id = findInst(0x02b50533))
//     instInfo(*id).mnemonic;   // "mul"
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_SIMULATOR_TEC_DECODE_H
#define YARROW_SIMULATOR_TEC_DECODE_H

#include "simulator/tec/Timing.h"
#include <cstdint>
#include <optional>

namespace yarrow::sim::tec {

enum class InstId : uint16_t {
#define RISCV_INST(ID, MNEMONIC, FORMAT, MATCH, MASK, EXEC, COST) ID,
#include "isa/RiscvInsts.def"
};
inline constexpr unsigned kNumInsts = 0
#define RISCV_INST(ID, MNEMONIC, FORMAT, MATCH, MASK, EXEC, COST) +1
#include "isa/RiscvInsts.def"
    ;

/// Operands, in the order of assembly. x, f, v: register file; d is bits
/// 11:7, s 19:15, t 24:20, q 31:27; vm is bit 25.
enum class Format : uint8_t {
  None,
  R,        ///< xd, xs, xt
  I,        ///< xd, xs, simm12
  Shamt,    ///< xd, xs, uimm5
  Load,     ///< xd, simm12(xs)
  Store,    ///< xt, simm12(xs)
  B,        ///< xs, xt, offset
  U,        ///< xd, imm20
  J,        ///< xd, offset
  Fence,    ///< pred, succ
  Csr,      ///< xd, csr, xs
  CsrImm,   ///< xd, csr, uimm5
  Amo,      ///< xd, xt, (xs)
  Lr,       ///< xd, (xs)
  FLoad,    ///< fd, simm12(xs)
  FStore,   ///< ft, simm12(xs)
  FR4,      ///< fd, fs, ft, fq, rm
  FRm,      ///< fd, fs, ft, rm
  FUnary,   ///< fd, fs, rm
  FR,       ///< fd, fs, ft
  FCmp,     ///< xd, fs, ft
  FToX,     ///< xd, fs, rm
  XToF,     ///< fd, xs, rm
  FMvToX,   ///< xd, fs
  XMvToF,   ///< fd, xs
  Npu,      ///< xs, xt; bits 31:25 an id
  VSetvli,  ///< xd, xs, vtype
  VSetivli, ///< xd, uimm5, vtype
  VV,       ///< vd, vt, vs, vm
  VX,       ///< vd, vt, xs, vm
  VI,       ///< vd, vt, simm5, vm
  VU,       ///< vd, vt, uimm5, vm
  VF,       ///< vd, vt, fs, vm
  VVM,      ///< vd, vt, vs, v0
  VXM,      ///< vd, vt, xs, v0
  VIM,      ///< vd, vt, simm5, v0
  VFM,      ///< vd, vt, fs, v0
  VMv,      ///< vd, then vs, xs, fs or simm5
  VUnary,   ///< vd, vt, vm
  VId,      ///< vd, vm
  VToX,     ///< xd, vt(, vm)
  XToV,     ///< vd, xs
  VToF,     ///< fd, vt
  FToV,     ///< vd, fs
  VMvR,     ///< vd, vt: whole registers
  VLoad,    ///< vd, (xs), vm
  VStore,   ///< vd, (xs), vm
  VLoadMask,
  VStoreMask,
  VLoadWhole,
  VStoreWhole,
  VLoadStrided,  ///< vd, (xs), xt, vm
  VStoreStrided, ///< vd, (xs), xt, vm
  VLoadIndexed,  ///< vd, (xs), vt, vm
  VStoreIndexed, ///< vd, (xs), vt, vm
};

struct InstInfo {
  const char *mnemonic;
  Format format;
  uint32_t match, mask;
  Cost cost;
};

const InstInfo &instInfo(InstId id);

/// None if no record accepts \p word.
std::optional<InstId> findInst(uint32_t word);

} // namespace yarrow::sim::tec

#endif // YARROW_SIMULATOR_TEC_DECODE_H
