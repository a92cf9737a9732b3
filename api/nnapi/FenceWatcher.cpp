//===- FenceWatcher.cpp - File descriptors as fences ----------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "api/nnapi/FenceWatcher.h"
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <poll.h>
#include <span>
#include <sys/eventfd.h>
#include <system_error>
#include <unistd.h>
#include <vector>

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
  static FenceWatcher &watcher = *new FenceWatcher;
  static const struct AtExit {
    ~AtExit() { watcher.end(); }
  } atExit;
  return watcher;
}

FenceWatcher::FenceWatcher()
    : process(getpid()),
      wakeDescriptor(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  if (wakeDescriptor < 0)
    throw std::system_error(errno, std::generic_category());
  try {
    thread = std::thread([this] { work(); });
  } catch (...) {
    close(wakeDescriptor);
    throw;
  }
}

void FenceWatcher::end() {
  if (!thread.joinable())
    return;
  if (getpid() != process)
    return thread.detach();
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
  std::lock_guard lock(mutex);
  if (isEnding)
    throw std::system_error(
        std::make_error_code(std::errc::resource_unavailable_try_again));
  added.emplace(fd, std::move(callback));
  wake();
}

bool FenceWatcher::takeNew(Fences &fences) {
  std::uint64_t count;
  (void)!read(wakeDescriptor, &count, sizeof count);
  std::lock_guard lock(mutex);
  fences.merge(added);
  return !isEnding;
}

/// Calls back whom \p fd tells something, and forgets them.
static void callBack(std::multimap<int, FenceWatcher::Callback> &fences, int fd,
                     bool isGood) {
  auto [first, last] = fences.equal_range(fd);
  for (auto fence = first; fence != last; ++fence)
    fence->second(isGood);
  fences.erase(first, last);
}

void FenceWatcher::work() {
  Fences fences;
  std::vector<pollfd> entries;
  while (takeNew(fences)) {
    entries.assign(1, {wakeDescriptor, POLLIN, 0});
    for (auto it = fences.begin(); it != fences.end();
         it = fences.upper_bound(it->first))
      entries.push_back({it->first, POLLIN, 0});
    bool hasFailed = poll(entries.data(), nfds_t(entries.size()), -1) < 0;
    if (hasFailed && errno == EINTR)
      continue;
    // The system is out of memory, or the process may not have so many files
    // any more: what cannot be waited for fails. Nor is it asked all the time.
    if (hasFailed)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    for (const pollfd &entry : std::span(entries).subspan(1))
      if (hasFailed || entry.revents)
        callBack(fences, entry.fd, !hasFailed && isSignalled(entry.revents));
  }
  while (!fences.empty())
    callBack(fences, fences.begin()->first, false);
}
