//===- Decode.h - Decoder of TEC instructions -------------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The simulator's names for the records of the instruction set.
//
//   if (std::optional<InstId> id = findInst(0x02b50533))
//     instInfo(*id).mnemonic;   // "mul"
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_SIMULATOR_TEC_DECODE_H
#define YARROW_SIMULATOR_TEC_DECODE_H

#include "isa/TecInsts.h"

namespace yarrow::sim::tec {

using isa::tec::Cost;
using isa::tec::findInst;
using isa::tec::Format;
using isa::tec::FormatInfo;
using isa::tec::formatInfo;
using isa::tec::InstId;
using isa::tec::InstInfo;
using isa::tec::instInfo;
using isa::tec::kNumCosts;
using isa::tec::kNumInsts;
using isa::tec::Shape;

} // namespace yarrow::sim::tec

#endif // YARROW_SIMULATOR_TEC_DECODE_H
