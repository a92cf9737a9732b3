//===- TecDisassembler.cpp - TEC code as text -----------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Follows llvm-objdump -M no-aliases: immediates in hexadecimal, targets of
// jumps as addresses, a rounding mode that is dynamic spelled out.
//
//===----------------------------------------------------------------------===//
#include "isa/TecInsts.h"
#include "isa/Types.h"

#include <cctype>

using namespace yarrow::isa;
using namespace yarrow::isa::tec;

static std::string hex(int64_t value) {
  constexpr char kDigits[] = "0123456789abcdef";
  uint64_t magnitude = value < 0 ? 0 - uint64_t(value) : uint64_t(value);
  std::string digits;
  do
    digits.insert(digits.begin(), kDigits[magnitude % 16]);
  while (magnitude /= 16);
  return (value < 0 ? "-0x" : "0x") + digits;
}

const char *tec::xRegisterName(unsigned reg) {
  constexpr const char *kNames[] = {
      "zero", "ra", "sp", "gp", "tp",  "t0",  "t1", "t2", "s0", "s1", "a0",
      "a1",   "a2", "a3", "a4", "a5",  "a6",  "a7", "s2", "s3", "s4", "s5",
      "s6",   "s7", "s8", "s9", "s10", "s11", "t3", "t4", "t5", "t6"};
  return kNames[reg];
}
const char *tec::fRegisterName(unsigned reg) {
  constexpr const char *kNames[] = {
      "ft0", "ft1", "ft2",  "ft3",  "ft4", "ft5", "ft6",  "ft7",
      "fs0", "fs1", "fa0",  "fa1",  "fa2", "fa3", "fa4",  "fa5",
      "fa6", "fa7", "fs2",  "fs3",  "fs4", "fs5", "fs6",  "fs7",
      "fs8", "fs9", "fs10", "fs11", "ft8", "ft9", "ft10", "ft11"};
  return kNames[reg];
}
static std::string unitName(unsigned unit) {
  return unit < kNumCounters ? std::string(kUnits[unit].mnemonic)
                             : std::to_string(unit);
}
static const char *roundingName(unsigned mode) {
  constexpr const char *kNames[] = {"rne", "rtz", "rdn", "rup",
                                    "rmm", "",    "",    "dyn"};
  return kNames[mode];
}

static std::string fenceSet(unsigned bits) {
  std::string set;
  for (unsigned k = 0; k < 4; ++k)
    if (bits >> (3 - k) & 1)
      set += "iorw"[k];
  return set.empty() ? "0" : set;
}

/// vtype in words; a reserved one as a number.
static std::string vtypeText(uint32_t vtype) {
  constexpr const char *kLmuls[] = {"m1", "m2",  "m4",  "m8",
                                    "",   "mf8", "mf4", "mf2"};
  unsigned lmul = vtype & 7, sewLog2 = vtype >> 3 & 7;
  if (vtype >> 8 || lmul == 4 || sewLog2 > 3)
    return hex(vtype);
  return "e" + std::to_string(8 << sewLog2) + ", " + kLmuls[lmul] +
         (vtype & 0x40 ? ", ta" : ", tu") + (vtype & 0x80 ? ", ma" : ", mu");
}

namespace {
class Printer {
public:
  Printer(uint32_t word, uint32_t pc) : word(word), pc(pc) {}

  /// The text of one word of isa/RiscvFormats.def.
  std::string operand(std::string_view kind) const {
    unsigned d = field(7), s = field(15), t = field(20), q = field(27);
    unsigned which = kind[1] == 'd'   ? d
                     : kind[1] == 's' ? s
                     : kind[1] == 't' ? t
                                      : q;
    if (kind == "xd" || kind == "xs" || kind == "xt")
      return xRegisterName(which);
    if (kind == "fd" || kind == "fs" || kind == "ft" || kind == "fq")
      return fRegisterName(which);
    if (kind == "vd" || kind == "vs" || kind == "vt")
      return "v" + std::to_string(which);
    if (kind == "v0")
      return "v0";
    if (kind == "vm")
      return word >> 25 & 1 ? "" : "v0.t";
    if (kind == "rm" || kind == "rmrne")
      return kind == "rmrne" && rounding() == 0 ? "" : roundingName(rounding());
    if (kind == "pred")
      return fenceSet(word >> 24 & 15);
    if (kind == "succ")
      return fenceSet(word >> 20 & 15);
    return number(kind);
  }

private:
  const uint32_t word, pc;

  unsigned field(unsigned low) const { return word >> low & 31; }
  unsigned rounding() const { return word >> 12 & 7; }
  int32_t imm(Immediate kind) const { return immediate(word, kind); }

  std::string number(std::string_view kind) const {
    if (kind == "i12")
      return hex(imm(Immediate::I12));
    if (kind == "s12")
      return hex(imm(Immediate::S12));
    if (kind == "b13")
      return hex(pc + uint32_t(imm(Immediate::B13)));
    if (kind == "j21")
      return hex(pc + uint32_t(imm(Immediate::J21)));
    if (kind == "u20")
      return hex(uint32_t(imm(Immediate::U20)) >> 12);
    if (kind == "sh5")
      return hex(imm(Immediate::Sh5));
    if (kind == "z5")
      return hex(imm(Immediate::Z5));
    if (kind == "v5")
      return hex(imm(Immediate::V5));
    if (kind == "vtype11")
      return vtypeText(uint32_t(imm(Immediate::Vtype11)));
    if (kind == "vtype10")
      return vtypeText(uint32_t(imm(Immediate::Vtype10)));
    if (kind == "unit")
      return unitName(unsigned(imm(Immediate::Unit)));
    uint32_t csr = uint32_t(imm(Immediate::Csr));
    std::optional<std::string_view> name = csrName(csr);
    return name ? std::string(*name) : hex(csr);
  }
};
} // namespace

/// One operand: words become fields, punctuation stays.
static std::string render(const Printer &printer, std::string_view operand) {
  std::string text;
  while (!operand.empty()) {
    size_t length = 0;
    while (length < operand.size() &&
           std::isalnum(static_cast<unsigned char>(operand[length])))
      ++length;
    if (length == 0)
      text += operand[0];
    else
      text += printer.operand(operand.substr(0, length));
    operand.remove_prefix(length ? length : 1);
  }
  return text;
}

std::string tec::disassemble(uint32_t word, uint32_t pc) {
  std::optional<InstId> id = findInst(word);
  if (!id)
    return ".word\t" + hex(word);
  const InstInfo &info = instInfo(*id);
  std::string text = info.mnemonic;
  if (info.extension == Extension::A) {
    constexpr const char *kOrders[] = {"", ".rl", ".aq", ".aqrl"};
    text += kOrders[word >> 25 & 3];
  }
  Printer printer(word, pc);
  bool isFirst = true;
  for (std::string_view rest = formatInfo(info.format).operands;
       !rest.empty();) {
    size_t end = rest.find(", ");
    std::string operand = render(printer, rest.substr(0, end));
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 2);
    if (operand.empty()) // an optional one: vm, rmrne
      continue;
    text += (isFirst ? "\t" : ", ") + operand;
    isFirst = false;
  }
  return text;
}
