//===- Cases.cpp - What the instruction suite executes --------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "test/unit/simulator_tec/suite/Cases.h"
#include "test/unit/simulator_tec/suite/Vector.h"

using namespace yarrow::reference;

const std::vector<Record> &yarrow::reference::records() {
  static const std::vector<Record> all = {
#define RISCV_INST(ID, MNEMONIC, FORMAT, MATCH, MASK, ...)                     \
  {MNEMONIC, MATCH, MASK, false},
#define RISCV_VINST(ID, MNEMONIC, FORMAT, MATCH, MASK, ...)                    \
  {MNEMONIC, MATCH, MASK, true},
#include "isa/RiscvInsts.def"
  };
  return all;
}

uint64_t yarrow::reference::randomInteger(Random &random, unsigned bits) {
  uint64_t sign = uint64_t(1) << (bits - 1);
  const uint64_t corners[] = {
      0,    1,        2,        ~uint64_t(0), ~uint64_t(1),
      sign, sign - 1, sign + 1, sign - 2,     0x5555555555555555,
      3,    sign >> 1};
  switch (random.below(6)) {
  case 0:
  case 1:
    return lowBits(random.pick(corners), bits);
  case 2: // near zero
    return lowBits(uint64_t(int64_t(random.below(64)) - 32), bits);
  case 3: // of any size
    return lowBits(random.bits(), bits) >> random.below(bits);
  default:
    return lowBits(random.bits(), bits);
  }
}

uint64_t yarrow::reference::randomFloat(Random &random, FloatFormat f) {
  uint64_t one = uint64_t(f.bias()) << f.fractionBits;
  uint64_t sign = random.bits() & f.sign();
  const uint64_t corners[] = {0,
                              f.infinity(),
                              f.nan(),
                              f.nan() | 0x15,
                              f.infinity() | 1, // signaling
                              1,
                              (uint64_t(1) << f.fractionBits) - 1,
                              uint64_t(1) << f.fractionBits,
                              f.infinity() - 1,
                              one,
                              one - 1,
                              one + 1,
                              one | f.quiet()};
  auto withExponent = [&](int exponent, uint64_t fraction) {
    int biased = exponent + f.bias();
    return sign | uint64_t(biased) << f.fractionBits | fraction;
  };
  uint64_t fractionMask = (uint64_t(1) << f.fractionBits) - 1;
  // Few significant bits make ties.
  uint64_t coarse = random.bits() & fractionMask;
  coarse &= ~(fractionMask >> random.below(5));
  switch (random.below(8)) {
  case 0:
    return sign | random.pick(corners);
  case 1: // about the sizes of integers
    return withExponent(int(random.below(70)) - 4,
                        random.bits() & fractionMask);
  case 2:
  case 3: // and where they are half way between two
    return withExponent(int(random.below(8)) - 2, coarse);
  case 4: // apart by about a significand
    return withExponent(random.oneIn(2) ? f.fractionBits : -1, coarse);
  case 5: // products and quotients near the ends of the range
    return withExponent(
        (random.oneIn(2) ? 1 : -1) * (f.bias() / 2 + int(random.below(28)) - 2),
        random.oneIn(2) ? coarse : random.bits() & fractionMask);
  case 6: // subnormal, or nearly
    return sign | (random.bits() & (fractionMask << 1 | 1)) >>
                      random.below(unsigned(f.fractionBits));
  default:
    return random.bits() & (f.sign() | (f.sign() - 1));
  }
}

static bool startsWith(const std::string &text, const char *prefix) {
  return text.rfind(prefix, 0) == 0;
}

namespace {
/// What a mnemonic says about the operands that suit it.
struct Traits {
  bool isFloat, isVectorMemory, isIndexed, isGather, isSlide;

  explicit Traits(const std::string &m, bool isVector) {
    isFloat = startsWith(m, "vf") || startsWith(m, "vmf") || m[0] == 'f';
    uint32_t major = 0;
    for (const Record &record : records())
      if (record.mnemonic == m)
        major = record.match & 0x7f;
    isVectorMemory = isVector && (major == 0x07 || major == 0x27);
    isIndexed = isVectorMemory && m.find("ei") != std::string::npos;
    isGather = startsWith(m, "vrgather");
    isSlide = startsWith(m, "vslide");
  }
};

class Maker {
public:
  Maker(const Record &record, const Settings &settings, uint32_t pc,
        Random &random)
      : record(record), settings(settings), pc(pc), random(random),
        traits(record.mnemonic, record.isVector), type(settings.vtype) {}

  Case make() {
    c.record = &record;
    c.prefix = 0x00000013; // nop
    fillRegisters();
    chooseWord();
    if (record.isVector)
      suitVector();
    else
      suitScalar();
    c.state.x[0] = 0;
    return std::move(c);
  }

private:
  const Record &record;
  const Settings &settings;
  uint32_t pc;
  Random &random;
  Traits traits;
  VType type;
  Case c = {};

