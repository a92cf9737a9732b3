//===- TecLinker.cpp - Links TEC objects into one blob --------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "codegen/TecLinker.h"

#include "isa/ElfLayout.h"
#include "lld/Common/Driver.h"
#include "support/Format.h"
#include "support/MemoryFile.h"
#include "support/diagnostics/Compiler.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Object/ELF.h"
#include "llvm/Support/raw_ostream.h"
#include <algorithm>
#include <cstring>
#include <fcntl.h>
#include <mutex>
#include <set>
#include <thread>
#include <unistd.h>

LLD_HAS_DRIVER(elf)

namespace yarrow {

using llvm::object::ELF32LEFile;
namespace ELF = llvm::ELF;

namespace {

/// Collects what is written to a file name. lld makes a temporary file beside a
/// regular file, which /proc does not allow; a pipe it writes directly.
class OutputPipe {
public:
  OutputPipe() {
    if (pipe2(fds, O_CLOEXEC) != 0)
      return;
    reader = std::thread([this] {
      char block[64 * 1024];
      ssize_t count;
      while ((count = ::read(fds[0], block, sizeof(block))) > 0)
        bytes.insert(bytes.end(), block, block + count);
    });
  }
  ~OutputPipe() {
    finish();
    if (isOpen())
      close(fds[0]);
  }

  bool isOpen() const { return fds[0] >= 0; }
  std::string path() const { return "/proc/self/fd/" + std::to_string(fds[1]); }

