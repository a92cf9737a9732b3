//===- DataSetTest.cpp - Samples by the names of data sets ----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/data/DataSet.h"
#include "support/diagnostics/Files.h"
#include "support/diagnostics/Quantizer.h"
#include "support/diagnostics/Settings.h"
#include "test/TemporaryFile.h"
#include "test/unit/data/ZipWriter.h"
#include "gtest/gtest.h"

#include <filesystem>

using namespace yarrow;

namespace {

using Shape = std::vector<int64_t>;

/// Two pictures of 2 x 3 pixels, whose values tell sample, line, column and
/// channel: 1000 n + 100 y + 10 x + c.
constexpr int kSamples = 2, kHeight = 2, kWidth = 3, kChannels = 3;

float valueAt(int n, int y, int x, int c) {
  return float(1000 * n + 100 * y + 10 * x + c);
}

std::vector<float> picturesNhwc() {
  std::vector<float> values;
  for (int n = 0; n < kSamples; ++n)
    for (int y = 0; y < kHeight; ++y)
      for (int x = 0; x < kWidth; ++x)
        for (int c = 0; c < kChannels; ++c)
          values.push_back(valueAt(n, y, x, c));
  return values;
}

std::vector<float> picturesNchw(bool isReversed) {
  std::vector<float> values;
  for (int n = 0; n < kSamples; ++n)
    for (int c = 0; c < kChannels; ++c)
      for (int y = 0; y < kHeight; ++y)
        for (int x = 0; x < kWidth; ++x)
          values.push_back(
              valueAt(n, y, x, isReversed ? kChannels - 1 - c : c));
  return values;
}

const Shape kNhwc = {2, 2, 3, 3}, kNchw = {2, 3, 2, 3};

class DataSetTest : public ::testing::Test {
protected:
  void SetUp() override { std::filesystem::create_directories(folder.path()); }
  void TearDown() override { std::filesystem::remove_all(folder.path()); }

  std::string write(const std::string &name, const std::string &bytes) {
    std::string path = folder.path() + "/" + name;
    std::ofstream(path, std::ios::binary) << bytes;
    return path;
  }
  std::string zipped(const std::string &name,
                     std::vector<std::pair<std::string, std::string>> arrays) {
    ZipWriter zip;
    for (auto &[key, bytes] : arrays)
      zip.add(key + ".npy", bytes, true);
    return write(name, zip.finish());
  }
  std::optional<DataSet> read(DataSetTask task) {
    diags = std::make_unique<DiagnosticEngine>();
    return readDataSet(task, *diags);
  }
  /// Of one array of pictures.
  void expect(const std::string &name, const Shape &shape,
              const std::vector<float> &from, const Shape &wantedShape,
              const std::vector<float> &wanted) {
    std::string path = write("x.npy", npyOf(shape, from));
    auto set = read({name, {path}});
    ASSERT_TRUE(set) << name;
    ASSERT_EQ(set->data.size(), 1u);
    EXPECT_EQ(set->data[0].shape, wantedShape) << name;
    EXPECT_EQ(set->data[0].toFloats(), wanted) << name;
  }

