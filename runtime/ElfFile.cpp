//===- ElfFile.cpp - Sections and notes of an ELF32 file ------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "runtime/ElfFile.h"

#include "isa/ElfLayout.h"
#include "support/diagnostics/Executables.h"

using namespace yarrow;
using namespace yarrow::runtime;

namespace {
template <typename T> T get(std::string_view bytes, size_t at) {
  T value;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

/// ELF32: offsets in the file header and in a section header.
constexpr size_t kHeaderBytes = 52, kSectionHeaderBytes = 40;
constexpr uint32_t kTypeNull = 0, kTypeNoBits = 8;
/// Far more sections or notes than there are names for.
constexpr uint32_t kMaxParts = 64;

struct SectionHeader {
  uint32_t name, type, offset, size;
};

class ElfParser {
public:
  ElfParser(std::string_view file, const std::string &name,
            DiagnosticEngine &diags)
      : file(file), name(name), diags(diags) {}

  bool bad(std::string message) {
    diags.report(diag::ExecutableMalformed, {name}, std::move(message));
    return false;
  }

  bool isInside(uint64_t offset, uint64_t size) const {
    return offset <= file.size() && size <= file.size() - offset;
  }

  bool checkHeader() {
    if (file.size() < kHeaderBytes || file.substr(0, 4) != "\x7f"
                                                           "ELF")
      return bad("the file is not ELF");
    if (file[4] != 1 || file[5] != 1)
      return bad("the file is not little-endian ELF32");
    if (get<uint16_t>(file, 16) != 2 ||
        get<uint16_t>(file, 18) != isa::kElfMachine ||
        get<uint32_t>(file, 20) != 1)
      return bad("the ELF file is not an executable of a Zhouyi NPU");
    return true;
  }

  std::optional<SectionHeader> header(uint32_t index) {
    uint64_t at = tableOffset + uint64_t(index) * entryBytes;
    if (!isInside(at, kSectionHeaderBytes)) {
      bad("section header " + std::to_string(index) + " is not in the file");
      return std::nullopt;
    }
    return SectionHeader{get<uint32_t>(file, at), get<uint32_t>(file, at + 4),
                         get<uint32_t>(file, at + 16),
                         get<uint32_t>(file, at + 20)};
  }

  std::optional<std::string_view> bytesOf(const SectionHeader &h,
                                          uint32_t index) {
    if (!isInside(h.offset, h.size)) {
      bad("section " + std::to_string(index) + " is not in the file");
      return std::nullopt;
    }
    return file.substr(h.offset, h.size);
  }

  std::string_view file;
  const std::string &name;
  DiagnosticEngine &diags;
  uint64_t tableOffset = 0;
  uint32_t entryBytes = 0, count = 0;
};
} // namespace

std::optional<ElfFile> ElfFile::parse(std::string_view bytes,
                                      const std::string &name,
                                      DiagnosticEngine &diags) {
  ElfParser p(bytes, name, diags);
  if (!p.checkHeader())
    return std::nullopt;
  p.tableOffset = get<uint32_t>(bytes, 32);
  p.entryBytes = get<uint16_t>(bytes, 46);
  p.count = get<uint16_t>(bytes, 48);
  uint32_t namesIndex = get<uint16_t>(bytes, 50);
  if (p.entryBytes < kSectionHeaderBytes || namesIndex >= p.count ||
      p.count > kMaxParts) {
    p.bad("the section table is malformed");
    return std::nullopt;
  }
  auto namesHeader = p.header(namesIndex);
  auto names = namesHeader ? p.bytesOf(*namesHeader, namesIndex) : std::nullopt;
  if (!names)
    return std::nullopt;

  ElfFile elf;
  for (uint32_t i = 0; i < p.count; ++i) {
    auto header = p.header(i);
    if (!header)
      return std::nullopt;
    if (header->type == kTypeNull || header->type == kTypeNoBits)
      continue;
    auto content = p.bytesOf(*header, i);
    if (!content)
      return std::nullopt;
    if (header->name >= names->size()) {
      p.bad("section " + std::to_string(i) + " has no name");
      return std::nullopt;
    }
    std::string_view rest = names->substr(header->name);
    std::string_view sectionName = rest.substr(0, rest.find('\0'));
    // A driver would take the first, and somebody else perhaps the other.
    if (elf.section(sectionName)) {
      p.bad("section " + std::to_string(i) +
            " has the same name as another section");
      return std::nullopt;
    }
    elf.sections.push_back({sectionName, *content});
  }

  std::string_view notes = elf.section(isa::kNoteSection).value_or("");
  while (!notes.empty()) {
    if (notes.size() < 12) {
      p.bad("a note ends early");
      return std::nullopt;
    }
    uint64_t nameBytes = get<uint32_t>(notes, 0);
    uint64_t descBytes = get<uint32_t>(notes, 4);
    uint64_t descAt = 12 + ((nameBytes + 3) & ~uint64_t(3));
    if (descAt + descBytes > notes.size()) {
      p.bad("a note ends early");
      return std::nullopt;
    }
    std::string_view noteName = notes.substr(12, nameBytes);
    noteName = noteName.substr(0, noteName.find('\0'));
    if (elf.note(noteName)) {
      p.bad("two notes have the same name '" + std::string(noteName) + "'");
      return std::nullopt;
    }
    if (elf.notes.size() == kMaxParts) {
      p.bad("too many notes");
      return std::nullopt;
    }
    elf.notes.push_back({noteName, notes.substr(descAt, descBytes)});
    uint64_t next = descAt + ((descBytes + 3) & ~uint64_t(3));
    notes = next < notes.size() ? notes.substr(next) : std::string_view();
  }
  return elf;
}

std::optional<std::string_view> ElfFile::section(std::string_view name) const {
  for (const Named &s : sections)
    if (s.name == name)
      return s.bytes;
  return std::nullopt;
}

std::optional<std::string_view> ElfFile::note(std::string_view name) const {
  for (const Named &n : notes)
    if (n.name == name)
      return n.bytes;
  return std::nullopt;
}
