//===- Decode.cpp - Decoder of TEC instructions ---------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "simulator/tec/Decode.h"

#include <array>
#include <vector>

using namespace yarrow::sim;
using namespace yarrow::sim::tec;

static constexpr InstInfo kInsts[kNumInsts] = {
#define RISCV_INST(ID, MNEMONIC, FORMAT, MATCH, MASK, EXEC, COST)              \
  {MNEMONIC, Format::FORMAT, MATCH, MASK, Cost::COST},
#include "isa/RiscvInsts.def"
};

const InstInfo &tec::instInfo(InstId id) { return kInsts[unsigned(id)]; }

namespace {
/// Records by major opcode (bits 6:2) and funct3, the two fields that nearly
/// every record fixes; one that does not is in all buckets it can match.
struct Buckets {
  std::array<std::vector<InstId>, 256> of;

  static unsigned key(uint32_t word) {
    return (word >> 2 & 31) << 3 | (word >> 12 & 7);
  }
  Buckets() {
    for (unsigned k = 0; k < of.size(); ++k) {
      uint32_t word = (k >> 3) << 2 | 3 | (k & 7) << 12;
      for (unsigned id = 0; id < kNumInsts; ++id)
        if (((word ^ kInsts[id].match) & kInsts[id].mask & 0x707f) == 0)
          of[k].push_back(InstId(id));
    }
  }
};
} // namespace

std::optional<InstId> tec::findInst(uint32_t word) {
  static const Buckets buckets;
  if ((word & 3) != 3)
    return std::nullopt;
  for (InstId id : buckets.of[Buckets::key(word)]) {
    const InstInfo &info = instInfo(id);
    if ((word & info.mask) == info.match)
      return id;
  }
  return std::nullopt;
}
