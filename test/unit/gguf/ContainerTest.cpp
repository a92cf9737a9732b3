//===- ContainerTest.cpp - Values and tensors of a GGUF file --------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/gguf/Container.h"
#include "support/diagnostics/Import.h"
#include "test/GgufBytes.h"
#include <gmock/gmock.h>

using namespace yarrow;
using test::GgufModel;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

namespace {

struct Parsed {
  explicit Parsed(std::string text) : bytes(std::move(text)) {
    container =
        gguf::parseContainer(std::as_bytes(std::span(bytes)), "m.gguf", diags);
  }
  /// The text of the only problem, which is a damaged file.
  std::string damage() const {
    EXPECT_FALSE(container);
    if (diags.all().size() != 1)
      return std::to_string(diags.all().size()) + " problems";
    const Diagnostic &d = diags.all().front();
    EXPECT_EQ(d.id, diag::GgufMalformed);
    return d.foundText;
  }

  std::string bytes;
  DiagnosticEngine diags;
  std::optional<gguf::Container> container;
};

} // namespace

TEST(GgufContainer, ReadsValuesOfAllTypes) {
  GgufModel m;
  m.set("a",
        GgufModel::raw(std::uint32_t(1)) + GgufModel::raw(std::int8_t(-3)));
  m.set("b", GgufModel::raw(std::uint32_t(12)) + GgufModel::raw(2.5));
  m.set("c", GgufModel::string("text"));
  m.set("d", GgufModel::strings({"x", "", "yz"}));
  m.set("e",
        GgufModel::raw(std::uint32_t(9)) + GgufModel::raw(std::uint32_t(3)) +
            GgufModel::raw(std::uint64_t(2)) + GgufModel::raw(std::int16_t(7)) +
            GgufModel::raw(std::int16_t(-8)));
  Parsed p(m.bytes());
  ASSERT_TRUE(p.container) << p.diags.all().front().str();
  const gguf::Container &c = *p.container;
  EXPECT_EQ(c.find("a")->integerAt(0), -3);
  EXPECT_TRUE(c.find("a")->isInteger());
  EXPECT_EQ(c.find("b")->numberAt(0), 2.5);
  EXPECT_EQ(c.find("c")->texts.front(), "text");
  EXPECT_THAT(c.find("d")->texts, ElementsAre("x", "", "yz"));
  EXPECT_EQ(c.find("e")->integerAt(1), -8);
  EXPECT_EQ(c.find("e")->describe(), "an array of 2 int16");
  EXPECT_EQ(c.find("f"), nullptr);
}

TEST(GgufContainer, SkipsListsOfLists) {
  auto list = [](std::uint32_t type, std::uint64_t count) {
    return GgufModel::raw(type) + GgufModel::raw(count);
  };
  GgufModel m;
  m.set("a", GgufModel::raw(std::uint32_t(9)) + list(9, 2) + list(0, 3) +
                 "abc" + list(8, 1) + GgufModel::text("de"));
  m.set("b", GgufModel::u32(5));
  Parsed p(m.bytes());
  ASSERT_TRUE(p.container);
  EXPECT_EQ(p.container->find("b")->integerAt(0), 5);
  std::string deep = GgufModel::raw(std::uint32_t(9));
  for (int i = 0; i < 1000; ++i)
    deep += list(9, 1);
  m.set("a", deep);
  EXPECT_THAT(Parsed(m.bytes()).damage(), HasSubstr("more than 8 deep"));
}

TEST(GgufContainer, FindsTensorsAtTheirAlignment) {
  GgufModel m;
  m.alignment = 64;
  m.set("general.alignment", GgufModel::u32(64));
  m.addFloats("x", {3});
  m.addFloats("y", {2, 4});
  Parsed p(m.bytes());
  ASSERT_TRUE(p.container);
  const gguf::TensorEntry &y = p.container->tensors[1];
  EXPECT_EQ(y.name, "y");
  EXPECT_THAT(y.shape, ElementsAre(2, 4));
  EXPECT_EQ(y.bytes.size(), m.tensors["y"].data.size());
  EXPECT_EQ(std::memcmp(y.bytes.data(), m.tensors["y"].data.data(), 32), 0);
}

TEST(GgufContainer, ReportsAFileThatEndsAnywhereInItsHeader) {
  GgufModel m = GgufModel::llama();
  std::string all = m.bytes();
  std::size_t data = 0;
  for (const auto &[name, tensor] : m.tensors)
    data += (tensor.data.size() + 31) / 32 * 32;
  for (std::size_t size = 0; size + data < all.size(); ++size)
    EXPECT_NE(Parsed(all.substr(0, size)).damage(), "") << size;
}

TEST(GgufContainer, ReportsWhatIsWrongAndWhere) {
  GgufModel twice;
  std::string body = GgufModel::text("a") + GgufModel::u32(1);
  std::string header = "GGUF" + GgufModel::raw(std::uint32_t(3)) +
                       GgufModel::raw(std::uint64_t(0)) +
                       GgufModel::raw(std::uint64_t(2));
  EXPECT_EQ(Parsed(header + body + body).damage(),
            "the key a for the second time, at byte 41");
  GgufModel m;
  m.set("a", GgufModel::raw(std::uint32_t(13)));
  EXPECT_THAT(Parsed(m.bytes()).damage(), HasSubstr("of the type 13"));
  m.values.clear();
  m.set("general.alignment", GgufModel::u32(24));
  m.addFloats("x", {4});
  EXPECT_THAT(Parsed(m.bytes()).damage(), HasSubstr("not a power of 2"));
  m.values.clear();
  m.tensors["x"].shape = {1, 1, 1, 1, 4};
  EXPECT_THAT(Parsed(m.bytes()).damage(), HasSubstr("a tensor of 5 axes"));
  m.tensors["x"].shape = {std::uint64_t(1) << 40, 1 << 20};
  EXPECT_THAT(Parsed(m.bytes()).damage(), HasSubstr("impossible shape"));
  m.tensors["x"].shape = {0};
  EXPECT_THAT(Parsed(m.bytes()).damage(), HasSubstr("impossible shape"));
  EXPECT_THAT(Parsed("GGUX").damage(), HasSubstr("does not begin with GGUF"));
}

TEST(GgufContainer, RefusesOtherVersions) {
  for (auto [version, found] :
       {std::pair<std::uint32_t, const char *>{1, "version 1"},
        {4, "version 4"},
        {0, "version 0"},
        {3u << 24, "version 3, the most significant byte first"}}) {
    GgufModel m = GgufModel::llama();
    m.version = version;
    Parsed p(m.bytes());
    EXPECT_FALSE(p.container);
    ASSERT_EQ(p.diags.all().size(), 1u);
    EXPECT_EQ(p.diags.all().front().id, diag::GgufVersion);
    EXPECT_EQ(p.diags.all().front().foundText, found);
  }
  GgufModel m = GgufModel::llama();
  m.version = 2;
  EXPECT_TRUE(Parsed(m.bytes()).container);
}
