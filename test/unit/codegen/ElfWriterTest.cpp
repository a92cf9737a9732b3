//===- ElfWriterTest.cpp - The executable parses back ---------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "codegen/ElfWriter.h"
#include "isa/Checksums.h"
#include "isa/Machine.h"
#include "isa/Types.h"
#include "support/Digest.h"

#include "llvm/Object/ELF.h"
#include "llvm/Support/MemoryBuffer.h"
#include <cstring>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <map>

using namespace yarrow;
using llvm::object::ELF32LEFile;
using ::testing::HasSubstr;

namespace {

struct ElfWriterTest : ::testing::Test {
  std::string path = std::filesystem::temp_directory_path() /
                     ("yarrow-elf-" + std::to_string(getpid()) + ".bin");
  DiagnosticEngine diags;
  std::vector<char> text = std::vector<char>(100, 't');
  std::vector<char> tecElf = std::vector<char>(33, 'e');
  std::vector<std::byte> descriptors = std::vector<std::byte>(24, std::byte{3});
  std::vector<std::byte> weightsA = std::vector<std::byte>(5, std::byte{1});
  std::vector<std::byte> weightsB = std::vector<std::byte>(70, std::byte{2});
  ExecutableInput input;
  std::unique_ptr<llvm::MemoryBuffer> file;

  ElfWriterTest() {
    input.targetName = "X2_1204";
    input.deviceWord =
        isa::DeviceId{.version = 5, .configuration = 1204}.word();
    input.text = text;
    input.tecElf = tecElf;
    input.descriptors = descriptors;
    input.weights = {weightsA, weightsB};
    input.workspaceBytes = 4097;
    input.inputs = {{"image", isa::DataS8, 48, 127.5f, -3}};
    input.outputs = {{"classes", isa::DataU8, 10, 255.0f, 0},
                     {"boxes", isa::DataS16, 80, 4.0f, 7}};
    input.provenanceJson = R"({"layers":[]})";
  }
  ~ElfWriterTest() override { std::filesystem::remove(path); }

  ELF32LEFile write() {
    EXPECT_TRUE(writeExecutable(input, path, diags));
    file = std::move(*llvm::MemoryBuffer::getFile(path, false, false));
    return llvm::cantFail(ELF32LEFile::create(file->getBuffer()));
  }

  std::map<std::string, std::string> sectionsOf(const ELF32LEFile &elf) {
    std::map<std::string, std::string> sections;
    for (const auto &section : llvm::cantFail(elf.sections()))
      if (section.sh_type) {
        llvm::ArrayRef<uint8_t> data =
            llvm::cantFail(elf.getSectionContents(section));
        sections[llvm::cantFail(elf.getSectionName(section)).str()] =
            std::string(data.begin(), data.end());
      }
    return sections;
  }

  /// As a loader asks of it: a power of two, which places keep.
  static void checkAlignment(const ELF32LEFile &elf) {
    for (const auto &section : llvm::cantFail(elf.sections())) {
      uint32_t bytes = std::max<uint32_t>(section.sh_addralign, 1);
      EXPECT_EQ(bytes & (bytes - 1), 0u) << bytes;
      EXPECT_EQ(section.sh_offset % bytes, 0u) << bytes;
    }
  }

  std::map<std::string, std::string> notesOf(const ELF32LEFile &elf) {
    std::map<std::string, std::string> notes;
    for (const auto &section : llvm::cantFail(elf.sections())) {
      if (section.sh_type != llvm::ELF::SHT_NOTE)
        continue;
      llvm::Error error = llvm::Error::success();
      for (auto note : elf.notes(section, error)) {
        llvm::ArrayRef<uint8_t> data = note.getDesc(4);
        notes[note.getName().str()] = std::string(data.begin(), data.end());
      }
      llvm::cantFail(std::move(error));
    }
    return notes;
  }
};

/// Reads structures one after the other.
struct Reader {
  const std::string &bytes;
  size_t at = 0;
  template <typename T> T next() {
    T value;
    EXPECT_LE(at + sizeof(T), bytes.size());
    std::memcpy(&value, bytes.data() + at, sizeof(T));
    at += sizeof(T);
    return value;
  }
};

} // namespace

TEST_F(ElfWriterTest, SectionsAreAligned) { checkAlignment(write()); }

// No byte in front of the checksums is without one.
TEST_F(ElfWriterTest, ChecksumsCoverTheFile) {
  ELF32LEFile elf = write();
  std::string bytes = file->getBuffer().str();
  auto table = isa::findChecksums(bytes);
  ASSERT_TRUE(table);
  EXPECT_TRUE(table->isIntact);
  uint64_t at = 0;
  std::vector<std::string> names;
  for (const isa::ChecksumRecord &part : table->records) {
    EXPECT_EQ(part.beginBytes, at);
    EXPECT_EQ(part.digest, digestOf(bytes.substr(at, part.sizeBytes)));
    at += part.sizeBytes;
    names.emplace_back(part.text());
  }
  EXPECT_EQ(at, table->beginBytes);
  EXPECT_THAT(names,
              ::testing::ElementsAre(
                  "file header", ".text", "note compilermsg", "note subgraphs",
                  "note fmlist", "note rodata", "note remap", "note desc",
                  "note pad", "note weight", ".comment", ".yarrow.provenance",
                  ".yarrow.tec", ".shstrtab", "section table"));
  // The section is what lies at the end.
  EXPECT_EQ(sectionsOf(elf)[isa::kChecksumSection], bytes.substr(at));
}