  /// Everything that was written; nothing may be written afterwards.
  std::vector<char> finish() {
    if (reader.joinable()) {
      close(fds[1]);
      reader.join();
    }
    return std::move(bytes);
  }

private:
  int fds[2] = {-1, -1};
  std::thread reader;
  std::vector<char> bytes;
};

void report(DiagnosticEngine &diags, std::string message) {
  diags.report(diag::CodegenFailed, {}, std::move(message));
}

} // namespace

/// One segment that holds everything, so that what lies in the file is what
/// lies in memory. Writable sections are kept in order to be found and refused.
static std::string linkerScript(uint32_t baseAddress) {
  std::string base = std::to_string(baseAddress), header = kHeaderSection,
              rest = kHeaderRestSection;
  return "PHDRS { image PT_LOAD FLAGS(5); }\n"
         "ENTRY(_start)\n"
         "SECTIONS {\n"
         "  . = " +
         base +
         ";\n"
         // isa::TextHeader: imageBytes, codeBytes.
         "  .header : { KEEP(*(" +
         header + "))\n    LONG(image_end - " + base + ") LONG(code_end - " +
         base + ")\n    KEEP(*(" + rest +
         ")) } :image\n"
         "  .text : { KEEP(*(.text.entry)) *(.text .text.*) } :image\n"
         "  code_end = .;\n"
         "  .rodata : { *(.rodata .rodata.* .srodata .srodata.*) } :image\n"
         "  image_end = .;\n"
         "  .data : { *(.data .data.* .sdata .sdata.* .got .got.*\n"
         "              .init_array .init_array.*) } :image\n"
         "  .bss : { *(.bss .bss.* .sbss .sbss.* COMMON) } :image\n"
         "  /DISCARD/ : { *(.comment .eh_frame .llvm.* .note.*) }\n"
         "}\n";
}

/// Each name that lld found undefined, once; the rest of what it said.
static void reportLinkFailure(llvm::StringRef log, DiagnosticEngine &diags) {
  std::set<std::string> undefined;
  std::string rest;
  llvm::SmallVector<llvm::StringRef> lines;
  log.split(lines, '\n', -1, /*KeepEmpty=*/false);
  for (llvm::StringRef line : lines) {
    auto [before, name] = line.split("undefined symbol: ");
    if (!name.empty())
      undefined.insert(name.str());
    else if (line.contains("error:"))
      rest += (rest.empty() ? "" : "; ") + line.str();
  }
  std::string names;
  for (const std::string &name : undefined)
    names += (names.empty() ? "" : ", ") + name;
  if (!names.empty())
    report(diags, "the TEC program calls undefined functions: " + names);
  else
    report(diags, "the TEC program does not link: " +
                      (rest.empty() ? log.str() : rest));
}

static bool runLld(const std::vector<MemoryFile> &inputs,
                   const MemoryFile &script, const OutputPipe &output,
                   DiagnosticEngine &diags) {
  std::vector<std::string> arguments = {
      "ld.lld", "-static", "--no-dynamic-linker", "--gc-sections",
      // One thread and no relaxation: the same bytes always. Relocations are
      // kept to be checked.
      "--threads=1", "--no-relax", "--emit-relocs", "--build-id=none",
      "--error-limit=0", "-T", script.path(), "-o", output.path()};
  arguments.reserve(arguments.size() + inputs.size());
  for (const MemoryFile &input : inputs)
    arguments.push_back(input.path());
  std::vector<const char *> pointers;
  pointers.reserve(arguments.size());
  for (const std::string &argument : arguments)
    pointers.push_back(argument.c_str());

  std::string log;
  llvm::raw_string_ostream stream(log);
  static std::mutex mutex; // lld keeps its state in globals
  std::lock_guard lock(mutex);
  // What lld keeps of a thread's sections it frees when the thread ends.
  lld::Result result;
  std::thread([&] {
    result =
        lld::lldMain(pointers, stream, stream, {{lld::Gnu, &lld::elf::link}});
  }).join();
  if (result.retCode == 0)
    return true;
  reportLinkFailure(log, diags);
  return false;
}

/// Differences of two places in the image; all else depends on where it lies.
static bool isPositionIndependent(uint32_t type) {
  switch (type) {
  case ELF::R_RISCV_NONE:
  case ELF::R_RISCV_BRANCH:
  case ELF::R_RISCV_JAL:
  case ELF::R_RISCV_CALL:
  case ELF::R_RISCV_CALL_PLT:
  case ELF::R_RISCV_PCREL_HI20:
  case ELF::R_RISCV_PCREL_LO12_I:
  case ELF::R_RISCV_PCREL_LO12_S:
  case ELF::R_RISCV_ADD8:
  case ELF::R_RISCV_ADD16:
  case ELF::R_RISCV_ADD32:
  case ELF::R_RISCV_ADD64:
  case ELF::R_RISCV_SUB6:
  case ELF::R_RISCV_SUB8:
  case ELF::R_RISCV_SUB16:
  case ELF::R_RISCV_SUB32:
  case ELF::R_RISCV_SUB64:
  case ELF::R_RISCV_SET6:
  case ELF::R_RISCV_SET8:
  case ELF::R_RISCV_SET16:
  case ELF::R_RISCV_SET32:
  case ELF::R_RISCV_32_PCREL:
  case ELF::R_RISCV_PLT32:
  case ELF::R_RISCV_ALIGN:
  case ELF::R_RISCV_RELAX:
    return true;
  default:
    return false;
  }
}

/// Reports what would break when the image is loaded elsewhere or shared by
/// the TECs.
static bool checkLoadable(const ELF32LEFile &file, DiagnosticEngine &diags) {
  bool isLoadable = true;
  for (const auto &section : llvm::cantFail(file.sections())) {
    std::string name = llvm::cantFail(file.getSectionName(section)).str();
    if ((section.sh_flags & ELF::SHF_ALLOC) &&
        (section.sh_flags & ELF::SHF_WRITE) && section.sh_size) {
      report(diags, "the TEC program has " + std::to_string(section.sh_size) +
                        " bytes of writable data in " + name +
                        ", which the TECs would share");
      isLoadable = false;
    }
    if (section.sh_type != ELF::SHT_RELA)
      continue;
    for (const auto &relocation : llvm::cantFail(file.relas(section))) {
      if (isPositionIndependent(relocation.getType(/*isMips64EL=*/false)))
        continue;
      report(diags, "the TEC program has an absolute address (" +
                        llvm::object::getELFRelocationTypeName(
                            ELF::EM_RISCV, relocation.getType(false))
                            .str() +
                        " in " + name + ")");
      isLoadable = false;
      break;
    }
  }
  return isLoadable;
}

/// What is loaded, from the start of the segment on.
static void copyImage(const ELF32LEFile &file, LinkedTec &linked) {
  for (const auto &segment : llvm::cantFail(file.program_headers()))
    if (segment.p_type == ELF::PT_LOAD) {
      const char *begin = linked.elf.data() + segment.p_offset;
      linked.image.assign(begin, begin + segment.p_filesz);
      return;
    }
}

static void collectFunctions(const ELF32LEFile &file, uint32_t baseAddress,
                             LinkedTec &linked) {
  for (const auto &section : llvm::cantFail(file.sections())) {
    if (section.sh_type != ELF::SHT_SYMTAB)
      continue;
    llvm::StringRef strings =
        llvm::cantFail(file.getStringTableForSymtab(section));
    for (const auto &symbol : llvm::cantFail(file.symbols(&section)))
      if (symbol.getType() == ELF::STT_FUNC)
        linked.functions[llvm::cantFail(symbol.getName(strings)).str()] = {
            uint32_t(symbol.st_value) - baseAddress, uint32_t(symbol.st_size)};
  }
}

bool defineAll(std::span<const std::span<const char>> objects) {
  llvm::StringSet<> defined;
  std::vector<llvm::StringRef> used;
  for (std::span<const char> object : objects) {
    ELF32LEFile file = llvm::cantFail(
        ELF32LEFile::create(llvm::StringRef(object.data(), object.size())));
    for (const auto &section : llvm::cantFail(file.sections())) {
      if (section.sh_type != ELF::SHT_SYMTAB)
        continue;
      llvm::StringRef strings =
          llvm::cantFail(file.getStringTableForSymtab(section));
      for (const auto &symbol : llvm::cantFail(file.symbols(&section))) {
        llvm::StringRef name = llvm::cantFail(symbol.getName(strings));
        if (symbol.isUndefined() && !name.empty())
          used.push_back(name);
        else if (symbol.getBinding() != ELF::STB_LOCAL)
          defined.insert(name);
      }
    }
  }
  return llvm::all_of(
      used, [&](llvm::StringRef name) { return defined.contains(name); });
}

std::optional<LinkedTec> linkTec(std::span<const std::span<const char>> objects,
                                 DiagnosticEngine &diags,
                                 uint32_t baseAddress) {
  std::vector<MemoryFile> inputs;
  MemoryFile script("script");
  OutputPipe output;
  bool isWritten = output.isOpen() && script.write(linkerScript(baseAddress));
  for (std::span<const char> object : objects) {
    inputs.emplace_back("object");
    isWritten &= inputs.back().write({object.data(), object.size()});
  }
  if (!isWritten) {
    report(diags, "the system has no memory for linking the TEC program");
    return std::nullopt;
  }
  LinkedTec linked;
  if (!runLld(inputs, script, output, diags))
    return std::nullopt;
  linked.elf = output.finish();
  llvm::Expected<ELF32LEFile> file = ELF32LEFile::create(
      llvm::StringRef(linked.elf.data(), linked.elf.size()));
  if (!file) {
    report(diags, llvm::toString(file.takeError()));
    return std::nullopt;
  }
  if (!checkLoadable(*file, diags))
    return std::nullopt;
  copyImage(*file, linked);
  collectFunctions(*file, baseAddress, linked);
  return linked;
}

} // namespace yarrow
