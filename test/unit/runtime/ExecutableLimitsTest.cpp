//===- ExecutableLimitsTest.cpp - Offsets of notes, to the byte -----------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Crafted executables with every offset and size of notes "remap" and
// "subgraphs" and of the notes themselves at its limit, from four bytes before
// it. Other checks of the reader refuse much of this, too, so that what is said
// is looked at.
//
//===----------------------------------------------------------------------===//
#include "runtime/ElfFile.h"
#include "runtime/Executable.h"
#include "test/unit/runtime/SmallExecutable.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace yarrow;
using namespace yarrow::runtime;
using ::testing::HasSubstr;
using ::testing::Not;

namespace {
/// Words of note "remap" and of note "subgraphs", each behind a count.
enum { RemapType = 1, RemapOffset, RemapNextType, RemapNextOffset };
enum {
  GraphText = 1 + 2,
  GraphMap = 1 + 3,
  GraphRodata = 1 + 4,
  GraphPrivate = 1 + 10,
  GraphPrecursors = 1 + 14,
  GraphPrivateBuffers = 1 + 15
};

/// What the reader says of an executable; "" if it takes it.
std::string problemOf(const std::string &bytes) {
  DiagnosticEngine diags;
  auto executable = Executable::parse(bytes, "small.bin", diags);
  EXPECT_EQ(executable == nullptr, diags.hasErrors());
  return diags.hasErrors() ? diags.all()[0].message : "";
}

/// With a word of a note set.
std::string problemOf(const char *note, uint32_t word, uint32_t value) {
  SmallExecutable small;
  small.changeNote = [&](std::string_view name, std::string &bytes) {
    if (name == note)
      std::memcpy(&bytes[word * 4], &value, 4);
  };
  return problemOf(small.build());
}

/// With bytes of a note missing at its end.
std::string problemWithout(const char *note, uint32_t missingBytes) {
  SmallExecutable small;
  small.changeNote = [&](std::string_view name, std::string &bytes) {
    if (name == note)
      bytes.resize(bytes.size() - missingBytes);
  };
  return problemOf(small.build());
}

class ExecutableLimits : public ::testing::Test {
protected:
  void SetUp() override {
    DiagnosticEngine diags;
    auto model = Executable::parse(bytes, "small.bin", diags);
    ASSERT_TRUE(model);
    sizes = {model->rodata().size(), model->descriptors().size(),
             model->text().size()};
  }
  std::string bytes = SmallExecutable().build();
  /// By the types of note "remap".
  std::vector<uint64_t> sizes;
};
} // namespace

TEST_F(ExecutableLimits, ARemapIsAWordInsideItsPart) {
  const char *outside = "refers to data that does not exist";
  for (uint32_t type = 0; type < 3; ++type)
    for (uint32_t after = 0; after <= 4; ++after) {
      SmallExecutable small;
      small.changeNote = [&](std::string_view name, std::string &note) {
        uint32_t offset = uint32_t(sizes[type]) - after;
        if (name == isa::kNoteRemap) {
          std::memcpy(&note[RemapType * 4], &type, 4);
          std::memcpy(&note[RemapOffset * 4], &offset, 4);
        }
      };
      std::string problem = problemOf(small.build());
      if (after < 4)
        EXPECT_THAT(problem, HasSubstr(outside)) << type << ", " << after;
      else // It is not what Yarrow writes.
        EXPECT_THAT(problem,
                    HasSubstr("does not refer to the descriptors' address"));
    }
  EXPECT_THAT(problemOf(isa::kNoteRemap, RemapOffset, 0xffffffff),
              HasSubstr(outside));
  EXPECT_THAT(problemOf(isa::kNoteRemap, RemapType, 3), HasSubstr(outside));
}

// What it becomes the address of may be the end.
TEST_F(ExecutableLimits, ARemapLeadsIntoItsPart) {
  const char *outside = "refers to data that does not exist";
  uint32_t end = uint32_t(sizes[1]);
  EXPECT_THAT(problemOf(isa::kNoteRemap, RemapNextOffset, end),
              HasSubstr("does not refer to the descriptors' address"));
  for (uint32_t beyond : {end + 1, end + 4, 0xffffffffu})
    EXPECT_THAT(problemOf(isa::kNoteRemap, RemapNextOffset, beyond),
                HasSubstr(outside));
  EXPECT_THAT(problemOf(isa::kNoteRemap, RemapNextType, 3), HasSubstr(outside));
}

TEST_F(ExecutableLimits, NotesHaveTheirEntries) {
  for (uint32_t missing = 1; missing <= 4; ++missing) {
    EXPECT_THAT(problemWithout(isa::kNoteRemap, missing),
                HasSubstr("refers to data that does not exist"));
    EXPECT_THAT(problemWithout(isa::kNoteSubgraphs, missing),
                HasSubstr("parts that Yarrow does not write"));
  }
  for (uint32_t missing : {5u, 16u})
    EXPECT_THAT(problemWithout(isa::kNoteRemap, missing),
                HasSubstr("ends early"));
  EXPECT_THAT(problemWithout(isa::kNoteSubgraphs, 60 + 4),
              HasSubstr("too short"));
  EXPECT_THAT(problemOf(isa::kNoteRemap, 0, 0x10000001), Not(""));
  EXPECT_THAT(problemOf(isa::kNoteSubgraphs, 0, 0x11111112), Not(""));
  EXPECT_THAT(problemOf(isa::kNoteSubgraphs, 0, 0), HasSubstr("no subgraph"));
}

