//===- Profile.cpp - Runs of parts in ONNX Runtime's profile --------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "api/onnxruntime/Profile.h"
#include "api/onnxruntime/Ort.h"

#include <unistd.h>

using namespace yarrow::ort;

namespace {

/// The profiles of the events that this thread is in, the innermost last. It
/// has no destructor: one would keep the library loaded while the thread lives.
struct OpenEvents {
  static constexpr std::size_t kMost = 32;
  ProfileCollector *profiles[kMost];
  std::size_t depth;

  void push(ProfileCollector *profile) {
    if (depth < kMost)
      profiles[depth] = profile;
    ++depth;
  }
  void pop() { depth -= depth > 0; }
  ProfileCollector *top() const {
    return depth && depth <= kMost ? profiles[depth - 1] : nullptr;
  }
};

} // namespace

static thread_local OpenEvents open;

ProfileCollector::ProfileCollector() : Profiler{} {
  version = kProfilerVersion;
  release = [](Profiler *self) {
    delete static_cast<ProfileCollector *>(self);
  };
  start = [](Profiler *self, std::int64_t offset) -> Status * {
    auto *profile = static_cast<ProfileCollector *>(self);
    profile->began = Clock::now();
    profile->offset = offset;
    return nullptr;
  };
  startEvent = [](Profiler *self, std::uint64_t) -> Status * {
    open.push(static_cast<ProfileCollector *>(self));
    return nullptr;
  };
  stopEvent = [](Profiler *, std::uint64_t,
                 const ProfilingEvent *) -> Status * {
    open.pop();
    return nullptr;
  };
  end = [](Profiler *self, ProfilingEvents *events) {
    return guarded(
        [&] { static_cast<ProfileCollector *>(self)->giveTo(events); });
  };
}

ProfileCollector *ProfileCollector::current() { return open.top(); }

void ProfileCollector::add(ProfiledRun run) {
  std::lock_guard lock(mutex);
  runs.push_back(std::move(run));
}

void ProfileCollector::giveTo(ProfilingEvents *events) {
  std::lock_guard lock(mutex);
  using std::chrono::duration_cast;
  constexpr int kKernelEvent = 2;
  auto micros = [](auto duration) {
    return duration_cast<std::chrono::microseconds>(duration).count();
  };
  for (const ProfiledRun &run : runs) {
    std::string cycles = std::to_string(run.cycles),
                instructions = std::to_string(run.instructions);
    const char *keys[] = {"provider", "cycles", "instructions"};
    const char *values[] = {"YarrowExecutionProvider", cycles.c_str(),
                            instructions.c_str()};
    ProfilingEvent *event = nullptr;
    check(ortApi().createProfilingEvent(
        kKernelEvent, getpid(), 0, (run.part + "_npu").c_str(),
        micros(std::chrono::nanoseconds(offset) + (run.began - began)),
        micros(run.ended - run.began), keys, values, 3, &event));
    Status *status = ortApi().addProfilingEvents(events, &event, 1);
    ortApi().releaseProfilingEvent(event);
    check(status);
  }
  runs.clear();
}