TEST_F(ElfWriterTest, HeaderAndSections) {
  ELF32LEFile elf = write();
  EXPECT_EQ(elf.getHeader().e_machine, isa::kElfMachine);
  EXPECT_EQ(elf.getHeader().e_type, llvm::ELF::ET_EXEC);
  EXPECT_EQ(elf.getHeader().e_phnum, 0);
  auto sections = sectionsOf(elf);
  EXPECT_EQ(sections[isa::kTextSection], std::string(100, 't'));
  EXPECT_EQ(sections[isa::kTecElfSection], std::string(33, 'e'));
  EXPECT_EQ(sections[isa::kProvenanceSection], input.provenanceJson);
  EXPECT_THAT(sections[isa::kCommentSection], HasSubstr("target:X2_1204;"));
}

TEST_F(ElfWriterTest, PayloadNotes) {
  ELF32LEFile elf = write();
  auto notes = notesOf(elf);
  EXPECT_EQ(notes[isa::kNoteDesc], std::string(24, '\3'));
  EXPECT_EQ(notes[isa::kNoteWeight],
            std::string(5, '\1') + std::string(70, '\2'));
  size_t weightsAt = file->getBuffer().find(notes[isa::kNoteWeight]);
  EXPECT_EQ(weightsAt % 64, 0u) << "readers map the constants";
}

TEST_F(ElfWriterTest, ParameterBlock) {
  auto notes = notesOf(write());
  Reader reader{notes[isa::kNoteRodata]};
  EXPECT_EQ(reader.next<uint32_t>(), isa::kParameterMagic);
  EXPECT_EQ(reader.next<uint32_t>(), 6u);
  reader.next<uint32_t>();
  reader.next<uint32_t>();
  EXPECT_EQ(reader.next<uint32_t>(), isa::kSramBaseAddress);
  EXPECT_EQ(notes[isa::kNoteRodata].size(), 4u * (4 + 6));

  Reader remap{notes[isa::kNoteRemap]};
  EXPECT_EQ(remap.next<uint32_t>(), 1u);
  auto entry = remap.next<isa::RemapEntry>();
  EXPECT_EQ(entry.type, 0u);
  EXPECT_EQ(entry.offset, 8u);
  EXPECT_EQ(entry.nextType, 1u);
  EXPECT_EQ(entry.nextOffset, 0u);
}

TEST_F(ElfWriterTest, FeatureMaps) {
  auto notes = notesOf(write());
  Reader reader{notes[isa::kNoteFmlist]};
  reader.next<uint64_t>();
  EXPECT_EQ(reader.next<uint32_t>(), 1u);
  auto bss = reader.next<isa::BssHeader>();
  EXPECT_EQ(bss.stackSize, isa::kStackBytes);
  ASSERT_EQ(bss.staticCount, 1u);
  ASSERT_EQ(bss.reuseCount, 4u);

  auto constants = reader.next<isa::StaticSection>();
  EXPECT_EQ(constants.size, 75u);
  struct Expected {
    uint32_t type, id, sizeBytes, region;
  };
  auto expectSubSection = [&](Expected expected) {
    auto sub = reader.next<isa::SubSection>();
    EXPECT_EQ(sub.type, expected.type);
    EXPECT_EQ(sub.id, expected.id);
    EXPECT_EQ(sub.size, expected.sizeBytes);
    EXPECT_EQ(sub.addrMask, 0xFFFFFFFFu);
    EXPECT_EQ(sub.patchCount, 1u);
    EXPECT_EQ(reader.next<uint32_t>(), 4 * (4 + expected.region));
    return sub;
  };
  expectSubSection({isa::SubZeroCopyConstant, 0, 75, 1});
  for (Expected expected : {Expected{isa::SubIntermediate, 0, 4097, 2},
                            {isa::SubInput, 0, 48, 3},
                            {isa::SubOutput, 0, 10, 4},
                            {isa::SubOutput, 1, 80, 5}}) {
    EXPECT_GE(reader.next<isa::ReuseSection>().size, expected.sizeBytes);
    auto sub = expectSubSection(expected);
    if (expected.type == isa::SubInput) {
      EXPECT_EQ(sub.dataType, isa::DataS8);
      EXPECT_EQ(sub.scale, 127.5f);
      EXPECT_EQ(sub.zeroPoint, -3);
    }
  }
  EXPECT_EQ(reader.at, reader.bytes.size());
}

