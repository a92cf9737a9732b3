//===- NpyTest.cpp - Good files, and every way to be malformed ------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "support/Npy.h"
#include "support/AtomicFile.h"
#include "support/diagnostics/Files.h"
#include "test/unit/support/TempFolder.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

using namespace yarrow;
using yarrow::test::TempFolder;

namespace {
std::string frame(const std::string &dictionary, const std::string &data,
                  char version = 1) {
  std::string out = "\x93NUMPY";
  out += version;
  out += '\0';
  for (int i = 0; i < (version == 1 ? 2 : 4); ++i)
    out += char(dictionary.size() >> (8 * i) & 0xFF);
  return out + dictionary + data;
}

std::optional<NpyView> parse(const std::string &file, DiagnosticEngine &diags) {
  auto owner = std::make_shared<const std::string>(file);
  return parseNpy(std::as_bytes(std::span(*owner)), owner, "x.npy", diags);
}

std::string dictionary(const std::string &descr, const std::string &shape,
                       const std::string &order = "False") {
  return "{'descr': '" + descr + "', 'fortran_order': " + order +
         ", 'shape': " + shape + ", }\n";
}
} // namespace

TEST(Npy, RoundTripsEveryType) {
  TempFolder folder;
  for (int t = 0; t <= int(NpyType::Float64); ++t) {
    auto type = NpyType(t);
    SCOPED_TRACE(npyTypeName(type));
    DiagnosticEngine diags;
    std::vector<std::byte> bytes(6 * npyTypeBytes(type));
    for (std::size_t i = 0; i < bytes.size(); ++i)
      bytes[i] = std::byte(i * 37);
    std::string path = folder / "a.npy";
    ASSERT_TRUE(writeNpy(path, type, {2, 3}, bytes.data(), diags));
    std::optional<NpyView> view = readNpy(path, diags);
    ASSERT_TRUE(view) << diags.all()[0].str();
    EXPECT_EQ(view->type, type);
    EXPECT_EQ(view->shape, (std::vector<int64_t>{2, 3}));
    EXPECT_EQ(view->numElements, 6u);
    EXPECT_EQ(std::memcmp(view->data, bytes.data(), bytes.size()), 0);
    EXPECT_EQ(view->toFloats().size(), 6u);
  }
}

TEST(Npy, WritesWhatNumpyWrites) {
  // numpy.save of numpy.zeros(3, int32), numpy.float64(0), numpy.zeros((0, 2),
  // bool)
  EXPECT_EQ(npyHeader(NpyType::Int32, std::vector<int64_t>{3}),
            std::string("\x93NUMPY\x01\x00v\x00", 10) +
                "{'descr': '<i4', 'fortran_order': False, 'shape': (3,), }" +
                std::string(60, ' ') + "\n");
  std::string scalar = npyHeader(NpyType::Float64, {});
  EXPECT_NE(scalar.find("'shape': (), }"), std::string::npos);
  EXPECT_EQ(scalar.size() % 64, 0u);
  EXPECT_NE(
      npyHeader(NpyType::Bool, std::vector<int64_t>{0, 2})
          .find("{'descr': '|b1', 'fortran_order': False, 'shape': (0, 2), }"),
      std::string::npos);
}

TEST(Npy, ReadsUnusualButValidFiles) {
  struct Case {
    std::string file;
    std::vector<int64_t> shape;
    std::vector<float> values;
  };
  std::string two(8, '\0'); // 1.0f, 2.0f
  two.replace(2, 2, "\x80\x3f").replace(7, 1, "\x40");
  const Case cases[] = {
      {frame(dictionary("<f4", "(2,)"), two), {2}, {1, 2}},
      {frame(dictionary("<f4", "(2,)"), two, 2), {2}, {1, 2}},
      {frame(dictionary("<f4", "(2,)"), two, 3), {2}, {1, 2}},
      {frame(dictionary("=f4", "(2,)"), two), {2}, {1, 2}},
      {frame(dictionary("<f4", "(1L, 2L)"), two), {1, 2}, {1, 2}},
      {frame(dictionary("<f4", "(1,2,1)", "True"), two), {1, 2, 1}, {1, 2}},
      {frame("{\"shape\":(2,),\"fortran_order\":False,\"descr\":\"<f4\"}", two),
       {2},
       {1, 2}},
      {frame(dictionary("<f4", "(2,)") + std::string(3, '\0'), two),
       {2},
       {1, 2}},
      {frame(dictionary("<f8", "(0, 9223372036854775807)"), ""),
       {0, INT64_MAX},
       {}},
      {frame(dictionary("|u1", "()"), "\x07"), {}, {7}},
      {frame(dictionary(">i1", "(1,)"), "\xff"), {1}, {-1}},
      {frame(dictionary("|b1", "(3,)"), std::string("\0\1\2", 3)),
       {3},
       {0, 1, 1}},
      {frame(dictionary("<f2", "(1,)"), std::string("\x66\x2e", 2)),
       {1},
       {0.0999755859375f}},
  };
  for (const Case &c : cases) {
    SCOPED_TRACE(c.file.substr(10, 70));
    DiagnosticEngine diags;
    std::optional<NpyView> view = parse(c.file, diags);
    ASSERT_TRUE(view) << diags.all()[0].str();
    EXPECT_EQ(view->shape, c.shape);
    EXPECT_EQ(view->toFloats(), c.values);
    EXPECT_EQ(
        reinterpret_cast<uintptr_t>(view->data) % npyTypeBytes(view->type), 0u);
  }
}

