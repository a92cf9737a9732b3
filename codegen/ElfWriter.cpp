//===- ElfWriter.cpp - Writes the executable ------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The file is first listed as pieces, which own only what is small, so that
// all offsets are known; then the pieces are written in order.
//
//===----------------------------------------------------------------------===//
#include "codegen/ElfWriter.h"

#include "codegen/DriverNotes.h"
#include "isa/Checksums.h"
#include "isa/DriverInterface.h"
#include "isa/Types.h"
#include "support/AtomicFile.h"
#include "support/Digest.h"
#include "support/Format.h"
#include "support/diagnostics/Compiler.h"
#include "llvm/BinaryFormat/ELF.h"
#include <algorithm>
#include <deque>
#include <filesystem>
#include <string_view>

namespace yarrow {

namespace ELF = llvm::ELF;

/// What the driver's address space leaves for buffers.
static constexpr uint64_t kMaxDeviceBytes = isa::kDriverDdrBytes;

/// Constants start at a multiple of this in the file, for readers that map it.
static constexpr uint64_t kWeightAlignBytes = isa::kBufferAlignBytes;

namespace {

class Image {
public:
  uint64_t sizeBytes() const { return size; }
  void add(std::string_view bytes) {
    pieces.push_back(bytes);
    size += bytes.size();
  }
  /// Keeps \p bytes for as long as the image.
  std::string &own(std::string bytes) {
    return owned.emplace_back(std::move(bytes));
  }
  std::string &addOwned(std::string bytes) {
    std::string &kept = own(std::move(bytes));
    add(kept);
    return kept;
  }
  void alignTo(uint64_t alignment) {
    if (uint64_t over = size % alignment)
      addOwned(std::string(alignment - over, '\0'));
  }
  /// What is added from here on, up to the next call, has one checksum.
  void beginPart(std::string_view name) {
    parts.push_back({std::string(name), pieces.size()});
  }
  size_t numParts() const { return parts.size(); }
  /// Ends the file; nothing before may change any more.
  void addChecksums();
  void writeTo(AtomicFile &file) const {
    for (std::string_view piece : pieces)
      file.append(piece);
  }
  std::string bytes() const {
    std::string all;
    all.reserve(size);
    for (std::string_view piece : pieces)
      all += piece;
    return all;
  }

private:
  struct Part {
    std::string name;
    size_t firstPiece;
  };
  std::vector<std::string_view> pieces;
  std::vector<Part> parts;
  std::deque<std::string> owned; // stays in place when it grows
  uint64_t size = 0;
};

void Image::addChecksums() {
  std::vector<isa::ChecksumRecord> records;
  uint64_t at = 0;
  for (size_t i = 0; i < parts.size(); ++i) {
    size_t end = i + 1 < parts.size() ? parts[i + 1].firstPiece : pieces.size();
    Digest digest;
    isa::ChecksumRecord record{};
    record.setName(parts[i].name);
    record.beginBytes = uint32_t(at);
    for (size_t piece = parts[i].firstPiece; piece < end; ++piece) {
      digest.add(pieces[piece]);
      at += pieces[piece].size();
    }
    record.sizeBytes = uint32_t(at - record.beginBytes);
    record.digest = digest.value();
    records.push_back(record);
  }
  addOwned(isa::checksumSection(records));
}

class ElfImage {
public:
  explicit ElfImage(const ExecutableInput &input) : input(input) {}

  Image build();

private:
  struct Section {
    const char *name;
    uint32_t type, flags;
    uint64_t offset, sizeBytes, alignBytes;
  };

  void beginSection(const char *name, uint32_t type, uint32_t flags = 0,
                    uint64_t alignBytes = 1);
  /// Where it begins in the file is known before it is written.
  void placeChecksums();
  void endSection() {
    sections.back().sizeBytes = image.sizeBytes() - sections.back().offset;
  }
  void addSection(const char *name, std::string_view bytes,
                  uint32_t flags = 0) {
    beginSection(name, ELF::SHT_PROGBITS, flags, flags ? 64 : 1);
    image.add(bytes);
    endSection();
  }
  void beginNote(std::string_view name, uint64_t sizeBytes);
  void addNote(std::string_view name, std::string bytes) {
    beginNote(name, bytes.size());
    image.addOwned(std::move(bytes));
    image.alignTo(4);
  }
  void addNotes();
  void addWeights();
  void addSectionTable(const std::string &names);
  std::string fileHeader(uint64_t tableOffset) const;

