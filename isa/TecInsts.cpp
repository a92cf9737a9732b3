//===- TecInsts.cpp - Decoder of TEC code ---------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "isa/TecInsts.h"

#include <array>
#include <vector>

using namespace yarrow::isa;
using namespace yarrow::isa::tec;

static constexpr InstInfo kInsts[kNumInsts] = {
#define RISCV_INST(ID, MNEMONIC, FORMAT, MATCH, MASK, EXEC, COST, EXTENSION)   \
  {MNEMONIC,   Format::FORMAT,       MATCH,       MASK,                        \
   Cost::COST, Extension::EXTENSION, Shape::None, ""},
#define RISCV_VINST(ID, MNEMONIC, FORMAT, MATCH, MASK, EXEC, COST, SHAPE)      \
  {MNEMONIC,   Format::FORMAT, MATCH,        MASK,                             \
   Cost::COST, Extension::V,   Shape::SHAPE, ""},
#define RISCV_NINST(ID, MNEMONIC, FORMAT, MATCH, MASK, EXEC, COST, MEANING)    \
  {MNEMONIC,   Format::FORMAT, MATCH,       MASK,                              \
   Cost::COST, Extension::Npu, Shape::None, MEANING},
#include "isa/RiscvInsts.def"
};

/// True if \p word is one of the words of \p operands.
static constexpr bool names(std::string_view operands, std::string_view word) {
  for (size_t at = operands.find(word); at != std::string_view::npos;
       at = operands.find(word, at + 1)) {
    auto isPartOfWord = [&](size_t k) {
      return k < operands.size() &&
             (operands[k] >= 'a' || (operands[k] >= '0' && operands[k] <= '9'));
    };
    if (!isPartOfWord(at - 1) && !isPartOfWord(at + word.size()))
      return true;
  }
  return false;
}

static constexpr FormatInfo describe(std::string_view format,
                                     const char *operands) {
  constexpr std::pair<std::string_view, Immediate> kWords[] = {
      {"i12", Immediate::I12},         {"s12", Immediate::S12},
      {"b13", Immediate::B13},         {"j21", Immediate::J21},
      {"u20", Immediate::U20},         {"sh5", Immediate::Sh5},
      {"z5", Immediate::Z5},           {"v5", Immediate::V5},
      {"csr", Immediate::Csr},         {"vtype11", Immediate::Vtype11},
      {"vtype10", Immediate::Vtype10}, {"unit", Immediate::Unit}};
  // csrrwi has two: its z5 is read from the field of rs1.
  Immediate immediate = Immediate::None;
  for (auto [word, kind] : kWords)
    if (names(operands, word))
      immediate = kind;
  return {operands,
          immediate,
          names(operands, "xd"),
          names(operands, "vd"),
          names(operands, "vs"),
          names(operands, "vt"),
          names(operands, "rm") || names(operands, "rmrne"),
          format.ends_with("Acc")};
}

static constexpr FormatInfo kFormats[] = {
#define RISCV_FORMAT(NAME, OPERANDS) describe(#NAME, OPERANDS),
#include "isa/RiscvFormats.def"
};

const InstInfo &tec::instInfo(InstId id) { return kInsts[unsigned(id)]; }
const FormatInfo &tec::formatInfo(Format format) {
  return kFormats[unsigned(format)];
}

std::string_view tec::name(Extension extension) {
  constexpr std::string_view kNames[] = {"I",     "M",        "A", "F",     "D",
                                         "Zicsr", "Zifencei", "V", "custom"};
  return kNames[unsigned(extension)];
}

std::optional<std::string_view> tec::csrName(uint32_t number) {
  switch (number) {
#define RISCV_CSR(ID, NAME, NUMBER, MEANING)                                   \
  case NUMBER:                                                                 \
    return NAME;
#include "isa/RiscvCsrs.def"
  default:
    return std::nullopt;
  }
}

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

/// Registers that a whole-register move or access names; they start at a
/// multiple of their number.
static unsigned wholeRegisters(uint32_t word, const InstInfo &info) {
  return info.format == Format::VMvR ? (word >> 15 & 7) + 1 : numFields(word);
}

static bool isReserved(uint32_t word, const InstInfo &info) {
  const FormatInfo &format = formatInfo(info.format);
  unsigned rounding = word >> 12 & 7;
  if (format.hasRounding && (rounding == 5 || rounding == 6))
    return true;
  if (info.shape != Shape::Whole)
    return false;
  unsigned registers = word >> 7 & 31;
  if (format.hasVt)
    registers |= word >> 20 & 31;
  return registers & (wholeRegisters(word, info) - 1);
}

std::optional<InstId> tec::findInst(uint32_t word) {
  static const Buckets buckets;
  if ((word & 3) != 3)
    return std::nullopt;
  for (InstId id : buckets.of[Buckets::key(word)]) {
    const InstInfo &info = instInfo(id);
    if ((word & info.mask) == info.match)
      return isReserved(word, info) ? std::nullopt : std::optional(id);
  }
  return std::nullopt;
}

/// Bits \p high to \p low of \p word, moved to \p to.
static uint32_t bits(uint32_t word, unsigned high, unsigned low, unsigned to) {
  return (word >> low & ((2u << (high - low)) - 1)) << to;
}

int32_t tec::immediate(uint32_t word, Immediate kind) {
  int32_t sign = int32_t(word) >> 31;
  switch (kind) {
  case Immediate::None:
    return 0;
  case Immediate::I12:
    return int32_t(word) >> 20;
  case Immediate::S12:
    return int32_t(uint32_t(sign) << 12 | bits(word, 31, 25, 5) |
                   bits(word, 11, 7, 0));
  case Immediate::B13:
    return int32_t(uint32_t(sign) << 12 | bits(word, 7, 7, 11) |
                   bits(word, 30, 25, 5) | bits(word, 11, 8, 1));
  case Immediate::J21:
    return int32_t(uint32_t(sign) << 20 | bits(word, 19, 12, 12) |
                   bits(word, 20, 20, 11) | bits(word, 30, 21, 1));
  case Immediate::U20:
    return int32_t(word & 0xfffff000);
  case Immediate::Sh5:
    return int32_t(bits(word, 24, 20, 0));
  case Immediate::Z5:
    return int32_t(bits(word, 19, 15, 0));
  case Immediate::V5:
    return int32_t(word << 12) >> 27;
  case Immediate::Csr:
    return int32_t(bits(word, 31, 20, 0));
  case Immediate::Vtype11:
    return int32_t(bits(word, 30, 20, 0));
  case Immediate::Vtype10:
    return int32_t(bits(word, 29, 20, 0));
  case Immediate::Unit:
    return int32_t(bits(word, 31, 25, 0));
  }
  return 0;
}
