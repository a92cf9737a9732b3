//===- WeightsTest.cpp - The archive of a QNN graph's weights -------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/qnn/Weights.h"
#include "support/AtomicFile.h"
#include "support/MappedFile.h"
#include "support/Tar.h"
#include "test/unit/qnn/GraphText.h"
#include "test/unit/support/TempFolder.h"
#include <cmath>
#include <fstream>

using namespace yarrow;
using test::TempFolder;
using namespace yarrow::qnn;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

namespace {

using Files = std::vector<std::pair<std::string, std::string>>;

QnnModel modelWith(std::vector<QnnTensor> tensors) {
  QnnModel model;
  for (QnnTensor &tensor : tensors) {
    tensor.kind = TensorKind::Static;
    model.add(std::move(tensor));
  }
  return model;
}

class Weights : public ::testing::Test {
protected:
  TempFolder folder;
  std::string path = folder / "net.bin";

  /// What is reported of \p model with an archive of \p files.
  std::string read(QnnModel &model, const Files &files) {
    DiagnosticEngine diags;
    AtomicFile file(path, diags);
    for (const auto &[name, text] : files)
      appendTarMember(file, name,
                      std::as_bytes(std::span(std::string_view(text))));
    appendTarEnd(file);
    EXPECT_TRUE(file.commit());
    bool isRead = readWeights(model, path, diags);
    EXPECT_EQ(isRead, diags.all().empty());
    std::string problems;
    for (const Diagnostic &diag : diags.all())
      problems += diag.str() + "\n";
    return problems;
  }
};

} // namespace

TEST_F(Weights, AreReadByTheNamesOfTensors) {
  QnnModel model = modelWith(
      {{.name = "b", .type = DataType::INT_16, .dims = {2}},
       {.name = "a", .type = DataType::UFIXED_POINT_8, .dims = {1, 3}},
       {.name = "none", .type = DataType::FLOAT_32, .dims = {0}}});
  EXPECT_THAT(read(model, {{"a.raw", "\1\2\3"},
                           {"other.raw", "?"},
                           {"none.raw", ""},
                           {"b.raw", std::string("\1\0\xff\xff", 4)}}),
              IsEmpty());
  EXPECT_THAT(valuesOf<std::uint8_t>(*model.find("a")), ElementsAre(1, 2, 3));
  EXPECT_THAT(valuesOf<std::int16_t>(*model.find("b")), ElementsAre(1, -1));
  EXPECT_TRUE(model.find("none")->hasValue);
}

TEST_F(Weights, OfGraphsThatIfNamesAreRead) {
  QnnModel model;
  model.graphs["then"] = std::make_shared<QnnModel>(
      modelWith({{.name = "w", .type = DataType::INT_8, .dims = {1}}}));
  EXPECT_THAT(read(model, {{"w.raw", "\7"}}), IsEmpty());
  EXPECT_THAT(valuesOf<std::int8_t>(*model.graphs["then"]->find("w")),
              ElementsAre(7));
}

TEST_F(Weights, OfFourBitsAreUnpacked) {
  auto valuesWith = [&](DataType type, const std::string &text, unsigned bits) {
    QnnModel model = modelWith({{.name = "w", .type = type, .dims = {3}}});
    model.tensors[0].encoding.bitWidth = bits;
    EXPECT_THAT(read(model, {{"w.raw", text}}), IsEmpty());
    return valuesOf<std::int8_t>(model.tensors[0]);
  };
  // Two in a byte, the first in its lower half.
  EXPECT_THAT(valuesWith(DataType::SFIXED_POINT_4, "\x8f\x07", 0),
              ElementsAre(-1, -8, 7));
  EXPECT_THAT(valuesWith(DataType::UFIXED_POINT_4, "\x8f\x07", 0),
              ElementsAre(15, 8, 7));
  // One in a byte, with the sign or without.
  EXPECT_THAT(valuesWith(DataType::SFIXED_POINT_4, "\xff\x08\x07", 0),
              ElementsAre(-1, -8, 7));
  // Types of bytes, of which 4 bits are in use.
  EXPECT_THAT(valuesWith(DataType::SFIXED_POINT_8, "\x8f\x07", 4),
              ElementsAre(-1, -8, 7));
  EXPECT_THAT(valuesWith(DataType::SFIXED_POINT_8, "\xff\x78\x07", 0),
              ElementsAre(-1, 0x78, 7));
}

TEST_F(Weights, OfWrongSizesAreNamed) {
  QnnModel model = modelWith(
      {{.name = "f", .type = DataType::FLOAT_32, .dims = {2, 2}},
       {.name = "gone", .type = DataType::FLOAT_32, .dims = {1}},
       {.name = "int4", .type = DataType::SFIXED_POINT_4, .dims = {3}},
       {.name = "wide", .type = DataType::SFIXED_POINT_4, .dims = {3}}});
  std::string problems = read(model, {{"f.raw", "123456789012345"},
                                      {"int4.raw", "1"},
                                      {"wide.raw", "\1\2\x50"}});
  EXPECT_THAT(problems, AllOf(HasSubstr("tensor f: its member"),
                              HasSubstr("found: 15 bytes"),
                              HasSubstr("16 for FLOAT_32 [2,2]"),
                              HasSubstr("no member gone.raw"),
                              HasSubstr("3, or 2 with two values in each"),
                              HasSubstr("more than 4 bits")));
  QnnModel small =
      modelWith({{.name = "w", .type = DataType::INT_8, .dims = {1}}});
  EXPECT_THAT(read(small, {{"w.raw", "1"}, {"w.raw", "2"}}),
              HasSubstr("two members with the same name"));
}

