//===- Disassembler.cpp - Executables as text -----------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "codegen/Disassembler.h"

#include "codegen/TecTarget.h"
#include "isa/Descriptors.h"
#include "isa/ElfLayout.h"
#include "isa/TecInsts.h"
#include "llvm/MC/MCAsmInfo.h"
#include "llvm/MC/MCContext.h"
#include "llvm/MC/MCDisassembler/MCDisassembler.h"
#include "llvm/MC/MCInst.h"
#include "llvm/MC/MCInstPrinter.h"
#include "llvm/MC/MCInstrAnalysis.h"
#include "llvm/MC/MCInstrInfo.h"
#include "llvm/MC/MCRegisterInfo.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Object/ELF.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_os_ostream.h"
#include "llvm/TargetParser/Triple.h"
#include <cstring>
#include <map>

namespace yarrow {

namespace {

uint32_t wordAt(std::string_view bytes, size_t offset) {
  uint32_t word;
  std::memcpy(&word, bytes.data() + offset, 4);
  return word;
}

/// The instructions that LLVM does not know.
bool isOurs(uint32_t word) {
  auto id = isa::tec::findInst(word);
  return id && isa::tec::instInfo(*id).extension == isa::tec::Extension::Npu;
}

/// What the embedded ELF knows about the program.
struct ProgramMap {
  std::map<uint32_t, std::string> functions;
  uint64_t codeEnd = UINT64_MAX;

  explicit ProgramMap(std::string_view elfBytes) {
    using llvm::object::ELF32LEFile;
    if (elfBytes.empty())
      return;
    if (llvm::Error error = read(elfBytes)) // a file need not be ours
      llvm::consumeError(std::move(error));
  }

private:
  llvm::Error read(std::string_view elfBytes) {
    auto file = llvm::object::ELF32LEFile::create(elfBytes);
    if (!file)
      return file.takeError();
    auto sections = file->sections();
    if (!sections)
      return sections.takeError();
    for (const auto &section : *sections) {
      if (section.sh_flags & llvm::ELF::SHF_EXECINSTR)
        codeEnd = uint64_t(section.sh_addr) + section.sh_size;
      if (section.sh_type != llvm::ELF::SHT_SYMTAB)
        continue;
      auto strings = file->getStringTableForSymtab(section);
      if (!strings)
        return strings.takeError();
      auto symbols = file->symbols(&section);
      if (!symbols)
        return symbols.takeError();
      for (const auto &symbol : *symbols) {
        auto name = symbol.getName(*strings);
        if (!name)
          return name.takeError();
        if (symbol.getType() == llvm::ELF::STT_FUNC)
          functions[symbol.st_value] = name->str();
      }
    }
    return llvm::Error::success();
  }
};

/// LLVM's disassembler for a TEC.
class Machine {
public:
  Machine()
      : triple(llvm::StringRef(kTecTriple)),
        registers(target.createMCRegInfo(triple)),
        assembler(target.createMCAsmInfo(*registers, triple, options)),
        subtarget(target.createMCSubtargetInfo(triple, kTecCpu, kTecFeatures)),
        instructions(target.createMCInstrInfo()),
        context(triple, assembler.get(), registers.get(), subtarget.get()),
        decoder(target.createMCDisassembler(*subtarget, context)),
        analysis(target.createMCInstrAnalysis(instructions.get())),
        printer(
            target.createMCInstPrinter(triple, assembler->getAssemblerDialect(),
                                       *assembler, *instructions, *registers)) {
    printer->setPrintImmHex(true);
    printer->setPrintBranchImmAsAddress(true);
  }