  const ExecutableInput &input;
  Image image;
  std::vector<Section> sections;
};

std::string_view view(std::span<const char> bytes) {
  return {bytes.data(), bytes.size()};
}
std::string_view view(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char *>(bytes.data()), bytes.size()};
}
template <typename T> std::string bytesOf(const T &value) {
  return std::string(reinterpret_cast<const char *>(&value), sizeof(T));
}

} // namespace

void ElfImage::beginSection(const char *name, uint32_t type, uint32_t flags,
                            uint64_t alignBytes) {
  image.alignTo(alignBytes);
  if (type != ELF::SHT_NOTE) // each note is a part
    image.beginPart(name);
  sections.push_back({name, type, flags, image.sizeBytes(), 0, alignBytes});
}

void ElfImage::beginNote(std::string_view name, uint64_t sizeBytes) {
  image.beginPart("note " + std::string(name));
  std::string header;
  for (uint32_t word : {uint32_t(name.size() + 1), uint32_t(sizeBytes), 0u})
    header += bytesOf(word);
  header += name;
  header.resize((header.size() + 1 + 3) / 4 * 4, '\0');
  image.addOwned(std::move(header));
}

void ElfImage::addWeights() {
  uint64_t total = weightBytes(input);
  if (!total)
    return;
  if (!input.weightFile.empty()) {
    // A driver looks for other files only if there is this note.
    addNote(isa::kNoteWeight, std::string(isa::kMinSectionBytes, '\0'));
    addNote(isa::kNoteExtraWeights, extraWeightsNote(input));
    return;
  }
  // A note that readers skip moves the constants to an aligned offset.
  constexpr uint64_t kPadHeader = 12 + 4, kWeightHeader = 12 + 8;
  uint64_t at = image.sizeBytes() + kPadHeader + kWeightHeader;
  uint64_t over = at % kWeightAlignBytes;
  addNote("pad", std::string(over ? kWeightAlignBytes - over : 0, '\0'));
  beginNote(isa::kNoteWeight, total);
  for (std::span<const std::byte> part : weightParts(input))
    image.add(view(part));
  image.alignTo(4);
}

void ElfImage::addNotes() {
  beginSection(isa::kNoteSection, ELF::SHT_NOTE, 0, 4);
  addNote(isa::kNoteCompilerMsg, compilerMessageNote(input));
  addNote(isa::kNoteSubgraphs, subgraphsNote(input));
  addNote(isa::kNoteFmlist, featureMapNote(input));
  addNote(isa::kNoteRodata, rodataNote(input));
  if (!input.descriptors.empty()) {
    addNote(isa::kNoteRemap, remapNote(input));
    beginNote(isa::kNoteDesc, input.descriptors.size());
    image.add(view(input.descriptors));
    image.alignTo(4);
  }
  if (!input.shapes.empty()) {
    addNote(isa::kNoteGlobalParameters, globalParametersNote(input));
    addNote(isa::kNoteInputShapes, inputShapesNote(input));
  }
  addWeights();
  endSection();
}

std::string ElfImage::fileHeader(uint64_t tableOffset) const {
  ELF::Elf32_Ehdr header = {};
  std::copy_n(ELF::ElfMagic, 4, header.e_ident);
  header.e_ident[ELF::EI_CLASS] = ELF::ELFCLASS32;
  header.e_ident[ELF::EI_DATA] = ELF::ELFDATA2LSB;
  header.e_ident[ELF::EI_VERSION] = ELF::EV_CURRENT;
  header.e_type = ELF::ET_EXEC;
  header.e_machine = isa::kElfMachine;
  header.e_version = ELF::EV_CURRENT;
  header.e_shoff = uint32_t(tableOffset);
  header.e_ehsize = sizeof(ELF::Elf32_Ehdr);
  header.e_shentsize = sizeof(ELF::Elf32_Shdr);
  header.e_shnum = uint16_t(sections.size() + 1);
  header.e_shstrndx = uint16_t(sections.size() - 1);
  return bytesOf(header);
}

/// Behind the section table, which lists them, and the last thing in the file.
void ElfImage::placeChecksums() {
  uint64_t tableBytes = (sections.size() + 2) * sizeof(ELF::Elf32_Shdr);
  sections.push_back({isa::kChecksumSection, ELF::SHT_PROGBITS, 0,
                      image.sizeBytes() + tableBytes,
                      isa::checksumSectionBytes(image.numParts()), 4});
}

