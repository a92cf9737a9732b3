//===- TecImage.cpp - A RISC-V program for a TEC --------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "runtime/TecImage.h"

#include "support/diagnostics/Executables.h"

#include <algorithm>
#include <cstring>

using namespace yarrow;
using namespace yarrow::runtime;

namespace {

// ELF32 and the RISC-V ELF psABI.
constexpr size_t kHeaderBytes = 52, kSegmentHeaderBytes = 32,
                 kSectionHeaderBytes = 40, kSymbolBytes = 16;
constexpr uint16_t kTypeExecutable = 2, kMachineRiscv = 243;
constexpr uint32_t kFlagCompressed = 1, kFlagEmbedded = 8;
constexpr uint32_t kSegmentLoad = 1, kSegmentDynamic = 2, kSegmentInterp = 3;
constexpr uint32_t kCanExecute = 1, kCanWrite = 2;
constexpr uint32_t kSectionSymbols = 2;
/// 0 is an assembler's label, 1 an object; others are files and sections.
constexpr unsigned kSymbolFunction = 2;
constexpr uint16_t kUndefinedSection = 0, kFirstReservedSection = 0xff00;

template <typename T> T get(std::string_view bytes, size_t at) {
  T value;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

class ImageParser {
public:
  ImageParser(std::string_view file, std::string name, DiagnosticEngine &diags)
      : file(file), name(std::move(name)), diags(diags) {}

  bool checkHeader();
  bool readSegments(TecImage &image);
  std::vector<TecSymbol> readSymbols(uint32_t base) const;

private:
  Diagnostic &report(DiagId id, std::string message) {
    return diags.report(id, {name}, std::move(message));
  }
  bool malformed(std::string message) {
    report(diag::ExecutableMalformed, std::move(message));
    return false;
  }
  bool isInside(uint64_t offset, uint64_t size) const {
    return offset <= file.size() && size <= file.size() - offset;
  }
  bool readSegment(uint32_t index, size_t at, TecImage &image);
  uint64_t sectionEnd(uint32_t index, uint32_t base) const;
  void addSymbols(size_t header, size_t strings, uint32_t base,
                  std::vector<TecSymbol> &symbols) const;

  std::string_view file;
  std::string name;
  DiagnosticEngine &diags;
};

} // namespace

bool ImageParser::checkHeader() {
  if (file.size() < kHeaderBytes || file.substr(0, 4) != "\x7f"
                                                         "ELF")
    return malformed("the file is not ELF");
  auto type = get<uint16_t>(file, 16), machine = get<uint16_t>(file, 18);
  auto flags = get<uint32_t>(file, 36);
  std::string found;
  if (file[4] != 1 || file[5] != 1)
    found = "not a little-endian 32-bit file";
  else if (machine != kMachineRiscv)
    found = "machine " + std::to_string(machine) + " (RISC-V is 243)";
  else if (type != kTypeExecutable)
    found = type == 1   ? "an object file that is not linked"
            : type == 3 ? "a position-independent or shared program"
                        : "ELF type " + std::to_string(type);
  else if (flags & kFlagCompressed)
    found = "a program with compressed instructions";
  else if (flags & kFlagEmbedded)
    found = "a program for rv32e";
  else
    return true;
  report(diag::ProgramForeign, "this is not a program that a TEC can run")
      .found(std::move(found))
      .expected("a static executable for rv32imafdv")
      .hint("clang --target=riscv32 -march=rv32imafdv_zvl256b -mabi=ilp32d "
            "-nostdlib -static");
  return false;
}

bool ImageParser::readSegment(uint32_t index, size_t at, TecImage &image) {
  auto type = get<uint32_t>(file, at), flags = get<uint32_t>(file, at + 24);
  if (type == kSegmentDynamic || type == kSegmentInterp) {
    report(diag::ProgramForeign, "this is not a program that a TEC can run")
        .found("a dynamically linked program")
        .expected("a static executable")
        .hint("link with -static");
    return false;
  }
  TecSegment s;
  s.address = get<uint32_t>(file, at + 8);
  uint32_t offset = get<uint32_t>(file, at + 4);
  uint32_t fileBytes = get<uint32_t>(file, at + 16);
  s.sizeBytes = get<uint32_t>(file, at + 20);
  if (type != kSegmentLoad || s.sizeBytes == 0)
    return true;
  std::string which = "segment " + std::to_string(index);
  if (!isInside(offset, fileBytes))
    return malformed(which + " is not in the file");
  if (fileBytes > s.sizeBytes)
    return malformed(which + " is larger in the file than in memory");
  if (s.end() > uint64_t(1) << 32)
    return malformed(which + " ends after the address space");
  s.contents = file.substr(offset, fileBytes);
  s.canWrite = flags & kCanWrite;
  s.canExecute = flags & kCanExecute;
  for (const TecSegment &other : image.segments)
    if (s.address < other.end() && other.address < s.end())
      return malformed(which + " overlaps another one in memory");
  image.segments.push_back(s);
  return true;
}

bool ImageParser::readSegments(TecImage &image) {
  uint64_t table = get<uint32_t>(file, 28);
  uint32_t entryBytes = get<uint16_t>(file, 42);
  uint32_t count = get<uint16_t>(file, 44);
  if (count == 0)
    return malformed("the program has nothing to load");
  if (entryBytes < kSegmentHeaderBytes ||
      !isInside(table, uint64_t(count) * entryBytes))
    return malformed("the table of segments is malformed");
  bool isGood = true;
  for (uint32_t i = 0; i < count; ++i)
    isGood &= readSegment(i, table + uint64_t(i) * entryBytes, image);
  if (!isGood)
    return false;
  image.entry = get<uint32_t>(file, 24);
  for (const TecSegment &s : image.segments)
    if (s.canExecute && image.entry >= s.address && image.entry < s.end())
      return true;
  return malformed("the program starts outside of its text");
}

/// Without bound if there is no such section.
uint64_t ImageParser::sectionEnd(uint32_t index, uint32_t base) const {
  uint64_t header =
      get<uint32_t>(file, 32) + uint64_t(index) * get<uint16_t>(file, 46);
  if (!isInside(header, kSectionHeaderBytes))
    return UINT64_MAX;
  return uint64_t(base) + get<uint32_t>(file, header + 12) +
         get<uint32_t>(file, header + 20);
}

/// A mangled name that says more is of no use in a message.
static constexpr size_t kMaxNameBytes = 1024;

void ImageParser::addSymbols(size_t header, size_t strings, uint32_t base,
                             std::vector<TecSymbol> &symbols) const {
  uint64_t offset = get<uint32_t>(file, header + 16),
           size = get<uint32_t>(file, header + 20);
  uint64_t namesAt = get<uint32_t>(file, strings + 16),
           namesBytes = get<uint32_t>(file, strings + 20);
  if (!isInside(offset, size) || !isInside(namesAt, namesBytes))
    return;
  std::string_view names = file.substr(namesAt, namesBytes);
  for (uint64_t at = offset; at + kSymbolBytes <= offset + size;
       at += kSymbolBytes) {
    unsigned type = uint8_t(file[at + 12]) & 15;
    auto section = get<uint16_t>(file, at + 14);
    auto nameAt = get<uint32_t>(file, at);
    if (type > kSymbolFunction || section == kUndefinedSection ||
        section >= kFirstReservedSection || nameAt >= names.size())
      continue;
    // Names may overlap, and without a limit take far more than the file.
    std::string_view rest = names.substr(nameAt, kMaxNameBytes);
    std::string_view text = rest.substr(0, rest.find('\0'));
    // Labels of the assembler and mapping symbols name no place of interest.
    if (text.empty() || text[0] == '$' || text.starts_with(".L"))
      continue;
    TecSymbol symbol;
    symbol.address = get<uint32_t>(file, at + 4) + base;
    symbol.sizeBytes = get<uint32_t>(file, at + 8);
    symbol.sectionEnd = sectionEnd(section, base);
    symbol.name = text;
    symbol.isFunction = type == kSymbolFunction;
    symbols.push_back(std::move(symbol));
  }
}

/// A table that makes no sense is left out: names only make messages better.
std::vector<TecSymbol> ImageParser::readSymbols(uint32_t base) const {
  uint64_t table = get<uint32_t>(file, 32);
  uint32_t entryBytes = get<uint16_t>(file, 46);
  uint32_t count = get<uint16_t>(file, 48);
  std::vector<TecSymbol> symbols;
  if (entryBytes < kSectionHeaderBytes ||
      !isInside(table, uint64_t(count) * entryBytes))
    return symbols;
  for (uint32_t i = 0; i < count; ++i) {
    size_t header = table + uint64_t(i) * entryBytes;
    auto link = get<uint32_t>(file, header + 24);
    if (get<uint32_t>(file, header + 4) != kSectionSymbols || link >= count)
      continue;
    // ELF allows one table of symbols.
    addSymbols(header, table + uint64_t(link) * entryBytes, base, symbols);
    break;
  }
  return symbols;
}

TecSymbols::TecSymbols(std::vector<TecSymbol> list) : symbols(std::move(list)) {
  auto rank = [](const TecSymbol &s) {
    return (s.isFunction ? 0 : 2) + (s.sizeBytes ? 0 : 1);
  };
  std::stable_sort(symbols.begin(), symbols.end(),
                   [&](const TecSymbol &a, const TecSymbol &b) {
                     if (a.address != b.address)
                       return a.address < b.address;
                     return rank(a) < rank(b);
                   });
  uint64_t coveredEnd = 0; // by a function
  uint64_t last = UINT64_MAX;
  std::erase_if(symbols, [&](const TecSymbol &s) {
    if (s.address == last || (!s.isFunction && s.address < coveredEnd))
      return true;
    last = s.address;
    if (s.isFunction)
      coveredEnd = uint64_t(s.address) + s.sizeBytes;
    return false;
  });
}

const TecSymbol *TecSymbols::find(uint32_t address) const {
  auto next = std::upper_bound(
      symbols.begin(), symbols.end(), address,
      [](uint32_t a, const TecSymbol &s) { return a < s.address; });
  if (next == symbols.begin())
    return nullptr;
  const TecSymbol &symbol = next[-1];
  uint64_t end = symbol.sizeBytes ? uint64_t(symbol.address) + symbol.sizeBytes
                                  : symbol.sectionEnd;
  return address >= end ? nullptr : &symbol;
}

std::string TecSymbols::describe(uint32_t address) const {
  const TecSymbol *symbol = find(address);
  if (!symbol)
    return "";
  if (symbol->address == address)
    return symbol->name;
  char offset[16];
  std::snprintf(offset, sizeof offset, "+0x%x", address - symbol->address);
  return symbol->name + offset;
}

std::optional<TecImage> TecImage::parse(std::string_view bytes,
                                        const std::string &name,
                                        DiagnosticEngine &diags) {
  ImageParser parser(bytes, name, diags);
  TecImage image;
  image.name = name;
  if (!parser.checkHeader() || !parser.readSegments(image))
    return std::nullopt;
  image.symbols = TecSymbols(parser.readSymbols(0));
  return image;
}

TecSymbols TecImage::symbolsOf(std::string_view bytes, uint32_t base) {
  DiagnosticEngine ignored;
  ImageParser parser(bytes, "", ignored);
  return parser.checkHeader() ? TecSymbols(parser.readSymbols(base))
                              : TecSymbols();
}
