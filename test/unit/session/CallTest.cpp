//===- CallTest.cpp - Problems, progress and the end of calls -------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "support/diagnostics/Files.h"
#include "support/diagnostics/Quantizer.h"
#include "test/unit/session/Digits.h"

#include <gtest/gtest.h>

#include <chrono>
#include <mutex>
#include <new>
#include <set>
#include <thread>

using namespace yarrow;

namespace {

/// The codes of errors.
std::vector<DiagId> errorsOf(const DiagnosticEngine &diags) {
  std::vector<DiagId> ids;
  for (const Diagnostic &d : diags.all())
    if (d.isError())
      ids.push_back(d.id);
  return ids;
}

TEST(Call, ProblemsAreValues) {
  DiagnosticEngine diags;
  EXPECT_FALSE(session::load({.path = "/proc/none.onnx"}, {diags}));
  ASSERT_EQ(errorsOf(diags).size(), 1u);
  EXPECT_EQ(errorsOf(diags)[0], diag::FileUnreadable);

  DiagnosticEngine ofText;
  std::string text = "no model";
  session::ModelSource source{"mine"};
  source.bytes = digits::bytes(text);
  EXPECT_FALSE(session::load(source, {ofText}));
  ASSERT_TRUE(ofText.hasErrors());
  EXPECT_EQ(ofText.all().front().place.file, "mine");
}

TEST(Call, WeightsThatAreNotGiven) {
  std::string text = digits::content("digits.txt");
  session::ModelSource source{"digits.txt"};
  source.bytes = digits::bytes(text);
  DiagnosticEngine diags;
  EXPECT_FALSE(session::load(source, {diags}));
  ASSERT_TRUE(diags.hasErrors());
  EXPECT_NE(diags.all().front().message.find("weights"), std::string::npos);
}

TEST(Call, QuantizedAlready) {
  DiagnosticEngine diags;
  auto once = session::quantize(digits::network({diags}), digits::samples(), {},
                                {diags});
  ASSERT_TRUE(once);
  EXPECT_FALSE(
      session::quantize(once->network, digits::samples(), {}, {diags}));
  ASSERT_EQ(errorsOf(diags).size(), 1u);
  EXPECT_EQ(errorsOf(diags)[0], diag::QuantUnsupported);
}

TEST(Call, ListenerHearsSteps) {
  std::mutex mutex;
  std::set<std::string> steps, over;
  DiagnosticEngine diags;
  session::Call call{diags, [&](const StepProgress &progress) {
                       std::lock_guard lock(mutex);
                       steps.emplace(progress.step);
                       if (progress.isOver)
                         over.emplace(progress.step);
                       if (progress.total)
                         EXPECT_LE(progress.done, progress.total);
                     }};
  ASSERT_TRUE(
      session::quantize(digits::network({diags}), digits::samples(), {}, call));
  EXPECT_TRUE(steps.contains("calibrate"));
  EXPECT_TRUE(steps.contains("compare layers"));
  EXPECT_EQ(steps, over);
}

TEST(Call, GivenUpByTheListener) {
  DiagnosticEngine diags;
  auto network = digits::network({diags});
  Cancellation stop;
  session::Call call{diags, [&](const StepProgress &) { stop.request(); },
                     &stop};
  EXPECT_FALSE(session::quantize(network, digits::samples(), {}, call));
  ASSERT_EQ(errorsOf(diags).size(), 1u);
  EXPECT_EQ(diags.all().front().id, diag::CallCancelled);
  EXPECT_EQ(network.use_count(), 1) << "what was begun holds the network";
  DiagnosticEngine fresh;
  EXPECT_TRUE(session::quantize(network, digits::samples(), {}, {fresh}));
}

TEST(Call, GivenUpFromAnotherThread) {
  DiagnosticEngine diags;
  auto quantized = session::quantize(digits::network({diags}),
                                     digits::samples(), {}, {diags});
  ASSERT_TRUE(quantized);
  auto whole = session::compile(*quantized->network, {}, {diags});
  ASSERT_TRUE(whole);
  Cancellation stop;
  DiagnosticEngine ofStopped;
  session::Call call{ofStopped, {}, &stop};
  std::thread other([&] { stop.request(); });
  // It ends, done or not, and what it gives is whole.
  auto result =
      session::compile(*quantized->network, {.winograd = "auto"}, call);
  other.join();
  EXPECT_NE(bool(result), ofStopped.hasErrors());
  EXPECT_FALSE(session::compile(*quantized->network, {}, call));
  EXPECT_EQ(quantized->network.use_count(), 1);
  auto again = session::compile(*quantized->network, {}, {diags});
  ASSERT_TRUE(again);
  EXPECT_EQ(again->bytes(), whole->bytes());
}

TEST(Call, GivenUpWhileItRuns) {
  DiagnosticEngine diags;
  auto quantized = session::quantize(digits::network({diags}),
                                     digits::samples(), {}, {diags});
  ASSERT_TRUE(quantized);
  auto executable = session::compile(*quantized->network, {}, {diags});
  ASSERT_TRUE(executable);
  // So many samples that it would take long.
  constexpr std::size_t kSamples = 200000, kPixels = 64;
  auto zeros = std::make_shared<std::vector<float>>(kSamples * kPixels);
  NpyView many{NpyType::Float32,
               {kSamples, 8, 8, 1},
               zeros->size(),
               zeros->data(),
               zeros};
  Cancellation stop;
  DiagnosticEngine ofStopped;
  std::thread other([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    stop.request();
  });
  auto outputs =
      session::run(*executable, {{{"", many}}}, {}, {ofStopped, {}, &stop});
  other.join();
  EXPECT_FALSE(outputs);
  ASSERT_EQ(errorsOf(ofStopped).size(), 1u);
  EXPECT_EQ(errorsOf(ofStopped)[0], diag::CallCancelled);
  EXPECT_TRUE(
      session::run(*executable, digits::data("heldout.npy", 1), {}, {diags}));
}

TEST(Call, MemoryThatThereIsNot) {
  DiagnosticEngine diags;
  session::Call call{diags};
  EXPECT_FALSE(call.run([] { throw std::bad_alloc(); }));
  EXPECT_EQ(errorsOf(diags)[0], diag::ResourcesExhausted);
  EXPECT_TRUE(call.run([] {}));
}

} // namespace