/// The names and then the checksums must be the last sections.
void ElfImage::addSectionTable(const std::string &names) {
  image.addOwned(bytesOf(ELF::Elf32_Shdr{}));
  for (const Section &section : sections) {
    ELF::Elf32_Shdr header = {};
    header.sh_name =
        uint32_t(names.find('\0' + std::string(section.name) + '\0') + 1);
    header.sh_type = section.type;
    header.sh_flags = section.flags;
    header.sh_offset = uint32_t(section.offset);
    header.sh_size = uint32_t(section.sizeBytes);
    header.sh_addralign = uint32_t(section.alignBytes);
    image.addOwned(bytesOf(header));
  }
}

Image ElfImage::build() {
  image.beginPart("file header");
  std::string &header =
      image.addOwned(std::string(sizeof(ELF::Elf32_Ehdr), '\0'));
  addSection(isa::kTextSection, view(input.text),
             ELF::SHF_ALLOC | ELF::SHF_EXECINSTR);
  addNotes();
  std::string comment =
      "Yarrow " YARROW_VERSION "; target:" + input.targetName + ";";
  addSection(isa::kCommentSection, image.own(comment + '\0'));
  addSection(isa::kProvenanceSection, input.provenanceJson);
  if (!input.tecElf.empty())
    addSection(isa::kTecElfSection, view(input.tecElf));

  constexpr char kNames[] = ".shstrtab";
  std::string names(1, '\0');
  for (const Section &section : sections)
    names += std::string(section.name) + '\0';
  for (const char *last : {kNames, isa::kChecksumSection})
    names += std::string(last) + '\0';
  beginSection(kNames, ELF::SHT_STRTAB);
  image.addOwned(names);
  endSection();

  image.alignTo(4);
  image.beginPart("section table");
  placeChecksums();
  std::string filled = fileHeader(image.sizeBytes());
  std::copy(filled.begin(), filled.end(), header.begin()); // stays in place
  addSectionTable(names);
  image.addChecksums();
  return std::move(image);
}

bool fitsDeviceMemory(uint64_t sizeBytes, const std::string &what,
                      DiagnosticEngine &diags) {
  if (sizeBytes <= kMaxDeviceBytes)
    return true;
  diags
      .report(diag::CodegenFailed, {},
              "the network does not fit the device's memory")
      .found(formatBytes(sizeBytes) + ", of which " + what)
      .expected("at most " + formatBytes(kMaxDeviceBytes));
  return false;
}

static bool checkInput(const ExecutableInput &input, DiagnosticEngine &diags) {
  bool isValid = true;
  if (input.regionCount() > isa::kMaxRegions) {
    diags
        .report(diag::CodegenFailed, {},
                "the network has too many inputs and outputs")
        .found(std::to_string(input.inputs.size() + input.outputs.size()))
        .expected("at most " +
                  std::to_string(isa::kMaxRegions - isa::kFirstIoRegion));
    isValid = false;
  }
  return fitsDeviceMemory(deviceMemoryBytes(input),
                          "constants " + formatBytes(weightBytes(input)) +
                              " and workspace " +
                              formatBytes(input.workspaceBytes),
                          diags) &&
         isValid;
}

/// Nullopt if there can be no such file.
static std::optional<Image> imageOf(const ExecutableInput &input,
                                    DiagnosticEngine &diags) {
  if (!checkInput(input, diags))
    return std::nullopt;
  Image image = ElfImage(input).build();
  if (image.sizeBytes() > UINT32_MAX) {
    diags
        .report(diag::CodegenFailed, {},
                "the executable is larger than its format allows")
        .found(formatBytes(image.sizeBytes()))
        .expected("less than 4 GiB");
    return std::nullopt;
  }
  return image;
}

bool writeExecutable(const ExecutableInput &input, const std::string &path,
                     DiagnosticEngine &diags) {
  std::optional<Image> image = imageOf(input, diags);
  if (!image || path.empty())
    return image.has_value();
  AtomicFile file(path, diags);
  image->writeTo(file);
  if (input.weightFile.empty())
    return file.commit();
  AtomicFile weights(
      (std::filesystem::path(path).parent_path() / input.weightFile).string(),
      diags);
  for (std::span<const std::byte> part : weightParts(input))
    weights.append(part);
  return commitTogether({&weights, &file});
}

std::optional<std::string> executableBytes(const ExecutableInput &input,
                                           DiagnosticEngine &diags) {
  std::optional<Image> image = imageOf(input, diags);
  if (!image)
    return std::nullopt;
  return image->bytes();
}

} // namespace yarrow
