//===- FenceWatcher.cpp - File descriptors as fences ----------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "api/nnapi/FenceWatcher.h"
#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <poll.h>
#include <sys/eventfd.h>
#include <system_error>
#include <unistd.h>

using namespace yarrow;
using namespace yarrow::nnapi;

/// Of what poll() says: it can be read, so it is signalled; nothing yet; or it
/// is closed or broken.
static bool isSignalled(short events) { return (events & POLLIN) != 0; }

bool nnapi::waitForDescriptor(int fd) {
  pollfd entry = {fd, POLLIN, 0};
  while (poll(&entry, 1, -1) < 0)
    if (errno != EINTR)
      return false;
  return isSignalled(entry.revents);
}

FenceWatcher &FenceWatcher::get() {
  static FenceWatcher watcher;
  return watcher;
}

FenceWatcher::FenceWatcher()
    : wakeDescriptor(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  if (wakeDescriptor < 0)
    throw std::system_error(errno, std::generic_category());
  thread = std::thread([this] { work(); });
}

FenceWatcher::~FenceWatcher() {
  {
    std::lock_guard lock(mutex);
    isEnding = true;
  }
  wake();
  thread.join();
  close(wakeDescriptor);
}

void FenceWatcher::wake() {
  std::uint64_t one = 1;
  // It can only fail because the counter is full: the thread wakes anyway.
  (void)!write(wakeDescriptor, &one, sizeof one);
}

void FenceWatcher::watch(int fd, Callback callback) {
  {
    std::lock_guard lock(mutex);
    added.push_back({fd, std::move(callback)});
  }
  wake();
}

bool FenceWatcher::takeNew(std::vector<Fence> &fences) {
  std::uint64_t count;
  (void)!read(wakeDescriptor, &count, sizeof count);
  std::lock_guard lock(mutex);
  std::ranges::move(added, std::back_inserter(fences));
  added.clear();
  return !isEnding;
}

void FenceWatcher::work() {
  std::vector<Fence> fences;
  std::vector<pollfd> entries;
  while (takeNew(fences)) {
    entries.assign(1, {wakeDescriptor, POLLIN, 0});
    for (const Fence &fence : fences)
      entries.push_back({fence.fd, POLLIN, 0});
    if (poll(entries.data(), nfds_t(entries.size()), -1) < 0)
      continue; // interrupted
    std::vector<Fence> waiting;
    for (std::size_t i = 0; i < fences.size(); ++i) {
      if (short events = entries[i + 1].revents)
        fences[i].callback(isSignalled(events));
      else
        waiting.push_back(std::move(fences[i]));
    }
    fences = std::move(waiting);
  }
}
