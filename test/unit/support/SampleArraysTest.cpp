//===- SampleArraysTest.cpp - What is taken as samples, and what is not ---===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "support/SampleArrays.h"
#include "support/AtomicFile.h"
#include "support/diagnostics/Files.h"
#include "support/diagnostics/Quantizer.h"
#include "test/unit/support/TempFolder.h"

#include <cmath>
#include <cstring>
#include <gmock/gmock.h>
#include <limits>
#include <sstream>

using namespace yarrow;
using ::testing::HasSubstr;

namespace {
using Shape = std::vector<int64_t>;

std::size_t countOf(const Shape &shape) {
  std::size_t count = 1;
  for (int64_t size : shape)
    count *= std::size_t(size);
  return count;
}

SampleInput floatInput(Shape shape) {
  SampleInput input;
  input.name = "x";
  input.numElements = countOf(shape);
  input.shape = std::move(shape);
  input.text = "x";
  return input;
}

/// uint8, real = (q + 10) / 2.
SampleInput byteInput(Shape shape) {
  SampleInput input = floatInput(std::move(shape));
  input.type = NpyType::UInt8;
  input.scale = 2;
  input.zeroPoint = 10;
  input.max = 255;
  return input;
}

template <typename T>
NpyView array(NpyType type, Shape shape, std::vector<T> values) {
  auto owner = std::make_shared<std::vector<T>>(std::move(values));
  return {type, std::move(shape), owner->size(), owner->data(), owner, "x.npy"};
}

NpyView floats(Shape shape, float value = 1) {
  std::size_t count = countOf(shape);
  return array(NpyType::Float32, std::move(shape),
               std::vector<float>(count, value));
}

std::size_t runs(Shape shape, Shape input) {
  return fitSamples(shape, floatInput(std::move(input))).runs;
}

class SampleArraysTest : public ::testing::Test {
protected:
  std::optional<SampleArrays> create(std::vector<NpyView> arrays,
                                     std::vector<SampleInput> inputs,
                                     SampleOptions options = {}) {
    return SampleArrays::create(std::move(arrays), std::move(inputs), options,
                                diags);
  }
  std::string problems() const {
    std::ostringstream os;
    diags.print(os);
    return os.str();
  }
  DiagnosticEngine diags;
};
} // namespace

TEST(SampleFit, TakesSamplesOfTheInput) {
  EXPECT_EQ(runs({1, 32, 32, 3}, {1, 32, 32, 3}), 1u);
  EXPECT_EQ(runs({7, 32, 32, 3}, {1, 32, 32, 3}), 7u);
  EXPECT_EQ(runs({8, 5, 5, 3}, {4, 5, 5, 3}), 2u); // two batches
  EXPECT_EQ(runs({4, 5, 5, 3}, {4, 5, 5, 3}), 1u);
  EXPECT_EQ(runs({360, 10}, {1, 10}), 360u);
}

TEST(SampleFit, TakesFlatRows) {
  SampleFit fit = fitSamples(Shape{7, 75}, floatInput({1, 5, 5, 3}));
  EXPECT_EQ(fit.runs, 7u);
  EXPECT_TRUE(fit.isFlat);
  EXPECT_EQ(runs({8, 75}, {4, 5, 5, 3}), 2u);  // a row for each sample
  EXPECT_EQ(runs({8, 300}, {4, 5, 5, 3}), 0u); // not for each batch
  EXPECT_EQ(runs({7, 75}, {4, 5, 5, 3}), 0u);
}

TEST(SampleFit, InputsOfFewAxes) {
  EXPECT_EQ(runs({16000}, {16000}), 1u);
  EXPECT_EQ(runs({32000}, {16000}), 2u); // outputs of runs come like this
  SampleFit rows = fitSamples(Shape{2, 16000}, floatInput({16000}));
  EXPECT_EQ(rows.runs, 2u);
  EXPECT_FALSE(rows.isFlat) << "a row is the input's shape itself";
  EXPECT_EQ(runs({16001}, {16000}), 0u);
  EXPECT_EQ(runs({5}, {1}), 5u);
  // A scalar.
  EXPECT_EQ(runs({}, {}), 1u);
  EXPECT_EQ(runs({5}, {}), 5u);
  // Only the number of elements is known.
  SampleInput unknown = floatInput({});
  unknown.numElements = 75;
  EXPECT_EQ(fitSamples(Shape{7, 5, 5, 3}, unknown).runs, 7u);
  EXPECT_EQ(fitSamples(Shape{5, 5, 3}, unknown).runs, 1u);
  EXPECT_EQ(fitSamples(Shape{4, 5, 4}, unknown).runs, 0u);
}

