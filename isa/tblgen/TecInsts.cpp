//===- TecInsts.cpp - Tables of TEC instructions for the manual -----------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "isa/TecInsts.h"
#include "isa/tblgen/Generators.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

using namespace yarrow::isa::tec;

/// Bits 31 to 0 in groups as the base formats have them; - is an operand.
static std::string pattern(const InstInfo &info) {
  std::string text;
  for (unsigned k = 32; k-- > 0;) {
    text += info.mask >> k & 1 ? info.match >> k & 1 ? '1' : '0' : '-';
    if (k == 25 || k == 20 || k == 15 || k == 12 || k == 7)
      text += ' ';
  }
  return text;
}

template <class F> static void eachInst(bool isOurs, F f) {
  for (unsigned id = 0; id < kNumInsts; ++id)
    if (const InstInfo &info = instInfo(InstId(id));
        (info.extension == Extension::Npu) == isOurs)
      f(info, formatInfo(info.format).operands);
}

void yarrow::tblgen::emitTecInstDoc(llvm::raw_ostream &os) {
  os << "| instruction | operands | bits 31 to 0 | extension |\n"
        "|---|---|---|---|\n";
  eachInst(false, [&](const InstInfo &info, const char *operands) {
    os << "| `" << info.mnemonic << "` | " << operands << " | `"
       << pattern(info) << "` | " << llvm::StringRef(name(info.extension))
       << " |\n";
  });
}

void yarrow::tblgen::emitTecCustomDoc(llvm::raw_ostream &os) {
  os << "| instruction | operands | bits 31 to 0 | does |\n|---|---|---|---|\n";
  eachInst(true, [&](const InstInfo &info, const char *operands) {
    os << "| `" << info.mnemonic << "` | " << operands << " | `"
       << pattern(info) << "` | " << info.meaning << " |\n";
  });
}

void yarrow::tblgen::emitTecCsrDoc(llvm::raw_ostream &os) {
  os << "| CSR | number | written | meaning |\n|---|---|---|---|\n";
#define RISCV_CSR(ID, NAME, NUMBER, MEANING)                                   \
  os << "| `" NAME "` | " << llvm::format_hex(NUMBER, 5)                       \
     << (NUMBER >> 10 == 3 ? " | no | " : " | yes | ") << MEANING " |\n";
#include "isa/RiscvCsrs.def"
}
