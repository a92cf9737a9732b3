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
#include "api/nnapi/FenceWatcher.h"
#include "api/nnapi/JobPool.h"
#include "api/nnapi/Model.h"
#include "api/nnapi/run/Lengths.h"
#include "support/diagnostics/Import.h"
#include <future>
#include <gtest/gtest.h>
#include <new>
#include <span>
#include <stdexcept>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>

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
  EXPECT_FALSE(combineLengths(open, {open.data(), UINT32_MAX}))
      << "a count that cannot be is not read";
}

TEST(NnapiLengths, OfAValueAreKnown) {
  EXPECT_TRUE(agree(Lengths{0, 4}, Lengths{2, 4}));
  EXPECT_TRUE(agree(Lengths{}, Lengths{2, 4}));
  EXPECT_TRUE(agree(Lengths{0, 4}, Lengths{0, 4}));
  EXPECT_FALSE(agree(Lengths{2, 4}, Lengths{0, 4})) << "it has no elements";
  EXPECT_FALSE(agree(Lengths{2, 4}, Lengths{2}));
}

TEST(NnapiLengths, MakeSizes) {
  Operand floats{.type = OperandType::TENSOR_FLOAT32};
  EXPECT_EQ(sizeBytesOf(floats, Lengths{2, 3}), 24u);
  EXPECT_EQ(sizeBytesOf(floats, Lengths{}), 4u);
  EXPECT_EQ(sizeBytesOf(floats, Lengths{UINT32_MAX, UINT32_MAX, 0}), 0u);
  Lengths beyond = {1u << 29, 1u << 29, 256, 4};
  EXPECT_GE(sizeBytesOf(floats, beyond), std::uint64_t(1) << 59)
      << "2^70 bytes are not 0";
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

TEST(NnapiJobs, AreRefusedWhenTheThreadsHaveEnded) {
  JobPool pool(1);
  bool hasRun = false;
  pool.submit(100, [&] { hasRun = true; });
  pool.end();
  EXPECT_TRUE(hasRun);
  EXPECT_THROW(pool.submit(100, [] {}), std::system_error);
}

/// The status of a process that is forked for \p body; one that hangs is ended.
template <typename Body> static int statusOfChild(Body body) {
  pid_t child = fork();
  if (child == 0) {
    alarm(20);
    body();
    _exit(0);
  }
  int status = -1;
  waitpid(child, &status, 0);
  return status;
}

TEST(NnapiJobs, OfTheParentDoNotKeepAChildFromItsEnd) {
  JobPool pool(1);
  FenceWatcher watcher;
  EXPECT_EQ(statusOfChild([&] {
              pool.end();
              watcher.end();
            }),
            0);
}

namespace {
/// Descriptors of which none is signalled.
class Unsignalled {
public:
  explicit Unsignalled(int count) {
    for (int i = 0; i < count; ++i)
      all.push_back(eventfd(0, EFD_CLOEXEC));
  }
  ~Unsignalled() {
    for (int fd : all)
      close(fd);
  }
  std::vector<int> all;
};

/// The process may have this many open files.
class FileLimit {
public:
  explicit FileLimit(rlim_t count) {
    getrlimit(RLIMIT_NOFILE, &before);
    rlimit now = {count, before.rlim_max};
    setrlimit(RLIMIT_NOFILE, &now);
  }
  ~FileLimit() { setrlimit(RLIMIT_NOFILE, &before); }

private:
  rlimit before;
};
} // namespace

TEST(NnapiFences, AreWaitedForByMoreThanThereMayBeFiles) {
  Unsignalled fence(1);
  FenceWatcher watcher;
  FileLimit limit(16);
  std::vector<std::promise<bool>> reported(40);
  for (std::promise<bool> &promise : reported)
    watcher.watch(fence.all[0],
                  [&](bool isGood) { promise.set_value(isGood); });
  std::uint64_t one = 1;
  ASSERT_EQ(write(fence.all[0], &one, sizeof one), ssize_t(sizeof one));
  for (std::promise<bool> &promise : reported)
    EXPECT_TRUE(promise.get_future().get());
}

TEST(NnapiFences, ThatCannotBeWaitedForFail) {
  Unsignalled fences(40);
  FenceWatcher watcher;
  FileLimit limit(16);
  std::vector<std::promise<bool>> reported(fences.all.size());
  for (std::size_t i = 0; i < reported.size(); ++i)
    watcher.watch(fences.all[i],
                  [&, i](bool isGood) { reported[i].set_value(isGood); });
  EXPECT_FALSE(reported[0].get_future().get())
      << "as soon as there are too many";
  watcher.end();
  for (std::promise<bool> &promise : std::span(reported).subspan(1))
    EXPECT_FALSE(promise.get_future().get());
  EXPECT_THROW(watcher.watch(fences.all[0], [](bool) {}), std::system_error);
}

TEST(NnapiModel, ForgetsAModelThatAnotherOneReplaces) {
  const std::uint32_t one = 1;
  auto typeOf = [](int code) {
    return ANeuralNetworksOperandType{code, 0, nullptr, 0, 0};
  };
  const ANeuralNetworksOperandType tensor =
                                       typeOf(ANEURALNETWORKS_TENSOR_FLOAT32),
                                   inner = typeOf(ANEURALNETWORKS_MODEL),
                                   truth = {ANEURALNETWORKS_TENSOR_BOOL8, 1,
                                            &one, 0, 0};
  const Lengths x = {0}, y = {1};
  Model branches[3];
  for (Model &branch : branches) {
    branch.addOperand(tensor);
    branch.addOperand(tensor);
    branch.addOperation(ANEURALNETWORKS_RELU, x, y);
    branch.identify(x, y);
    ASSERT_EQ(branch.finish(), ANEURALNETWORKS_NO_ERROR);
  }
  Model model;
  for (const auto &type : {truth, inner, inner, tensor, tensor})
    model.addOperand(type);
  model.setValue(1, branches[0]);
  model.setValue(2, branches[1]);
  model.setValue(1, branches[2]);
  model.addOperation(ANEURALNETWORKS_IF, Lengths{0, 1, 2, 3}, Lengths{4});
  model.identify(Lengths{0, 3}, Lengths{4});
  ASSERT_EQ(model.finish(), ANEURALNETWORKS_NO_ERROR);
  const NnModel &whole = *model.finished();
  ASSERT_EQ(whole.referenced.size(), 2u);
  for (auto [operand, branch] : {std::pair(1, 2), std::pair(2, 1)})
    EXPECT_EQ(whole.referenced[whole.operands[operand].modelIndex],
              branches[branch].finished());
  // What is asked of it is asked once.
  int numAsked = 0;
  for (int i = 0; i < 2; ++i)
    EXPECT_TRUE(model.supported([&](const NnModel &) {
      ++numAsked;
      return std::vector<bool>{true};
    })[0]);
  EXPECT_EQ(numAsked, 1);
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
    diags.report(diag::ImportForm, {}, "cannot");
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
