//===- PartsTest.cpp - What the library is made of ------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// What cannot be seen through the functions: orders of jobs, who computes.
//
//===----------------------------------------------------------------------===//
#include "api/nnapi/Boundary.h"
#include "api/nnapi/Deadline.h"
#include "api/nnapi/Fallback.h"
#include "api/nnapi/JobPool.h"
#include "api/nnapi/Lengths.h"
#include <future>
#include <gtest/gtest.h>
#include <new>
#include <stdexcept>
#include <system_error>

using namespace yarrow;
using namespace yarrow::nnapi;
using Lengths = std::vector<std::uint32_t>;

TEST(NnapiLengths, FillOneAnotherIn) {
  Lengths lengths = {0, 4};
  EXPECT_TRUE(combineLengths(lengths, Lengths{2, 0}));
  EXPECT_EQ(lengths, (Lengths{2, 4}));
  EXPECT_FALSE(combineLengths(lengths, Lengths{2, 5}));
  EXPECT_FALSE(combineLengths(lengths, Lengths{2}));
  EXPECT_EQ(lengths, (Lengths{2, 4}));
  EXPECT_TRUE(combineLengths(lengths, {}));
  Lengths open;
  EXPECT_TRUE(combineLengths(open, lengths));
  EXPECT_EQ(open, lengths);
  EXPECT_TRUE(areKnown(open));
  EXPECT_FALSE(areKnown(Lengths{}));
  EXPECT_FALSE(areKnown(Lengths{1, 0}));
}

TEST(NnapiDeadline, OfNoTimeIsNone) {
  EXPECT_FALSE(deadlineAfter(0));
  EXPECT_FALSE(deadlineAfter(UINT64_MAX)) << "the clock cannot count to it";
  EXPECT_FALSE(hasPassed(std::nullopt));
  EXPECT_FALSE(hasPassed(deadlineAfter(std::uint64_t(3600) * 1'000'000'000)));
}

TEST(NnapiBoundary, HasACodeForWhatIsThrown) {
  auto codeOf = [](auto exception) {
    return guarded([&]() -> ResultCode { throw exception; });
  };
  EXPECT_EQ(codeOf(std::bad_alloc()), ANEURALNETWORKS_OUT_OF_MEMORY);
  EXPECT_EQ(codeOf(std::length_error("")), ANEURALNETWORKS_OUT_OF_MEMORY);
  EXPECT_EQ(codeOf(std::system_error(EAGAIN, std::generic_category())),
            ANEURALNETWORKS_RESOURCE_EXHAUSTED_TRANSIENT);
  EXPECT_EQ(codeOf(std::runtime_error("")), ANEURALNETWORKS_OP_FAILED);
}

TEST(NnapiJobs, OfHigherPriorityBeginFirst) {
  std::promise<void> mayBegin;
  std::shared_future<void> begin = mayBegin.get_future().share();
  std::string order; // one thread writes
  {
    JobPool pool(1);
    pool.submit(110, [begin] { begin.wait(); });
    pool.submit(90, [&] { order += "c"; });
    pool.submit(100, [&] { order += "a"; });
    pool.submit(100, [&] { order += "b"; });
    mayBegin.set_value();
  } // ends when all jobs have
  EXPECT_EQ(order, "abc");
}

namespace {
/// Compiles nothing, or something that computes nothing.
class Stub final : public Backend {
public:
  explicit Stub(bool isAble) : isAble(isAble) {}
  std::string name() const override { return isAble ? "able" : "unable"; }
  std::shared_ptr<Program> compile(const NnModel &,
                                   DiagnosticEngine &diags) override {
    ++numAsked;
    if (isAble)
      return program;
    diags.report(DiagId::ImportForm, {}, "cannot");
    return nullptr;
  }

  struct Nothing final : Program {
    const std::vector<Lengths> &outputDims() const override { return dims; }
    bool run(std::span<const Value>, std::vector<Value> &, RunNumbers &,
             DiagnosticEngine &) override {
      return true;
    }
    std::vector<Lengths> dims;
  };
  bool isAble;
  int numAsked = 0;
  std::shared_ptr<Program> program = std::make_shared<Nothing>();
};
} // namespace

TEST(NnapiFallback, IsAskedWhereTheFirstCannot) {
  auto able = std::make_shared<Stub>(true),
       unable = std::make_shared<Stub>(false),
       other = std::make_shared<Stub>(true);
  DiagnosticEngine diags;
  EXPECT_EQ(withFallback(able, other)->compile({}, diags), able->program);
  EXPECT_EQ(other->numAsked, 0);
  EXPECT_EQ(withFallback(unable, other)->compile({}, diags), other->program);
  EXPECT_FALSE(diags.hasErrors()) << "the refusal is only told";
  EXPECT_EQ(withFallback(unable, unable)->compile({}, diags), nullptr);
  EXPECT_TRUE(diags.hasErrors());
  EXPECT_EQ(withFallback(unable, other)->name(), "unable");
}
