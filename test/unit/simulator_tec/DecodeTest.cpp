//===- DecodeTest.cpp - Records against one another and against LLVM ------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "simulator/tec/Decode.h"

#include "llvm/MC/MCAsmInfo.h"
#include "llvm/MC/MCContext.h"
#include "llvm/MC/MCDisassembler/MCDisassembler.h"
#include "llvm/MC/MCInst.h"
#include "llvm/MC/MCInstPrinter.h"
#include "llvm/MC/MCInstrInfo.h"
#include "llvm/MC/MCRegisterInfo.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/MCTargetOptions.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/raw_ostream.h"
#include <gtest/gtest.h>
#include <random>

using namespace yarrow::sim::tec;

TEST(Records, AcceptDisjointWords) {
  for (unsigned a = 0; a < kNumInsts; ++a) {
    const InstInfo &x = instInfo(InstId(a));
    EXPECT_EQ(x.match & ~x.mask, 0u) << x.mnemonic;
    for (unsigned b = 0; b < a; ++b) {
      const InstInfo &y = instInfo(InstId(b));
      EXPECT_NE((x.match ^ y.match) & x.mask & y.mask, 0u)
          << x.mnemonic << " and " << y.mnemonic;
    }
  }
}

TEST(Records, AreFoundByTheirOwnWords) {
  for (unsigned id = 0; id < kNumInsts; ++id) {
    const InstInfo &info = instInfo(InstId(id));
    for (uint32_t word : {info.match, info.match | ~info.mask})
      EXPECT_EQ(findInst(word), InstId(id)) << info.mnemonic;
  }
}

namespace {
/// LLVM's disassembler of the TEC's instruction set.
class Disassembler {
public:
  Disassembler() {
    LLVMInitializeRISCVTargetInfo();
    LLVMInitializeRISCVTargetMC();
    LLVMInitializeRISCVDisassembler();
    std::string error;
    llvm::Triple triple("riscv32-unknown-elf");
    const llvm::Target *target =
        llvm::TargetRegistry::lookupTarget(triple, error);
    registers.reset(target->createMCRegInfo(triple));
    asmInfo.reset(target->createMCAsmInfo(*registers, triple, options));
    subtarget.reset(target->createMCSubtargetInfo(
        triple, "generic-rv32", "+m,+a,+f,+d,+v,+zvl256b,+zicsr,+zifencei"));
    instructions.reset(target->createMCInstrInfo());
    context = std::make_unique<llvm::MCContext>(
        triple, asmInfo.get(), registers.get(), subtarget.get());
    disassembler.reset(target->createMCDisassembler(*subtarget, *context));
    printer.reset(target->createMCInstPrinter(triple, 0, *asmInfo,
                                              *instructions, *registers));
    printer->applyTargetSpecificCLOption("no-aliases");
  }

  /// "" if LLVM does not know the word.
  std::string mnemonic(uint32_t word) {
    uint8_t bytes[4];
    std::memcpy(bytes, &word, 4);
    llvm::MCInst inst;
    uint64_t size;
    if (disassembler->getInstruction(inst, size, bytes, 0, llvm::nulls()) !=
        llvm::MCDisassembler::Success)
      return "";
    std::string name = printer->getMnemonic(inst).first;
    name.erase(name.find_last_not_of(" \t") + 1);
    for (const char *suffix : {".aqrl", ".aq", ".rl"})
      if (llvm::StringRef(name).ends_with(suffix))
        return name.substr(0, name.size() - strlen(suffix));
    return name;
  }

private:
  llvm::MCTargetOptions options;
  std::unique_ptr<llvm::MCRegisterInfo> registers;
  std::unique_ptr<llvm::MCAsmInfo> asmInfo;
  std::unique_ptr<llvm::MCSubtargetInfo> subtarget;
  std::unique_ptr<llvm::MCInstrInfo> instructions;
  std::unique_ptr<llvm::MCContext> context;
  std::unique_ptr<llvm::MCDisassembler> disassembler;
  std::unique_ptr<llvm::MCInstPrinter> printer;
};

bool isCustom0(uint32_t word) { return (word & 0x7f) == 0x0b; }
/// ecall, ebreak and what belongs to privileged modes, which a TEC lacks.
bool isPrivileged(uint32_t word) { return (word & 0x707f) == 0x73; }
/// A static rounding mode that is reserved: found here, illegal when executed.
bool hasReservedRounding(uint32_t word, const InstInfo &info) {
  unsigned rm = word >> 12 & 7;
  return (info.mask & 0x7000) == 0 && (word & 0x7f) != 0x37 &&
         (word & 0x7f) != 0x17 && (word & 0x7f) != 0x6f && (rm == 5 || rm == 6);
}
} // namespace

/// What LLVM decodes must be found under the same name.
TEST(Decoder, FindsWhatLlvmFinds) {
  Disassembler llvm;
  std::mt19937 random(1);
  unsigned known = 0;
  for (unsigned k = 0; k < 1000000; ++k) {
    uint32_t word = uint32_t(random()) | 3;
    // Most words of the other half fall into no opcode of ours.
    if (k & 1) {
      const InstInfo &info = instInfo(InstId(random() % kNumInsts));
      uint32_t flip = 1u << random() % 32;
      word = (info.match ^ flip) | (word & ~info.mask) | 3;
    }
    if (isCustom0(word) || isPrivileged(word))
      continue;
    std::string expected = llvm.mnemonic(word);
    if (expected.empty())
      continue;
    ++known;
    auto id = findInst(word);
    ASSERT_TRUE(id) << expected << " " << std::hex << word;
    ASSERT_EQ(instInfo(*id).mnemonic, expected) << std::hex << word;
  }
  EXPECT_GT(known, 100000u);
}

/// Every record must be LLVM's, but for operands that LLVM refuses (v0 as a
/// masked destination, groups that are not aligned).
TEST(Decoder, LlvmFindsEveryRecord) {
  Disassembler llvm;
  std::mt19937 random(2);
  for (unsigned id = 0; id < kNumInsts; ++id) {
    const InstInfo &info = instInfo(InstId(id));
    if (isCustom0(info.match))
      continue;
    unsigned agreed = 0;
    for (unsigned k = 0; k < 200; ++k) {
      uint32_t word = info.match | (uint32_t(random()) & ~info.mask);
      std::string name = llvm.mnemonic(word);
      if (name.empty())
        continue;
      ASSERT_EQ(name, info.mnemonic) << std::hex << word;
      ++agreed;
    }
    bool mayReserve = hasReservedRounding(info.match | 5 << 12, info);
    EXPECT_GE(agreed, mayReserve ? 100u : 1u) << info.mnemonic;
  }
}
