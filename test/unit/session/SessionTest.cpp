//===- SessionTest.cpp - A model from its bytes to its outputs ------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/pipeline/Compile.h"
#include "isa/Machine.h"
#include "test/unit/session/Digits.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include <unistd.h>

using namespace yarrow;
namespace fs = std::filesystem;

namespace {

/// Where nothing can be written, whoever the process is: the current folder and
/// that for temporary files.
class NowhereToWrite {
public:
  NowhereToWrite() : before(fs::current_path()) {
    const char *folder = std::getenv("TMPDIR");
    temporary = folder ? folder : "";
    setenv("TMPDIR", "/proc", 1);
    fs::current_path("/proc");
  }
  ~NowhereToWrite() {
    fs::current_path(before);
    if (temporary.empty())
      unsetenv("TMPDIR");
    else
      setenv("TMPDIR", temporary.c_str(), 1);
  }

private:
  fs::path before;
  std::string temporary;
};

/// Of class 0 to 9 with the highest score.
int classOf(const session::Output &scores) {
  auto *values = reinterpret_cast<const float *>(scores.bytes.data());
  return int(std::max_element(values, values + 10) - values);
}

TEST(Session, FromBytesToOutputs) {
  std::string text = digits::content("digits.txt"),
              weights = digits::content("digits.bin");
  session::Data samples = digits::samples(),
                image = digits::data("heldout.npy", 1);
  NowhereToWrite nowhere;
  DiagnosticEngine diags;
  session::Call call{diags};
  session::ModelSource source{"digits.txt"};
  source.bytes = digits::bytes(text);
  source.weightBytes = digits::bytes(weights);
  auto network = session::load(source, call);
  ASSERT_TRUE(network) << diags.all().front().str();
  EXPECT_EQ(network->name(), "digits");
  EXPECT_FALSE(network->isQuantized());
  auto quantized = session::quantize(network, samples, {}, call);
  ASSERT_TRUE(quantized) << diags.all().front().str();
  EXPECT_TRUE(quantized->network->isQuantized());
  EXPECT_EQ(quantized->model.calibrationSamples, 8u);
  EXPECT_FALSE(quantized->model.layers.empty());
  auto executable = session::compile(*quantized->network, {}, call);
  ASSERT_TRUE(executable) << diags.all().front().str();
  EXPECT_EQ(executable->program()->provenance().target, "X2_1204");
  EXPECT_GT(executable->summary()->count.commands, 0u);
  auto outputs = session::run(*executable, image, {.isReal = true}, call);
  ASSERT_TRUE(outputs) << diags.all().front().str();
  ASSERT_EQ(outputs->size(), 1u);
  EXPECT_EQ(outputs->front().shape, (std::vector<int64_t>{1, 10}));
  EXPECT_EQ(classOf(outputs->front()), 3);
  EXPECT_FALSE(diags.hasErrors());
}

TEST(Session, BytesOfTheFile) {
  DiagnosticEngine diags;
  auto network = digits::network({diags});
  auto quantized = session::quantize(network, digits::samples(), {}, {diags});
  ASSERT_TRUE(quantized);
  for (const char *target : {"X2_1204", "Z1_0701"}) {
    auto executable =
        session::compile(*quantized->network, {.target = target}, {diags});
    ASSERT_TRUE(executable);
    auto machine = isa::findTarget(target, diags);
    std::string path =
        (fs::path(::testing::TempDir()) / "session_bytes.bin").string();
    ASSERT_TRUE(compileNetwork(quantized->network->module(), *machine, {}, path,
                               diags));
    std::ifstream file(path, std::ios::binary);
    std::ostringstream written;
    written << file.rdbuf();
    EXPECT_TRUE(executable->bytes() == written.str()) << target;
    fs::remove(path);
  }
}

TEST(Session, NetworkStaysAsItIs) {
  DiagnosticEngine diags;
  auto network = digits::network({diags});
  auto first = session::quantize(network, digits::samples(), {}, {diags});
  auto wide = session::quantize(network, digits::samples(),
                                {.keys = {{"weight_bits", "16"}}}, {diags});
  auto again = session::quantize(network, digits::samples(), {}, {diags});
  ASSERT_TRUE(first && wide && again);
  EXPECT_FALSE(network->isQuantized());
  network.reset(); // what was made of it keeps the weights
  auto bytes = [&](const session::Quantized &q) {
    return std::string(session::compile(*q.network, {}, {diags})->bytes());
  };
  std::string expected = bytes(*first);
  EXPECT_EQ(expected, bytes(*again));
  EXPECT_NE(expected, bytes(*wide));
}

TEST(Session, Measure) {
  DiagnosticEngine diags;
  auto quantized = session::quantize(digits::network({diags}),
                                     digits::samples(), {}, {diags});
  ASSERT_TRUE(quantized);
  auto executable = session::compile(*quantized->network, {}, {diags});
  auto zeros = session::measure(*executable, {}, {}, {diags});
  auto image = session::measure(*executable, digits::data("heldout.npy", 1),
                                {.isReal = true}, {diags});
  ASSERT_TRUE(zeros && image);
  EXPECT_GT(zeros->report.cycles, 0u);
  EXPECT_EQ(zeros->outputs.front().type, NpyType::Int8);
  EXPECT_EQ(classOf(image->outputs.front()), 3);
  auto same =
      session::measure(*executable, {}, {.machine = "X2_1204"}, {diags});
  ASSERT_TRUE(same);
  EXPECT_EQ(same->report.cycles, zeros->report.cycles);
  EXPECT_FALSE(
      session::measure(*executable, {}, {.machine = "Z1_0701"}, {diags}));
  EXPECT_FALSE(
      session::measure(*executable, {}, {.machine = "X9_9999"}, {diags}));
}

TEST(Session, AnIrHasOneShape) {
  DiagnosticEngine diags;
  session::ModelSource source{digits::path("digits.txt")};
  source.shapeRanges = {"input_0=1..2,8,8,1"};
  EXPECT_FALSE(session::load(source, {diags}));
  EXPECT_EQ(diags.numErrors(), 1u);
}

TEST(Session, Opened) {
  DiagnosticEngine diags;
  auto quantized = session::quantize(digits::network({diags}),
                                     digits::samples(), {}, {diags});
  auto executable = session::compile(*quantized->network, {}, {diags});
  std::string copy(executable->bytes());
  executable = session::Executable::make(copy, "a copy", diags);
  copy.clear();
  ASSERT_TRUE(executable);
  EXPECT_TRUE(
      session::run(*executable, digits::data("heldout.npy", 2), {}, {diags}));
  EXPECT_FALSE(session::Executable::make("no executable", "text", diags));
}

} // namespace