TEST_F(Weights, InNoArchiveAreRefused) {
  QnnModel model =
      modelWith({{.name = "w", .type = DataType::INT_8, .dims = {1}}});
  DiagnosticEngine diags;
  std::ofstream(path) << "{\"graph\": {\"nodes\": {}}}";
  EXPECT_FALSE(readWeights(model, path, diags));
  EXPECT_THAT(diags.all().front().str(),
              HasSubstr("this is a QNN graph, not a tar archive"));
  DiagnosticEngine other;
  EXPECT_FALSE(readWeights(model, folder / "none.bin", other));
  EXPECT_EQ(other.numErrors(), 1U);
}

TEST_F(Weights, AreWrittenAsTheSameBytes) {
  QnnModel model =
      modelWith({{.name = "w", .type = DataType::INT_16, .dims = {3}},
                 {.name = "inline", .type = DataType::INT_8, .dims = {1}}});
  setValue(model.tensors[0], std::vector<std::byte>(6, std::byte(5)));
  setValue(model.tensors[1], std::vector<std::byte>(1));
  model.tensors[1].isInline = true;
  DiagnosticEngine diags;
  ASSERT_TRUE(writeWeights(model, path, diags));
  ASSERT_TRUE(writeWeights(model, folder / "again.bin", diags));
  EXPECT_EQ(test::contents(path), test::contents(folder / "again.bin"));
  EXPECT_EQ(test::contents(path).size(), 4 * 512U);
  QnnModel again =
      modelWith({{.name = "w", .type = DataType::INT_16, .dims = {3}}});
  ASSERT_TRUE(readWeights(again, path, diags));
  EXPECT_THAT(valuesOf<std::int16_t>(again.tensors[0]),
              ElementsAre(0x505, 0x505, 0x505));
}

TEST_F(Weights, OfTwoGraphsMustNotClash) {
  auto valued = [](int value) {
    QnnModel model =
        modelWith({{.name = "w", .type = DataType::INT_8, .dims = {1}}});
    setValue(model.tensors[0], {std::byte(value)});
    return model;
  };
  QnnModel model = valued(1);
  model.graphs["then"] = std::make_shared<QnnModel>(valued(1));
  DiagnosticEngine diags;
  EXPECT_TRUE(writeWeights(model, path, diags));
  model.graphs["else"] = std::make_shared<QnnModel>(valued(2));
  EXPECT_FALSE(writeWeights(model, path, diags));
  EXPECT_THAT(diags.all().front().str(),
              HasSubstr("the same name with different values"));
}

TEST_F(Weights, AreMadeUpOfNamesAlone) {
  auto made = [](std::string name, DataType type,
                 std::vector<std::int64_t> dims) {
    QnnModel model = modelWith(
        {{.name = std::move(name), .type = type, .dims = std::move(dims)}});
    DiagnosticEngine diags;
    makeUpWeights(model, diags);
    EXPECT_EQ(diags.all().size(), 1U);
    EXPECT_THAT(diags.all().front().str(), HasSubstr("W1046"));
    return model.tensors[0];
  };
  QnnTensor floats = made("w", DataType::FLOAT_32, {3, 3, 16, 8});
  double sum = 0, squares = 0;
  std::vector<float> values = valuesOf<float>(floats);
  ASSERT_EQ(values.size(), 1152U);
  for (float value : values) {
    sum += double(value);
    squares += double(value) * double(value);
  }
  // A sum of 144 products has the size of what goes in.
  EXPECT_NEAR(squares / 1152 * 144, 1, 0.1);
  EXPECT_NEAR(sum / 1152, 0, 0.01);
  EXPECT_EQ(valuesOf<float>(made("w", DataType::FLOAT_32, {3, 3, 16, 8})),
            values);
  EXPECT_NE(valuesOf<float>(made("v", DataType::FLOAT_32, {3, 3, 16, 8})),
            values);
  auto int8s =
      valuesOf<std::int8_t>(made("w", DataType::SFIXED_POINT_8, {4096}));
  EXPECT_EQ(*std::ranges::min_element(int8s), -128);
  EXPECT_EQ(*std::ranges::max_element(int8s), 127);
  auto int4s =
      valuesOf<std::int8_t>(made("w", DataType::SFIXED_POINT_4, {256}));
  EXPECT_EQ(*std::ranges::min_element(int4s), -8);
  EXPECT_EQ(*std::ranges::max_element(int4s), 7);
  // Of positions only the first is sure to be there.
  EXPECT_THAT(valuesOf<std::int32_t>(made("i", DataType::INT_32, {2})),
              ElementsAre(0, 0));
}

TEST_F(Weights, OfImpossibleSizesAreNotMadeUp) {
  QnnModel model = modelWith(
      {{.name = "w", .type = DataType::FLOAT_64, .dims = {1 << 30, 1 << 29}}});
  DiagnosticEngine diags;
  makeUpWeights(model, diags);
  EXPECT_FALSE(model.tensors[0].hasValue);
  EXPECT_THAT(diags.all().front().str(),
              HasSubstr("too large for random values"));
}