TEST_F(ElfWriterTest, SubgraphAndMessage) {
  auto notes = notesOf(write());
  Reader reader{notes[isa::kNoteSubgraphs]};
  EXPECT_EQ(reader.next<uint32_t>(), 1u);
  auto subgraph = reader.next<isa::SubgraphHeader>();
  EXPECT_EQ(subgraph.textOffset, isa::kTextHeaderBytes);
  EXPECT_GT(subgraph.privateDataSize, 0u);
  EXPECT_EQ(subgraph.precursorCount, 0);
  EXPECT_EQ(reader.next<int32_t>(), 0);
  Reader message{notes[isa::kNoteCompilerMsg]};
  EXPECT_EQ(message.next<isa::CompilerMessage>().device, 0x000504B4u);
}

TEST_F(ElfWriterTest, WithoutConstantsDescriptorsAndWorkspace) {
  input.weights.clear();
  input.descriptors = {};
  input.workspaceBytes = 0;
  auto notes = notesOf(write());
  EXPECT_EQ(notes.count(isa::kNoteWeight), 0u);
  EXPECT_EQ(notes.count(isa::kNoteDesc), 0u);
  EXPECT_EQ(notes.count(isa::kNoteRemap), 0u);
  Reader reader{notes[isa::kNoteFmlist]};
  reader.next<uint64_t>();
  reader.next<uint32_t>();
  auto bss = reader.next<isa::BssHeader>();
  EXPECT_EQ(bss.staticCount, 0u);
  EXPECT_EQ(bss.reuseCount, 4u);
  EXPECT_GT(reader.next<isa::ReuseSection>().size, 0u) << "never empty";
}

TEST_F(ElfWriterTest, SameInputSameBytes) {
  write();
  std::string first = file->getBuffer().str();
  write();
  EXPECT_EQ(first, file->getBuffer().str());
}

TEST_F(ElfWriterTest, TooMuchMemory) {
  input.workspaceBytes = uint64_t(3) << 30;
  EXPECT_FALSE(writeExecutable(input, path, diags));
  EXPECT_FALSE(std::filesystem::exists(path));
  ASSERT_EQ(diags.numErrors(), 1u);
  EXPECT_THAT(diags.all()[0].str(), HasSubstr("device's memory"));
  input.workspaceBytes = ~uint64_t(0) - 4096; // sums do not wrap
  EXPECT_FALSE(writeExecutable(input, path, diags));
}

TEST_F(ElfWriterTest, EmptyTensor) {
  input.outputs[1].sizeBytes = 0;
  EXPECT_TRUE(writeExecutable(input, path, diags));
  EXPECT_EQ(diags.numErrors(), 0u);
}

// One other file, by its name and its digest.
TEST_F(ElfWriterTest, ConstantsLieInAnotherFile) {
  std::string other = path + ".weights";
  input.weightFile = std::filesystem::path(other).filename().string();
  auto notes = notesOf(write());
  std::filesystem::remove(other);
  Reader reader{notes[isa::kNoteExtraWeights]};
  EXPECT_EQ(reader.next<uint64_t>(), 1u);
  auto length = reader.next<uint64_t>();
  EXPECT_EQ(length, input.weightFile.size() + 1 + 64);
  std::string name = reader.bytes.substr(reader.at);
  EXPECT_EQ(name.size(), length);
  EXPECT_THAT(name, ::testing::StartsWith(input.weightFile + "+"));
}

// Four bytes for each length of each output.
TEST_F(ElfWriterTest, OutputShapesHaveRoom) {
  const std::vector<int64_t> classes(6, 1), boxes(20, 1);
  input.shapes = {{{{1, 48}}, {classes, boxes}}};
  auto notes = notesOf(write());
  Reader reader{notes[isa::kNoteFmlist]};
  reader.next<uint64_t>();
  reader.next<uint32_t>();
  auto bss = reader.next<isa::BssHeader>();
  auto nextPart = [&] {
    auto part = reader.next<isa::SubSection>();
    reader.at += part.patchCount * sizeof(uint32_t);
    return part;
  };
  reader.next<isa::StaticSection>();
  nextPart();
  isa::ReuseSection section{};
  std::vector<isa::SubSection> parts;
  for (uint32_t i = 0; i < bss.reuseCount; ++i) {
    section = reader.next<isa::ReuseSection>();
    parts.clear();
    for (uint32_t k = 0; k < section.subSectionCount; ++k)
      parts.push_back(nextPart());
  }
  EXPECT_EQ(reader.at, reader.bytes.size());
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_EQ(parts[1].type, uint32_t(isa::SubOutputShape));
  EXPECT_EQ(parts[0].size, 4 * classes.size());
  EXPECT_EQ(parts[1].size, 4 * boxes.size());
  EXPECT_EQ(section.size, parts[0].size + parts[1].size);
}