  void fillRegisters() {
    State &s = c.state;
    for (uint32_t &x : s.x)
      x = uint32_t(randomInteger(random, 32));
    for (uint64_t &f : s.f)
      f = random.oneIn(2) ? randomFloat(random, kDouble)
          : random.oneIn(12)
              ? random.bits()
              : randomFloat(random, kSingle) | 0xffffffff00000000;
    s.vtype = settings.vtype;
    s.vl = settings.vl;
    s.vstart = settings.vstart;
    s.frm = settings.frm;
    s.vxrm = settings.vxrm;
    s.fflags = random.oneIn(4) ? uint8_t(random.below(32)) : 0;
    s.vxsat = random.oneIn(4);
    if (!record.isVector && random.oneIn(2))
      return; // vector registers do not matter
    for (unsigned reg = 0; reg < 32; ++reg)
      fillVector(reg);
    fillMask();
  }

  void fillVector(unsigned reg) {
    int sew = type.isLegal ? type.sew : 32;
    int widths[] = {sew, sew, sew, sew < 64 ? 2 * sew : sew,
                    8 << random.below(4)};
    int bits = random.pick(widths);
    bool asFloat =
        bits >= 32 && (traits.isFloat ? !random.oneIn(5) : random.oneIn(8));
    for (unsigned k = 0; k < kVlenBits / unsigned(bits); ++k)
      setElement(c.state, reg, k, bits,
                 asFloat ? randomFloat(random, formatOf(bits))
                         : randomInteger(random, unsigned(bits)));
  }
  void fillMask() {
    uint8_t density = uint8_t(random.below(4));
    for (unsigned k = 0; k < 32; ++k) {
      uint8_t byte = uint8_t(random.bits());
      c.state.v[k] = density == 0   ? byte & uint8_t(random.bits())
                     : density == 1 ? byte | uint8_t(random.bits())
                                    : byte;
    }
  }

  /// Free bits are random, until the instruction is legal, or anyway.
  void chooseWord() {
    const Semantics &semantics = *findSemantics(record.mnemonic);
    bool anyWill = random.oneIn(25);
    ModelMemory none;
    State scratch = c.state;
    for (unsigned attempt = 0; attempt < 40; ++attempt) {
      uint32_t free = uint32_t(random.bits());
      if (record.isVector) {
        free = (free & ~(1u << 25)) | uint32_t(!settings.masked) << 25;
        if (attempt % 4 != 3) // groups are often aligned
          free &= ~(0x00108080u * ((2u << random.below(3)) - 1));
      }
      c.word = record.match | (free & ~record.mask);
      if (anyWill || !record.isVector)
        return;
      scratch.memory = &none;
      State probe = scratch;
      probe.vl = 0;
      probe.vstart = scratch.vstart;
      if (semantics(probe, c.word).outcome != Outcome::Illegal)
        return;
    }
  }

  uint32_t dataAddress() {
    switch (random.below(12)) {
    case 0: // the end of DDR
      return kDdrBytes - random.below(600);
    case 1:
      return ModelMemory::kSramBase + random.below(kSramBytes / 2);
    case 2: // the end of SRAM
      return ModelMemory::kSramBase + kSramBytes - random.below(600);
    default:
      return kDataAddress + 0x1000 + random.below(0x1000);
    }
  }

  void fillIndices(unsigned reg, int bits, unsigned bound) {
    for (unsigned k = 0; k < 8 * kVlenBits / unsigned(bits); ++k) {
      if (reg + k * unsigned(bits) / kVlenBits >= 32)
        return;
      uint64_t index = random.below(bound);
      if (random.oneIn(8))
        index = 0 - index;
      if (random.oneIn(64))
        index = random.bits();
      setElement(c.state, reg, k, bits, index);
    }
  }

  void suitVector() {
    Word w{c.word};
    State &s = c.state;
    unsigned vlmax = type.isLegal ? type.vlmax() : 1;
    if (traits.isVectorMemory) {
      w = withUsefulBase();
      if (traits.isIndexed)
        fillIndices(w.rs2(), w.funct3() == 0 ? 8 : 8 << (w.funct3() - 4),
                    random.oneIn(4) ? 4 : 1200);
      const uint32_t strides[] = {0, 1, 2, 4, 8, 3, 12, 16, 64, ~0u, 0u - 8};
      if (!random.oneIn(32))
        s.x[w.rs2()] =
            random.oneIn(2) ? random.pick(strides) : random.below(256) - 128;
      s.x[w.rs1()] = dataAddress();
    }
    if (traits.isGather && !random.oneIn(8)) {
      bool is16 = record.mnemonic == "vrgatherei16.vv";
      fillIndices(w.rs1(), is16 ? 16 : type.isLegal ? type.sew : 8, vlmax + 2);
      s.x[w.rs1()] = random.below(vlmax + 2);
    }
    if (traits.isSlide && !random.oneIn(8))
      s.x[w.rs1()] = random.below(vlmax + 3);
    if (settings.masked && w.rs2() != 0 && w.rs1() != 0)
      fillMask();
  }

