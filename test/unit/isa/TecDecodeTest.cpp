//===- TecDecodeTest.cpp - TEC code against LLVM's disassembler -----------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A word must be decoded or refused as LLVM does, and have the same text, but
// for what kDifferences lists. YARROW_DECODE_WORDS sets the number of random
// words:
//
//   YARROW_DECODE_WORDS=1000000000 bin/tec_decode_test
//
//===----------------------------------------------------------------------===//
#include "isa/TecInsts.h"

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
#include <cstdlib>
#include <gtest/gtest.h>
#include <random>

using namespace yarrow::isa::tec;

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

/// Every bit that no operand takes is fixed, and no other.
TEST(Records, FixWhatNoOperandTakes) {
  constexpr std::pair<const char *, uint32_t> kFields[] = {
      {"xd", 0x00000f80},      {"xs", 0x000f8000},
      {"xt", 0x01f00000},      {"fd", 0x00000f80},
      {"fs", 0x000f8000},      {"ft", 0x01f00000},
      {"vd", 0x00000f80},      {"vs", 0x000f8000},
      {"vt", 0x01f00000},      {"fq", 0xf8000000},
      {"i12", 0xfff00000},     {"s12", 0xfe000f80},
      {"b13", 0xfe000f80},     {"j21", 0xfffff000},
      {"u20", 0xfffff000},     {"sh5", 0x01f00000},
      {"z5", 0x000f8000},      {"v5", 0x000f8000},
      {"csr", 0xfff00000},     {"vtype11", 0x7ff00000},
      {"vtype10", 0x3ff00000}, {"pred", 0x0f000000},
      {"succ", 0x00f00000},    {"rm", 0x00007000},
      {"rmrne", 0x00007000},   {"vm", 0x02000000},
      {"unit", 0xfe000000},    {"v0", 0},
  };
  for (unsigned id = 0; id < kNumInsts; ++id) {
    const InstInfo &info = instInfo(InstId(id));
    std::string text = formatInfo(info.format).operands;
    // The order of an atomic is part of its mnemonic.
    uint32_t open = info.extension == Extension::A ? 0x06000000 : 0;
    for (size_t at = 0, end; at < text.size(); at = end + 1) {
      end = std::min(text.find_first_of(", ()", at), text.size());
      std::string word = text.substr(at, end - at);
      auto field = std::find_if(std::begin(kFields), std::end(kFields),
                                [&](auto f) { return word == f.first; });
      if (field != std::end(kFields))
        open |= field->second;
      else
        EXPECT_EQ(word, "") << info.mnemonic;
    }
    // Fields that the mask fixes although the format has them: vm of
    // instructions that are never or always masked.
    EXPECT_EQ(info.mask | open, ~0u) << info.mnemonic;
    EXPECT_EQ(info.mask & open & ~0x02000000u, 0u) << info.mnemonic;
  }
}