  yarrow::testing::TemporaryFile folder;
  std::unique_ptr<DiagnosticEngine> diags;
};

TEST_F(DataSetTest, LayoutsByName) {
  std::vector<float> reversed;
  for (std::size_t i = 0; i < picturesNhwc().size(); ++i)
    reversed.push_back(picturesNhwc()[i - i % 3 + 2 - i % 3]);
  expect("numpydataset", kNhwc, picturesNhwc(), kNhwc, picturesNhwc());
  expect("NUMPYNHWC2NCHWDATASET", kNhwc, picturesNhwc(), kNchw,
         picturesNchw(false));
  expect("NumpyNCHW2NHWCDataset", kNchw, picturesNchw(false), kNhwc,
         picturesNhwc());
  expect("numpynhwcrgb2ncbgrhwdataset", kNhwc, picturesNhwc(), kNchw,
         picturesNchw(true));
  expect("numpynhwcrgb2bgr", kNhwc, picturesNhwc(), kNhwc, reversed);
  expect("numpymimonchwdataset", kNhwc, picturesNhwc(), kNchw,
         picturesNchw(false));
}

TEST_F(DataSetTest, LayoutsAreOfPictures) {
  std::string path = write("x.npy", npyOf({2, 3}, {1, 2, 3, 4, 5, 6}));
  EXPECT_FALSE(read({"numpynhwc2nchwdataset", {path}}));
  ASSERT_EQ(diags->numErrors(), 1u);
  EXPECT_EQ(diags->all()[0].id, diag::TensorMismatch);
}

TEST_F(DataSetTest, SeveralInputs) {
  std::string both = zipped("x.npz", {{"z", npyOf({2, 1}, {1, 2})},
                                      {"a", npyOf({2, 2}, {3, 4, 5, 6})}});
  for (const char *name :
       {"", "numpymultiinputdataset", "tensorfromnumpymultiinputdataset",
        "numpymultiinputdatasetllm"}) {
    auto set = read({name, {both}, {both}});
    ASSERT_TRUE(set) << name;
    ASSERT_EQ(set->data.size(), 2u);
    EXPECT_EQ(set->data[0].toFloats(), (std::vector<float>{1, 2}));
    EXPECT_EQ(set->data[1].shape, (Shape{2, 2}));
    EXPECT_EQ(set->labels.size(), 2u);
  }
}

TEST_F(DataSetTest, ZippedLeavesShapesOut) {
  std::string path = zipped(
      "x.npz", {{"0", npyOf({2, 1}, {1, 2})}, {"shape_0", npyOf({2}, {1, 1})}});
  for (const char *name : {"numpyzippeddataset", "optestnumpyzippeddataset"})
    EXPECT_EQ(read({name, {path}})->data.size(), 1u);
  EXPECT_EQ(read({"", {path}})->data.size(), 2u);
}

TEST_F(DataSetTest, ASampleInEachFile) {
  std::string first = zipped("a.npz", {{"x", npyOf({1, 2}, {1, 2})},
                                       {"y", npyOf({1, 1}, {7})}}),
              second = zipped("b.npz", {{"x", npyOf({1, 2}, {3, 4})},
                                        {"y", npyOf({1, 1}, {8})}}),
              longer = zipped("c.npz", {{"x", npyOf({1, 3}, {3, 4, 5})},
                                        {"y", npyOf({1, 1}, {8})}});
  auto set = read({"numpymultiinputdatasetllm", {first, second}});
  ASSERT_TRUE(set);
  EXPECT_EQ(set->data[0].shape, (Shape{2, 2}));
  EXPECT_EQ(set->data[0].toFloats(), (std::vector<float>{1, 2, 3, 4}));
  EXPECT_EQ(set->data[1].toFloats(), (std::vector<float>{7, 8}));
  EXPECT_FALSE(read({"numpymultiinputdatasetllm", {first, longer}}));
  EXPECT_EQ(diags->all()[0].id, diag::TensorMismatch);
}

TEST_F(DataSetTest, WholeAndSqueezed) {
  std::string path = write("x.npy", npyOf({2, 1, 2}, {1, 2, 3, 4}));
  auto whole = read({"numpymultiinputwithoutbatchdimdataset", {path}, {path}});
  EXPECT_EQ(whole->data[0].shape, (Shape{2, 1, 2}));
  EXPECT_EQ(whole->labels[0].shape, (Shape{1, 2, 1, 2}));
  EXPECT_EQ(read({"generaldictdataset", {path}})->data[0].shape, (Shape{2, 2}));
}

TEST_F(DataSetTest, TokensAndThoseThatFollow) {
  std::string texts = write("t.npy", npyOf({2, 3}, {5, 6, 7, 8, 9, 10})),
              one = write("o.npy", npyOf({1}, {5}));
  EXPECT_FALSE(read({"tokendataset", {texts}})) << "tokens are integers";
  EXPECT_EQ(diags->all()[0].id, diag::TensorMismatch);
  std::string integers =
      write("i.npy", npyOf<int32_t>({2, 3}, {5, 6, 7, 8, 9, 10}));
  auto set = read({"tokendataset", {integers}});
  ASSERT_TRUE(set);
  EXPECT_EQ(set->data[0].shape, (Shape{4, 1}));
  EXPECT_EQ(set->data[0].toIntegers(), (std::vector<int64_t>{5, 6, 8, 9}));
  EXPECT_EQ(set->labels[0].toIntegers(), (std::vector<int64_t>{6, 7, 9, 10}));
  EXPECT_EQ(set->data[0].sequenceRuns, 2u);
  EXPECT_FALSE(read({"tokendataset", {integers}, {integers}}));
  EXPECT_FALSE(read({"tokendataset", {integers, integers}}));
}

/// [steps, samples, values] for an input [steps, 1, values].
TEST_F(DataSetTest, SamplesAlongAnotherAxis) {
  std::vector<float> values;
  for (int t = 0; t < 3; ++t)
    for (int n = 0; n < 2; ++n)
      for (int v = 0; v < 2; ++v)
        values.push_back(float(100 * n + 10 * t + v));
  std::string path = write("x.npy", npyOf({3, 2, 2}, values));
  auto set = read({"numpywithdimdataset", {path}, {path}, 1, 1});
  ASSERT_TRUE(set);
  std::vector<float> wanted = {0,   1,   10,  11,  20,  21,
                               100, 101, 110, 111, 120, 121};
  EXPECT_EQ(set->data[0].shape, (Shape{6, 1, 2}));
  EXPECT_EQ(set->data[0].toFloats(), wanted);
  EXPECT_EQ(set->labels[0].shape, (Shape{2, 3, 2}));
  EXPECT_EQ(set->labels[0].toFloats(), wanted);
  EXPECT_FALSE(read({"numpywithdimdataset", {path}, {}, 3, 0}));
  EXPECT_EQ(diags->all()[0].id, diag::ConfigBadValue);
}

TEST_F(DataSetTest, RandomNumbersAreTheSame) {
  DataSetTask task{
      "RandomDataset(num_sample=500, seed=3)", {}, {}, 0, 0, {{1, 4}, {2, 3}}};
  auto set = read(task);
  ASSERT_TRUE(set);
  EXPECT_EQ(set->data[0].shape, (Shape{500, 4}));
  EXPECT_EQ(set->data[1].shape, (Shape{1000, 3}));
  EXPECT_EQ(set->data[0].toFloats(), read(task)->data[0].toFloats());
  double sum = 0, squares = 0;
  for (float v : set->data[1].toFloats()) {
    sum += v;
    squares += double(v) * v;
  }
  EXPECT_NEAR(sum / 3000, 0, 0.06);
  EXPECT_NEAR(squares / 3000, 1, 0.08);
  task.name = "randomdataset(5,6)";
  EXPECT_EQ(read(task)->data[0].shape, (Shape{1, 5, 6}));
  EXPECT_FALSE(
      checkDataSet("RandomDataset(x)", {}, diag::ConfigBadValue, *diags));
  EXPECT_FALSE(checkDataSet("RandomDataset(1000000,1000000,1000000,1000000)",
                            {}, diag::ConfigBadValue, *diags));
}

TEST_F(DataSetTest, PublicCollectionsAreConvertedFirst) {
  std::size_t count = 0;
  for (const DataSetRecord &record : dataSetRecords()) {
    DiagnosticEngine own;
    EXPECT_EQ(checkDataSet(record.name, {}, diag::ConfigBadValue, own),
              !record.isDomain);
    if (!record.isDomain)
      continue;
    ++count;
    EXPECT_EQ(own.all()[0].id, diag::QuantUnsupported);
  }
  EXPECT_EQ(count, 20u);
}

/// A pickle would run what its writer wants.
TEST_F(DataSetTest, PicklesAreRefused) {
  std::string header = "{'descr': '|O', 'fortran_order': False, 'shape': (), }",
              frame = std::string("\x93NUMPY\x01\x00", 8);
  header.resize(117, ' ');
  header += '\n';
  std::string path = write("x.npy", frame + char(118) + '\0' + header + "....");
  EXPECT_FALSE(read({"numpymultiinputdataset", {path}}));
  ASSERT_EQ(diags->numErrors(), 1u);
  EXPECT_EQ(diags->all()[0].id, diag::NpyUnsupported);
  EXPECT_NE(diags->all()[0].message.find("pickled"), std::string::npos);
}

} // namespace