  /// x31 is the address of the slot and no place to store to, and there is no
  /// text at what x0 reaches.
  Word withUsefulBase() {
    if (Word{c.word}.rs1() == 31 || Word{c.word}.rs1() == 0)
      c.word ^= 1u << 15;
    return Word{c.word};
  }

  void suitScalar() {
    Word w{c.word};
    State &s = c.state;
    const std::string &m = record.mnemonic;
    switch (record.match & 0x7f) {
    case 0x03: // loads
    case 0x07:
      w = withUsefulBase();
      s.x[w.rs1()] = dataAddress() - uint32_t(w.immI());
      break;
    case 0x23: // stores
    case 0x27:
      w = withUsefulBase();
      s.x[w.rs1()] = dataAddress() - uint32_t(w.immS());
      break;
    case 0x2f: // atomics
      suitAtomic(withUsefulBase());
      break;
    case 0x63: // branches: mostly to where the text is
    case 0x6f:
      suitJump(m == "jal");
      break;
    case 0x67:
      w = withUsefulBase();
      s.x[w.rs1()] = targetAddress() - uint32_t(w.immI());
      break;
    case 0x73:
      suitCsr();
      break;
    case 0x57:
      suitConfiguration();
      break;
    default:
      break;
    }
  }

  uint32_t targetAddress() {
    if (random.oneIn(16))
      return kDdrBytes + random.below(64) * 4;
    uint32_t target = kTextAddress + random.below(kTextEnd - kTextAddress);
    return outsideOfSlot(random.oneIn(8) ? target : target & ~3u);
  }
  /// The slot's own words lead back, or to the driver; behind the case it ends.
  uint32_t outsideOfSlot(uint32_t target) {
    return target - (pc - 4) < 16 ? pc + 4 : target;
  }
  void suitJump(bool isJal) {
    // Offsets of a branch reach 4 KiB, and the text is that far to both sides.
    uint32_t target =
        isJal ? targetAddress() : outsideOfSlot(pc + random.below(8190) - 4094);
    uint32_t offset = (target & (random.oneIn(8) ? ~1u : ~3u)) - pc;
    if (isJal)
      c.word = (c.word & 0xfff) | (offset >> 20 & 1) << 31 |
               (offset >> 1 & 1023) << 21 | (offset >> 11 & 1) << 20 |
               (offset >> 12 & 255) << 12;
    else
      c.word = (c.word & 0x01fff07f) | (offset >> 12 & 1) << 31 |
               (offset >> 5 & 63) << 25 | (offset >> 1 & 15) << 8 |
               (offset >> 11 & 1) << 7;
    if (random.oneIn(3)) {
      Word w{c.word};
      c.state.x[w.rs2()] = c.state.x[w.rs1()];
    }
  }
  void suitAtomic(Word w) {
    State &s = c.state;
    s.x[w.rs1()] = random.oneIn(12) ? dataAddress() : dataAddress() & ~3u;
    if (record.mnemonic != "sc.w")
      return;
    // lr.w x0, (rs): of the same word or another.
    unsigned other = 1 + random.below(30);
    if (random.oneIn(3) || w.rs1() == 0) {
      if (other != w.rs1())
        s.x[other] = kDataAddress + random.below(64) * 4;
      else
        s.x[other] &= ~3u;
    } else {
      other = w.rs1();
    }
    if (s.x[other] % 4 || s.x[other] > kDdrBytes - 4)
      s.x[other] = kDataAddress;
    c.prefix = 0x1000202f | other << 15;
  }
  void suitCsr() {
    if ((c.word & 0x7000) == 0)
      return;
    const uint32_t csrs[] = {0x001, 0x002, 0x003, 0x008, 0x009, 0x00A,
                             0x00F, 0xC20, 0xC21, 0xC22, 0x7b0, 0x5ff};
    c.word = (c.word & 0xfffff) | random.pick(csrs) << 20;
    if (random.oneIn(4))
      c.word &= ~(31u << 15);
    if (random.oneIn(2))
      c.state.x[Word{c.word}.rs1()] = random.below(256);
  }
  void suitConfiguration() {
    Word w{c.word};
    uint32_t vtype = random.below(256);
    if (random.oneIn(8))
      vtype = uint32_t(randomInteger(random, 32));
    c.state.x[w.rs2()] = vtype;
    if (!random.oneIn(8))
      c.state.x[w.rs1()] = random.below(600);
    // Bits of an immediate vtype that are none.
    if (record.mnemonic != "vsetvl" && !random.oneIn(8))
      c.word &= record.mnemonic == "vsetvli" ? ~0x70000000u : ~0x30000000u;
  }
};
} // namespace

Case yarrow::reference::makeCase(const Record &record, const Settings &settings,
                                 uint32_t pc, Random &random) {
  return Maker(record, settings, pc, random).make();
}