TEST(SampleFit, RefusesWhatOnlyDivides) {
  EXPECT_EQ(runs({2, 64, 64, 3}, {1, 32, 32, 3}), 0u);
  EXPECT_EQ(runs({1000, 32, 32, 3}, {1, 8, 8, 1}), 0u);
  EXPECT_EQ(runs({10, 10}, {1, 5}), 0u);
  EXPECT_EQ(runs({7, 1, 32, 32, 3}, {1, 32, 32, 3}), 0u);
  EXPECT_EQ(runs({3072}, {1, 32, 32, 3}), 0u);
  EXPECT_EQ(runs({0, 32, 32, 3}, {1, 32, 32, 3}), 0u);
  EXPECT_EQ(runs({0, 3072}, {1, 32, 32, 3}), 0u);
  EXPECT_EQ(runs({6, 5, 5, 3}, {4, 5, 5, 3}), 0u);
  EXPECT_EQ(runs({2, 3}, {}), 0u);
  EXPECT_EQ(runs({0}, {1, 0}), 0u);
}

TEST(SampleFit, EmptyTensorsDivideNothing) {
  EXPECT_EQ(runs({1, 0}, {1, 0}), 1u);
  EXPECT_EQ(runs({3, 0}, {1, 0}), 3u);
  EXPECT_EQ(runs({3, 1}, {0, 1}), 0u);
  EXPECT_EQ(runs({3, 0, 9223372036854775807}, {}), 0u);
}

TEST(SampleFit, AShapeThatIsNotTheNumberOfElements) {
  SampleInput liar = floatInput({1, 2});
  liar.numElements = 1000;
  EXPECT_EQ(fitSamples(Shape{1, 2}, liar).runs, 0u);
  EXPECT_EQ(fitSamples(Shape{4, 1000}, liar).runs, 4u);
}

TEST(SampleFit, NamesWhatWouldFit) {
  auto hint = [](Shape shape, Shape input) {
    return fitSamples(shape, floatInput(std::move(input))).hint;
  };
  EXPECT_THAT(hint({9, 3, 32, 32}, {1, 32, 32, 3}),
              HasSubstr("NCHW data for an NHWC input? numpy.ascontiguousarray("
                        "array.transpose(0, 2, 3, 1)) has the shape "
                        "[N,32,32,3]"));
  EXPECT_THAT(hint({9, 32, 32, 3}, {1, 3, 32, 32}),
              HasSubstr("array.transpose(0, 3, 1, 2)"));
  EXPECT_THAT(hint({5, 6, 7, 9}, {1, 7, 5, 6}),
              HasSubstr("array.transpose(3, 2, 0, 1)"));
  EXPECT_THAT(hint({10, 360}, {1, 10}), HasSubstr("array.transpose(1, 0)"));
  EXPECT_THAT(hint({32, 32, 3}, {1, 32, 32, 3}),
              HasSubstr("array.reshape([-1,32,32,3])"));
  EXPECT_THAT(hint({9, 8, 8}, {1, 8, 8, 1}),
              HasSubstr("array.reshape([-1,8,8,1])"));
  EXPECT_THAT(hint({6, 5, 5, 3}, {4, 5, 5, 3}), HasSubstr("4 samples"));
  EXPECT_THAT(hint({2, 64, 64, 3}, {1, 32, 32, 3}),
              HasSubstr("another network"));
}

TEST_F(SampleArraysTest, GivesBytesOfRuns) {
  auto data = create({floats({3, 2}, 0.5f)}, {floatInput({1, 2})});
  ASSERT_TRUE(data) << problems();
  EXPECT_EQ(data->count(), 3u);
  std::vector<char> bytes = data->inputsOf(2)[0];
  float values[2];
  ASSERT_EQ(bytes.size(), sizeof values);
  std::memcpy(values, bytes.data(), sizeof values);
  EXPECT_EQ(values[1], 0.5f);
  EXPECT_TRUE(diags.all().empty());
}

TEST_F(SampleArraysTest, FloatsAreQuantizedIntegersAsTheCallerSays) {
  SampleInput input = byteInput({1, 2});
  auto byteOf = [&](NpyView view, bool integersAreReal) {
    auto data = create({std::move(view)}, {input},
                       {diag::TensorMismatch, integersAreReal});
    return data ? int(uint8_t(data->inputsOf(0)[0][1])) : -1;
  };
  // RNE(2 * 20 - 10)
  EXPECT_EQ(byteOf(floats({1, 2}, 20), false), 30);
  EXPECT_EQ(byteOf(floats({1, 2}, 1e9f), false), 255);
  NpyView bytes = array<uint8_t>(NpyType::UInt8, {1, 2}, {20, 20});
  EXPECT_EQ(byteOf(bytes, false), 20);
  EXPECT_EQ(byteOf(bytes, true), 30);
  NpyView wide = array<int64_t>(NpyType::Int64, {1, 2}, {20, 20});
  EXPECT_EQ(byteOf(wide, false), 20);
  EXPECT_EQ(byteOf(wide, true), 30);
}