TEST_F(ExecutableLimits, PrivateDataHaveASize) {
  constexpr uint32_t most = 64u << 20;
  for (uint32_t good : {1u, 3u, 4u, most - 4, most - 1, most})
    EXPECT_EQ(problemOf(isa::kNoteSubgraphs, GraphPrivate, good), "") << good;
  for (uint32_t bad : {0u, most + 1, most + 4, 0xffffffffu})
    EXPECT_THAT(problemOf(isa::kNoteSubgraphs, GraphPrivate, bad),
                HasSubstr("size of private data"))
        << bad;
}

TEST_F(ExecutableLimits, SubgraphsStartInsideTheProgram) {
  const char *outside = "starts outside of the program";
  auto text = uint32_t(sizes[2]), rodata = uint32_t(sizes[0]);
  for (uint32_t after = 0; after <= 4; ++after) {
    std::string problem =
        problemOf(isa::kNoteSubgraphs, GraphText, text - after);
    EXPECT_THAT(problem,
                after < 4
                    ? HasSubstr(outside)
                    : HasSubstr("does not start after the program's header"))
        << after;
  }
  EXPECT_THAT(problemOf(isa::kNoteSubgraphs, GraphRodata, rodata),
              HasSubstr(outside));
  EXPECT_THAT(problemOf(isa::kNoteSubgraphs, GraphRodata, rodata - 1),
              HasSubstr("the start of the subgraph's parameters"));
  EXPECT_THAT(problemOf(isa::kNoteSubgraphs, GraphMap, 1), HasSubstr(outside));
  const char *foreign = "parts that Yarrow does not write";
  EXPECT_THAT(problemOf(isa::kNoteSubgraphs, GraphPrecursors, 1),
              HasSubstr(foreign));
  EXPECT_THAT(problemOf(isa::kNoteSubgraphs, GraphPrivateBuffers, 1),
              HasSubstr(foreign));
}

// The last note's name and content end with the section, or before it.
TEST_F(ExecutableLimits, NotesEndInTheirSection) {
  SmallExecutable small;
  small.hasChecksums = false;
  const std::string whole = small.build();
  std::string name(isa::kNoteCompilerMsg, sizeof isa::kNoteCompilerMsg);
  size_t header = whole.rfind(name) - 12;
  auto with = [&](uint32_t word, uint32_t value) {
    std::string file = whole;
    std::memcpy(&file[header + 4 * word], &value, 4);
    return problemOf(sealed(std::move(file)));
  };
  constexpr uint32_t content = sizeof(isa::CompilerMessage);
  EXPECT_EQ(with(1, content), "");
  for (uint32_t beyond : {1u, 2u, 3u, 4u, 0xffffffffu - content})
    EXPECT_THAT(with(1, content + beyond), HasSubstr("a note ends early"))
        << beyond;
  // Three bytes more belong to the note than its content.
  for (uint32_t less : {1u, 2u, 3u})
    EXPECT_THAT(with(1, content - less),
                HasSubstr("note \"compilermsg\" does not match"));
  for (uint32_t bytes : {uint32_t(name.size()) + 4, 0xfffffff0u, 0xffffffffu})
    EXPECT_THAT(with(0, bytes), HasSubstr("a note ends early")) << bytes;
}

// Entries of 40 bytes or more, 64 of them at most, of which one has the names.
TEST_F(ExecutableLimits, SectionTable) {
  enum { EntryBytes = 46, Count = 48, NamesIndex = 50 };
  auto with = [&](size_t place, uint16_t value) {
    std::string file = SmallExecutable().build();
    std::memcpy(&file[place], &value, 2);
    return problemOf(sealed(std::move(file)));
  };
  uint16_t count;
  std::memcpy(&count, &bytes[Count], 2);
  const char *malformed = "the section table is malformed";
  EXPECT_EQ(with(EntryBytes, 40), "");
  EXPECT_THAT(with(EntryBytes, 39), HasSubstr(malformed));
  EXPECT_THAT(with(EntryBytes, 0), HasSubstr(malformed));
  EXPECT_THAT(with(NamesIndex, count), HasSubstr(malformed));
  EXPECT_THAT(with(NamesIndex, count - 1), Not(HasSubstr(malformed)));
  EXPECT_THAT(with(Count, 65), HasSubstr(malformed));
  EXPECT_THAT(with(Count, 64), HasSubstr("is not in the file"));
}

TEST(WordReader, ReadsZerosPastTheEnd) {
  using namespace std::string_view_literals;
  WordReader reader("\x04\x03\x02\x01\x05\x06\x07"sv);
  EXPECT_EQ(reader.word(), 0x01020304u);
  EXPECT_TRUE(reader.ok());
  EXPECT_EQ(reader.word(), 0u) << "three bytes are no word";
  EXPECT_FALSE(reader.ok());
  EXPECT_EQ(reader.word(), 0u);
  EXPECT_FALSE(reader.ok());
}