TEST(Npy, RefusesMalformedFiles) {
  const std::string malformed[] = {
      "",
      "\x93",
      "\x93NUMPY",
      std::string("\x93NUMPY\x01\x00", 8),
      std::string("\x93NUMPY\x01\x00\xff\xff", 10),
      std::string("\x93NUMPY\x02\x00\xff\xff\xff\xff", 12),
      std::string("\x93NUMPY\x00\x00\x00\x00\x00\x00", 12),
      "PK\x03\x04 an .npz is a zip file",
      frame(dictionary("<f4", "(1,)"), "1234", 4),
      frame("", ""),
      frame("{", ""),
      frame("{}", ""),
      frame("[]", ""),
      frame("{'descr': '<f4', 'fortran_order': False}", "1234"),
      frame("{'descr': '<f4', 'shape': (1,)}", "1234"),
      frame("{'fortran_order': False, 'shape': (1,)}", "1234"),
      frame("{'descr': '<f4, 'fortran_order': False, 'shape': (1,)}", "1234"),
      frame("{'descr': '', 'fortran_order': False, 'shape': (1,)}", "1234"),
      frame("{'descr': 3, 'fortran_order': False, 'shape': (1,)}", "1234"),
      frame("{'descr': [[[", ""),
      frame("{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': "
            "(1,)}",
            "1234"),
      frame("{'descr': '<f4', 'fortran_order': False, 'shape': (1,), 'x': 1}",
            "1234"),
      frame(dictionary("<f4", "(1,)") + "x", "1234"),
      frame(dictionary("<f4", "(1)"), "1234"),
      frame(dictionary("<f4", "[1]"), "1234"),
      frame(dictionary("<f4", "(1,"), "1234"),
      frame(dictionary("<f4", "(,)"), "1234"),
      frame(dictionary("<f4", "(-1,)"), "1234"),
      frame(dictionary("<f4", "(1.0,)"), "1234"),
      frame(dictionary("<f4", "(1 1)"), "1234"),
      frame(dictionary("<f4", "(1,)", "0"), "1234"),
      frame(dictionary("<f4", "(2,)"), "1234"),
      frame(dictionary("<f4", "(1,)"), "12345"),
      frame(dictionary("<f4", "(9223372036854775808,)"), ""),
      frame(dictionary("<f4", "(4611686018427387904, 4)"), ""),
      frame(dictionary("<f8", "(2305843009213693952,)"), ""),
      frame(dictionary("<f4", "(4294967296, 4294967296)"), ""),
  };
  for (const std::string &file : malformed) {
    DiagnosticEngine diags;
    EXPECT_FALSE(parse(file, diags)) << file;
    ASSERT_EQ(diags.all().size(), 1u) << file;
    EXPECT_EQ(diags.all()[0].id, diag::NpyMalformed) << file;
    EXPECT_EQ(diags.all()[0].place.file, "x.npy");
  }
}

TEST(Npy, RefusesUnsupportedFiles) {
  const std::string unsupported[] = {
      frame(dictionary(">f4", "(1,)"), "1234"),
      frame(dictionary("<f4", "(2, 2)", "True"), std::string(16, '1')),
      frame(dictionary("<c8", "(1,)"), "12345678"),
      frame(dictionary("<U1", "(1,)"), "1234"),
      frame(dictionary("|O", "(1,)"), "1234"),
      frame(dictionary("x", "(1,)"), "1234"),
      frame(dictionary("?f4", "(1,)"), "1234"),
      frame(dictionary("\x01\x02\x03", "(1,)"), "1234"),
      frame("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,)}",
            "1234"),
  };
  for (const std::string &file : unsupported) {
    DiagnosticEngine diags;
    EXPECT_FALSE(parse(file, diags)) << file;
    ASSERT_EQ(diags.all().size(), 1u) << file;
    EXPECT_EQ(diags.all()[0].id, diag::NpyUnsupported) << file;
  }
}

TEST(Npy, EveryTruncationAndEveryFlippedBitIsHandled) {
  std::string good =
      npyHeader(NpyType::Int16, std::vector<int64_t>{2, 2}) + "12345678";
  for (std::size_t size = 0; size < good.size(); ++size) {
    DiagnosticEngine diags;
    EXPECT_FALSE(parse(good.substr(0, size), diags));
    EXPECT_TRUE(diags.hasErrors());
  }
  for (std::size_t bit = 0; bit < good.size() * 8; ++bit) {
    std::string bad = good;
    bad[bit / 8] = char(bad[bit / 8] ^ (1 << bit % 8));
    DiagnosticEngine diags;
    std::optional<NpyView> view = parse(bad, diags);
    EXPECT_NE(view.has_value(), diags.hasErrors());
    if (view) { // sums touch every byte under the address sanitizer
      EXPECT_EQ(view->toFloats().size(), view->numElements);
    }
  }
}

TEST(Npy, KeepsTheFileAlive) {
  TempFolder folder;
  DiagnosticEngine diags;
  float value = 2.5f;
  ASSERT_TRUE(writeNpy(folder / "a.npy", NpyType::Float32, {}, &value, diags));
  std::optional<NpyView> view = readNpy(folder / "a.npy", diags);
  ASSERT_TRUE(view);
  ASSERT_TRUE(writeFile(folder / "a.npy", "gone", diags));
  EXPECT_EQ(view->elements<float>()[0], 2.5f);
  EXPECT_EQ(view->str(), "float32[]");
}