TEST_F(SampleArraysTest, IntegersThatDoNotFitAreRefused) {
  SampleInput input = byteInput({1, 2});
  EXPECT_FALSE(create(
      {array<int32_t>(NpyType::Int32, {2, 2}, {1, 255, 3, 256})}, {input}));
  EXPECT_THAT(problems(), HasSubstr("256 at index [1,1] of int32[2,2]"));
  // Not rounded on the way, as a float would be.
  SampleInput index = floatInput({1});
  index.type = NpyType::Int32;
  std::tie(index.min, index.max) = npyTypeRange(NpyType::Int32);
  auto data =
      create({array<int64_t>(NpyType::Int64, {1}, {16777217})}, {index});
  ASSERT_TRUE(data) << problems();
  int32_t stored;
  std::memcpy(&stored, data->inputsOf(0)[0].data(), 4);
  EXPECT_EQ(stored, 16777217);
  EXPECT_FALSE(
      create({array<uint64_t>(NpyType::UInt64, {1}, {1ull << 63})}, {index}));
}

TEST_F(SampleArraysTest, NumbersThatAreNotFiniteAreRefused) {
  float inf = std::numeric_limits<float>::infinity();
  NpyView bad =
      array<float>(NpyType::Float32, {3, 2}, {0, 1, 2, std::nanf(""), -inf, 5});
  for (const SampleInput &input : {floatInput({1, 2}), byteInput({1, 2})}) {
    DiagnosticEngine own;
    EXPECT_FALSE(SampleArrays::create({bad}, {input}, {}, own));
    ASSERT_EQ(own.all().size(), 1u);
    const Diagnostic &d = own.all()[0];
    EXPECT_EQ(d.id, diag::DataNotFinite);
    EXPECT_EQ(d.place.file, "x.npy");
    EXPECT_THAT(d.message, HasSubstr("sample 1 of input x"));
    EXPECT_THAT(d.foundText,
                HasSubstr("NaN at index [1,1] of float32[3,2], 2 in total"));
  }
  // Of doubles and of narrow floats, what the network would see.
  EXPECT_FALSE(create({array<double>(NpyType::Float64, {1, 1}, {1e300})},
                      {floatInput({1, 1})}));
  SampleInput half = floatInput({1, 1});
  half.type = NpyType::Float16;
  EXPECT_FALSE(create({floats({1, 1}, 70000.0f)}, {half}));
  EXPECT_THAT(problems(), HasSubstr("beyond the range of its type"));
  EXPECT_FALSE(
      create({array<int32_t>(NpyType::Int32, {1, 1}, {70000})}, {half}));
  EXPECT_TRUE(create({floats({1, 1}, 60000.0f)}, {half}));
}

TEST_F(SampleArraysTest, InputsHaveTheSameNumberOfSamples) {
  std::vector<SampleInput> two = {floatInput({1, 2}), floatInput({1, 3})};
  EXPECT_TRUE(create({floats({4, 2}), floats({4, 3})}, two));
  EXPECT_FALSE(create({floats({4, 2}), floats({5, 3})}, two));
  EXPECT_THAT(problems(), HasSubstr("different numbers of samples"));
  EXPECT_FALSE(create({floats({4, 2})}, two, {diag::QuantCalibration, true}));
  EXPECT_EQ(diags.all().back().id, diag::QuantCalibration);
  EXPECT_THAT(problems(), HasSubstr("one per input"));
  auto none = create({}, {});
  ASSERT_TRUE(none);
  EXPECT_EQ(none->count(), 1u);
}

TEST_F(SampleArraysTest, FlatRowsAreNotedOnceForAFile) {
  for (int i = 0; i < 2; ++i)
    EXPECT_TRUE(create({floats({2, 12})}, {floatInput({1, 2, 2, 3})}));
  ASSERT_EQ(diags.all().size(), 1u);
  EXPECT_EQ(diags.all()[0].id, diag::DataFlat);
}

TEST_F(SampleArraysTest, ReleasedSamplesCanStillBeRead) {
  test::TempFolder folder;
  std::vector<float> values(3 << 20);
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = float(i);
  std::string path = folder / "big.npy";
  ASSERT_TRUE(writeNpy(path, NpyType::Float32, {3 << 10, 1 << 10},
                       values.data(), diags));
  auto view = readNpy(path, diags);
  ASSERT_TRUE(view);
  EXPECT_TRUE(view->isMapped);
  auto data = create({*view}, {floatInput({1, 1 << 10})});
  ASSERT_TRUE(data) << problems();
  for (std::size_t run = 0; run < data->count(); ++run) {
    float first;
    std::memcpy(&first, data->inputsOf(run)[0].data(), sizeof first);
    ASSERT_EQ(first, float(run << 10));
    data->releaseBefore(run + 1);
  }
  float first;
  std::memcpy(&first, data->inputsOf(5)[0].data(), sizeof first);
  EXPECT_EQ(first, float(5 << 10));
}
