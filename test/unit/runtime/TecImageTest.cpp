//===- TecImageTest.cpp - Reading programs, and running them --------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "runtime/TecImage.h"
#include "runtime/TecProcess.h"
#include <cstring>
#include <gtest/gtest.h>
#include <random>

using namespace yarrow;
using namespace yarrow::runtime;

namespace {
constexpr uint32_t kTextAt = 0x10000, kDataAt = 0x20000;

/// An ELF file with text (a7 = 93; a0 = 5; ecall), 8 bytes of data and 8 of
/// zeros, and the symbols _start, inner (a label), buffer.
std::string program() {
  std::string file(52 + 2 * 32, '\0');
  auto put = [&](size_t at, auto value) {
    if (file.size() < at + sizeof value)
      file.resize(at + sizeof value);
    std::memcpy(&file[at], &value, sizeof value);
  };
  auto word = [&](size_t at, uint32_t value) { put(at, value); };
  std::memcpy(&file[0],
              "\x7f"
              "ELF\1\1\1",
              7);
  put(16, uint16_t(2));
  put(18, uint16_t(243));
  word(20, 1);
  word(24, kTextAt);
  word(28, 52);
  put(42, uint16_t(32));
  put(44, uint16_t(2));
  auto segment = [&](size_t at, uint32_t offset, uint32_t address,
                     uint32_t fileBytes, uint32_t bytes, uint32_t flags) {
    for (uint32_t value :
         {1u, offset, address, address, fileBytes, bytes, flags, 4096u}) {
      word(at, value);
      at += 4;
    }
  };
  uint32_t text = uint32_t(file.size());
  for (uint32_t inst : {0x05d00893u, 0x00500513u, 0x00000073u})
    word(file.size(), inst);
  uint32_t data = uint32_t(file.size());
  word(data, 0x11223344);
  word(data + 4, 0);
  segment(52, text, kTextAt, 12, 12, 5);
  segment(84, data, kDataAt, 8, 16, 6);
  uint32_t strings = uint32_t(file.size());
  file += std::string("\0_start\0inner\0buffer\0", 21);
  uint32_t symbols = uint32_t(file.size());
  auto symbol = [&](uint32_t name, uint32_t address, uint32_t bytes,
                    uint8_t type) {
    word(file.size(), name);
    word(file.size(), address);
    word(file.size(), bytes);
    put(file.size(), type);
    put(file.size(), uint8_t(0));
    put(file.size(), uint16_t(3)); // no such section
  };
  symbol(1, kTextAt, 12, 2);
  symbol(8, kTextAt + 4, 0, 0);
  symbol(14, kDataAt, 0, 1);
  uint32_t sections = uint32_t(file.size());
  auto section = [&](uint32_t type, uint32_t offset, uint32_t bytes,
                     uint32_t link) {
    for (uint32_t value : {0u, type, 0u, 0u, offset, bytes, link, 0u, 0u, 0u})
      word(file.size(), value);
  };
  section(2, symbols, sections - symbols, 1);
  section(3, strings, 21, 0);
  word(32, sections);
  put(46, uint16_t(40));
  put(48, uint16_t(2));
  return file;
}
} // namespace

TEST(TecImage, ReadsSegmentsAndSymbols) {
  std::string file = program();
  DiagnosticEngine diags;
  auto image = TecImage::parse(file, "a.elf", diags);
  ASSERT_TRUE(image) << diags.all()[0].str();
  ASSERT_EQ(image->segments.size(), 2u);
  EXPECT_TRUE(image->segments[0].canExecute);
  EXPECT_FALSE(image->segments[0].canWrite);
  EXPECT_EQ(image->segments[1].end(), kDataAt + 16);
  EXPECT_EQ(image->segments[1].contents.size(), 8u);
  EXPECT_EQ(image->symbols.describe(kTextAt), "_start");
  // A label inside of a function does not hide the function.
  EXPECT_EQ(image->symbols.describe(kTextAt + 8), "_start+0x8");
  EXPECT_EQ(image->symbols.describe(kTextAt + 12), "");
  EXPECT_EQ(image->symbols.describe(kDataAt + 100), "buffer+0x64");
  EXPECT_EQ(image->symbols.describe(0), "");
}

TEST(TecProcess, RunsToTheEnd) {
  std::string file = program();
  DiagnosticEngine diags;
  auto image = TecImage::parse(file, "a.elf", diags);
  auto process = TecProcess::create(*image, {}, diags);
  ASSERT_TRUE(process);
  uint32_t value = 0;
  process->memory().read(kDataAt, &value, 4);
  EXPECT_EQ(value, 0x11223344u);
  TecExit end = process->run(diags);
  EXPECT_EQ(end.reason, TecExit::Exited);
  EXPECT_EQ(end.status, 5u);
  EXPECT_EQ(process->tec().retired(), 3u);
}

// Whatever a file holds, it is read or refused, and what is read can be run.
TEST(TecProcess, SurvivesBrokenFiles) {
  const std::string good = program();
  std::mt19937 random(1);
  unsigned numRead = 0;
  for (int round = 0; round < 3000; ++round) {
    std::string file = good;
    for (unsigned k = 0; k < 1 + random() % 3; ++k) {
      size_t at = random() % file.size();
      file[at] = char(random() % 2 ? random() : 255 * (random() % 2));
    }
    if (random() % 8 == 0)
      file.resize(random() % file.size());
    DiagnosticEngine diags;
    auto image = TecImage::parse(file, "a.elf", diags);
    EXPECT_EQ(image.has_value(), !diags.hasErrors());
    if (!image)
      continue;
    ++numRead;
    TecProcessOptions options;
    options.maxInstructions = 1000;
    if (auto process = TecProcess::create(*image, options, diags)) {
      TecExit end = process->run(diags);
      EXPECT_EQ(end.reason == TecExit::Exited, !diags.hasErrors());
    }
  }
  EXPECT_GT(numRead, 100u);
}