namespace {
/// LLVM's disassembler of the TEC's instruction set.
class LlvmDisassembler {
public:
  LlvmDisassembler() {
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
        triple, "generic-rv32",
        "+m,+a,+f,+d,+v,+zvl256b,+zicsr,+zifencei,+zicntr"));
    instructions.reset(target->createMCInstrInfo());
    context = std::make_unique<llvm::MCContext>(
        triple, asmInfo.get(), registers.get(), subtarget.get());
    disassembler.reset(target->createMCDisassembler(*subtarget, *context));
    printer.reset(target->createMCInstPrinter(triple, 0, *asmInfo,
                                              *instructions, *registers));
    printer->applyTargetSpecificCLOption("no-aliases");
    printer->setPrintImmHex(true);
    printer->setPrintBranchImmAsAddress(true);
  }

  /// "" if LLVM does not know the word.
  std::string text(uint32_t word, uint32_t pc) {
    uint8_t bytes[4];
    std::memcpy(bytes, &word, 4);
    llvm::MCInst inst;
    uint64_t size;
    if (disassembler->getInstruction(inst, size, bytes, pc, llvm::nulls()) !=
        llvm::MCDisassembler::Success)
      return "";
    std::string text;
    llvm::raw_string_ostream stream(text);
    printer->printInst(&inst, pc, "", *subtarget, stream);
    return text.substr(text.find_first_not_of('\t'));
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

/// What a TEC has and LLVM lacks, or the other way round. docs/isa.md has the
/// same list.
struct Difference {
  const char *reason;
  bool (*applies)(uint32_t word, const std::string &ours,
                  const std::string &theirs);
};
bool isOneOf(std::string_view text, std::initializer_list<const char *> names) {
  text = text.substr(0, text.find('\t'));
  return std::find(names.begin(), names.end(), text) != names.end();
}
constexpr Difference kDifferences[] = {
    {"custom-0 is ours",
     [](uint32_t word, const std::string &, const std::string &theirs) {
       return (word & 0x7f) == 0x0b && theirs.empty();
     }},
    {"a TEC has one privilege level",
     [](uint32_t, const std::string &ours, const std::string &theirs) {
       return ours.empty() && isOneOf(theirs, {"mret", "sret", "dret", "mnret",
                                               "wfi", "sfence.vma"});
     }},
    {"LLVM has a name for a write of cycle, which is an illegal instruction",
     [](uint32_t, const std::string &ours, const std::string &theirs) {
       return theirs == "unimp" && ours == "csrrw\tzero, cycle, zero";
     }},
    {"the CSR step is ours",
     [](uint32_t, const std::string &ours, const std::string &theirs) {
       size_t at = theirs.find(", 0x800, ");
       return at != std::string::npos &&
              ours == theirs.substr(0, at) + ", step" + theirs.substr(at + 7);
     }},
    {"LLVM names CSRs that a TEC has not; we print their number",
     [](uint32_t word, const std::string &ours, const std::string &theirs) {
       if ((word & 0x7f) != 0x73 || csrName(word >> 20) || ours.empty())
         return false;
       size_t at = ours.find(", ") + 2, theirEnd = theirs.rfind(", ");
       return ours.substr(0, at) == theirs.substr(0, at) &&
              ours.substr(ours.rfind(", ")) == theirs.substr(theirEnd);
     }},
};

class AgainstLlvm : public ::testing::Test {
protected:
  LlvmDisassembler llvm;
  std::map<std::string, uint64_t> differences;
  uint64_t decoded = 0;

  void compare(uint32_t word) {
    uint32_t pc = word << 2; // any address will do
    std::string theirs = llvm.text(word, pc), ours;
    if (findInst(word))
      ours = disassemble(word, pc);
    decoded += !theirs.empty();
    if (ours == theirs)
      return;
    for (const Difference &difference : kDifferences)
      if (difference.applies(word, ours, theirs)) {
        ++differences[difference.reason];
        return;
      }
    ADD_FAILURE() << std::hex << word << ": '" << ours << "', LLVM has '"
                  << theirs << "'";
  }
  void TearDown() override {
    for (const auto &[reason, count] : differences)
      std::printf("%12llu x %s\n", static_cast<unsigned long long>(count),
                  reason.c_str());
  }
};
} // namespace

TEST_F(AgainstLlvm, EveryRecord) {
  std::mt19937 random(2);
  for (unsigned id = 0; id < kNumInsts && !HasFailure(); ++id) {
    const InstInfo &info = instInfo(InstId(id));
    uint64_t before = decoded;
    for (unsigned k = 0; k < 400; ++k)
      compare(info.match | (uint32_t(random()) & ~info.mask));
    // Registers of whole-register instructions are aligned one time in 64.
    if (info.extension != Extension::Npu)
      EXPECT_GE(decoded - before, 1u) << info.mnemonic;
    // Words that differ from the record in one fixed bit.
    for (unsigned bit = 0; bit < 32; ++bit)
      compare((info.match ^ 1u << bit) | (uint32_t(random()) & ~info.mask));
  }
}

/// Random words seldom hit those that have no or few operands.
TEST_F(AgainstLlvm, EverySystemInstructionAndFence) {
  for (uint32_t base : {0x00000073, 0x0000000f, 0x0000100f, 0x00001073})
    for (uint32_t top = 0; top < 4096 && !HasFailure(); ++top)
      for (uint32_t registers : {0u, 1u << 7, 1u << 15})
        compare(base | registers | top << 20);
  EXPECT_EQ(differences.size(), 4u);
}

TEST_F(AgainstLlvm, RandomWords) {
  const char *count = std::getenv("YARROW_DECODE_WORDS");
  uint64_t words = count ? std::strtoull(count, nullptr, 10) : 3'000'000;
  std::mt19937_64 random(1);
  for (uint64_t k = 0; k < words && !HasFailure(); k += 2) {
    uint64_t two = random();
    compare(uint32_t(two));
    compare(uint32_t(two >> 32));
  }
  EXPECT_GT(decoded, words / 20);
  std::printf("%llu words, of which LLVM decodes %llu\n",
              static_cast<unsigned long long>(words),
              static_cast<unsigned long long>(decoded));
}