  /// The instruction as text; the target of a jump or call in \p jumpTarget.
  std::string print(uint32_t word, uint32_t address,
                    std::optional<uint32_t> &jumpTarget) {
    if (isOurs(word))
      return isa::tec::disassemble(word, address);
    llvm::MCInst inst;
    uint64_t sizeBytes;
    auto bytes = llvm::ArrayRef(reinterpret_cast<const uint8_t *>(&word), 4);
    if (decoder->getInstruction(inst, sizeBytes, bytes, address,
                                llvm::nulls()) !=
            llvm::MCDisassembler::Success ||
        sizeBytes != 4)
      return ".word\t0x" + llvm::utohexstr(word, /*LowerCase=*/true);
    uint64_t to;
    if (analysis->evaluateBranch(inst, address, 4, to))
      jumpTarget = uint32_t(to);
    analysis->updateState(inst, address);
    std::string text;
    llvm::raw_string_ostream stream(text);
    printer->printInst(&inst, address, "", *subtarget, stream);
    return text.substr(text.find_first_not_of('\t'));
  }

private:
  const llvm::Target &target = tecLlvmTarget();
  llvm::Triple triple;
  llvm::MCTargetOptions options;
  std::unique_ptr<llvm::MCRegisterInfo> registers;
  std::unique_ptr<llvm::MCAsmInfo> assembler;
  std::unique_ptr<llvm::MCSubtargetInfo> subtarget;
  std::unique_ptr<llvm::MCInstrInfo> instructions;
  llvm::MCContext context;
  std::unique_ptr<llvm::MCDisassembler> decoder;
  std::unique_ptr<llvm::MCInstrAnalysis> analysis;
  std::unique_ptr<llvm::MCInstPrinter> printer;
};

} // namespace

void disassembleTec(std::ostream &stream, std::string_view text,
                    std::string_view tecElf,
                    const std::vector<TextOrigin> &origins) {
  llvm::raw_os_ostream os(stream);
  ProgramMap map(tecElf);
  Machine machine;
  std::multimap<uint32_t, const TextOrigin *> originAt;
  for (const TextOrigin &origin : origins)
    originAt.emplace(origin.begin, &origin);

  uint64_t end = std::min<uint64_t>(map.codeEnd, text.size()) & ~uint64_t(3);
  for (uint32_t at = isa::kTextHeaderBytes; at < end; at += 4) {
    auto function = map.functions.find(at);
    auto [origin, lastOrigin] = originAt.equal_range(at);
    if (function != map.functions.end())
      os << '\n' << function->second << ':';
    for (bool isFirst = function == map.functions.end(); origin != lastOrigin;
         ++origin, isFirst = false)
      os << (isFirst ? "\n; " : "  ; ") << origin->second->text;
    if (function != map.functions.end() || originAt.count(at))
      os << '\n';

    uint32_t word = wordAt(text, at);
    std::optional<uint32_t> target;
    std::string inst = machine.print(word, at, target);
    os << llvm::format("%8x: %08x   ", at, word) << inst;
    if (target)
      if (auto it = map.functions.find(*target); it != map.functions.end())
        os << "  ; " << it->second;
    os << '\n';
  }
  if (end < text.size())
    os << "\n; " << text.size() - end << " bytes of constants\n";
}

bool disassembleDescriptors(std::ostream &stream, std::string_view descriptors,
                            const std::vector<std::string> &origins) {
  std::vector<uint32_t> words(descriptors.size() / 4);
  if (!words.empty()) // memcpy takes no null pointers, not even for no bytes
    std::memcpy(words.data(), descriptors.data(), 4 * words.size());
  llvm::raw_os_ostream os(stream);
  std::string_view previous;
  size_t at = 0;
  for (size_t index = 0; at < words.size(); ++index) {
    std::span<const uint32_t> rest = std::span(words).subspan(at);
    std::optional<isa::AnyDescriptor> descriptor = isa::decode(rest);
    if (!descriptor)
      break;
    if (index < origins.size() && origins[index] != previous) {
      previous = origins[index];
      os << "\n; " << llvm::StringRef(previous) << '\n';
    }
    os << llvm::format("%8zx: ", 4 * at) << isa::disassemble(*descriptor)
       << '\n';
    at += rest[0] >> 8 & 0xff;
  }
  if (4 * at == descriptors.size())
    return true;
  os << llvm::format("%8zx: ", 4 * at) << "not a descriptor\n";
  return false;
}

} // namespace yarrow
