//===- TarTest.cpp - Archives of tar --------------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "support/Tar.h"
#include "support/MappedFile.h"
#include "support/diagnostics/Import.h"
#include "test/unit/support/TempFolder.h"
#include <gmock/gmock.h>
#include <numeric>

using namespace yarrow;
using test::TempFolder;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

namespace {

using Files = std::vector<std::pair<std::string, std::string>>;

std::span<const std::byte> bytesOf(std::string_view text) {
  return std::as_bytes(std::span(text));
}

/// The bytes of an archive of \p files.
std::string written(const Files &files) {
  TempFolder folder;
  std::string path = folder / "a.tar";
  DiagnosticEngine diags;
  AtomicFile file(path, diags);
  for (const auto &[name, text] : files)
    appendTarMember(file, name, bytesOf(text));
  appendTarEnd(file);
  EXPECT_TRUE(file.commit());
  auto mapped = MappedFile::open(path, diags);
  return mapped ? std::string(mapped->text()) : "";
}

Files membersOf(std::string_view text) {
  DiagnosticEngine diags;
  auto members = readTar(bytesOf(text), "a.tar", diag::QnnWeights, diags);
  for (const Diagnostic &diag : diags.all())
    ADD_FAILURE() << diag.str();
  Files files;
  if (members)
    for (const TarMember &member : *members)
      files.emplace_back(
          member.name,
          std::string(reinterpret_cast<const char *>(member.bytes.data()),
                      member.bytes.size()));
  return files;
}

std::string problemOf(std::string_view text) {
  DiagnosticEngine diags;
  auto members = readTar(bytesOf(text), "a.tar", diag::QnnWeights, diags);
  EXPECT_EQ(members.has_value(), diags.all().empty());
  return diags.all().empty() ? "" : diags.all().front().str();
}

/// A header with its checksum, as another program writes it.
std::string header(std::string name, const std::string &size, char type,
                   std::string magic = std::string("ustar  \0", 8)) {
  std::string block = name;
  block.resize(512);
  block.replace(124, size.size(), size);
  block[156] = type;
  block.replace(257, magic.size(), magic);
  block.replace(148, 8, "        ");
  unsigned sum = 0;
  for (char c : block)
    sum += static_cast<unsigned char>(c);
  std::string digits = "000000";
  for (std::size_t i = 6; i-- > 0; sum /= 8)
    digits[i] = char('0' + sum % 8);
  block.replace(148, 6, digits);
  block[154] = '\0';
  return block;
}

std::string padded(std::string text) {
  text.resize((text.size() + 511) / 512 * 512);
  return text;
}

} // namespace

TEST(Tar, ReadsWhatItWrites) {
  Files files = {{"empty", ""},
                 {"short.raw", "abc"},
                 {"block", std::string(512, 'b')},
                 {std::string(100, 'n'), "1"},
                 {std::string(90, 'p') + "/" + std::string(99, 'q'), "2"},
                 {std::string(101, 'x') + ".raw", "3"},
                 {std::string(300, 'y'), std::string(513, 'z')}};
  std::string text = written(files);
  EXPECT_EQ(text.size() % 512, 0U);
  EXPECT_EQ(membersOf(text), files);
  EXPECT_EQ(written(files), text);
}

TEST(Tar, ReadsTheFormsOfOtherPrograms) {
  std::string old =
      header("a", "00000000003", '\0', std::string(8, '\0')) + padded("old");
  EXPECT_EQ(membersOf(old), (Files{{"a", "old"}}));
  // Names of GNU tar, before the member itself; a size in base 256.
  std::string name = "./" + std::string(120, 'n');
  std::string large(12, '\0');
  large[0] = char(0x80);
  large[11] = 3;
  std::string gnu = header("././@LongLink", "00000000173", 'L') +
                    padded(name + '\0') + header("nnn", large, '0') +
                    padded("gnu");
  EXPECT_EQ(membersOf(gnu), (Files{{std::string(120, 'n'), "gnu"}}));
  // Records of pax; what is said of all members is none of them.
  std::string records = "13 path=long\n9 size=3\n";
  std::string pax = header("g", "00000000000", 'g') +
                    header("x", "00000000026", 'x') + padded(records) +
                    header("short", "00000000000", '0') + padded("pax") +
                    header("next", "00000000001", '0') + padded("n");
  EXPECT_EQ(membersOf(pax), (Files{{"long", "pax"}, {"next", "n"}}));
  // Folders and links are no files.
  EXPECT_THAT(membersOf(header("d/", "00000000000", '5') +
                        header("l", "00000000000", '2')),
              IsEmpty());
}

TEST(Tar, NamesDamage) {
  std::string text = written({{"a", "abc"}});
  std::string wrong = text;
  wrong[0] = 'b';
  EXPECT_THAT(problemOf(wrong),
              AllOf(HasSubstr("a.tar: error E1043"),
                    HasSubstr("damaged at byte 0: the checksum")));
  EXPECT_THAT(problemOf(text.substr(0, 300)), HasSubstr("cut off"));
  EXPECT_THAT(problemOf(text.substr(0, 514)),
              AllOf(HasSubstr("longer than the archive"),
                    HasSubstr("found: 3 bytes"), HasSubstr("at most 2")));
  EXPECT_THAT(problemOf(header("a", "0000000000x", '0')),
              HasSubstr("found: not a number"));
  std::string huge(12, '\xff');
  huge[0] = char(0x80);
  EXPECT_THAT(problemOf(header("a", huge, '0')), HasSubstr("not a number"));
  EXPECT_THAT(problemOf(header("a", "77777777777", '0')),
              HasSubstr("longer than the archive"));
  EXPECT_THAT(problemOf(header("a", "00000000000", 'S')), HasSubstr("sparse"));
  for (const char *record :
       {"x", "5 a=b", "999 a=b\n", "1 a=b\n", "0", "11 size=1x\n"})
    EXPECT_THAT(problemOf(header("x", "00000000013", 'x') +
                          padded(record + std::string(1, '\n'))),
                ::testing::Not(IsEmpty()))
        << record;
}

TEST(Tar, EndsWithZerosOrWithTheFile) {
  std::string text = written({{"a", "abc"}});
  Files files = {{"a", "abc"}};
  EXPECT_EQ(membersOf(text + "what follows"), files);
  EXPECT_EQ(membersOf(text.substr(0, 1024)), files);
  // The last member's padding may be missing.
  EXPECT_EQ(membersOf(text.substr(0, 515)), files);
  EXPECT_THAT(membersOf(""), IsEmpty());
}
