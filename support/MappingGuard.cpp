//===- MappingGuard.cpp - Mapped files that lose their bytes --------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The handler may run at any moment in any thread: it takes no lock and
// allocates nothing. Entries of the list are only ever added, and used again
// once their range is gone.
//
//===----------------------------------------------------------------------===//
#include "support/MappingGuard.h"

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <mutex>

#include <sys/mman.h>
#include <unistd.h>

namespace yarrow {

struct GuardedRange::Entry {
  std::atomic<uintptr_t> begin{0}, end{0}; ///< [0, 0): free.
  std::atomic<bool> isDamaged{false};
  bool isTaken = true; ///< Under the mutex.
  Entry *next = nullptr;
};

namespace {
std::atomic<GuardedRange::Entry *> firstEntry{nullptr};
std::atomic<bool> isGuarding{false};
struct sigaction previousAction;
uintptr_t pageBytes = 4096;

std::mutex &listMutex() {
  static std::mutex mutex;
  return mutex;
}

GuardedRange::Entry *entryOf(uintptr_t address) {
  for (auto *e = firstEntry.load(); e; e = e->next)
    if (address >= e->begin && address < e->end)
      return e;
  return nullptr;
}

/// Zeros from the page of \p address to the end of its mapping: behind a page
/// that is gone there is hardly another one that is not.
bool replacePages(uintptr_t address) {
  GuardedRange::Entry *entry = entryOf(address);
  if (!entry)
    return false;
  uintptr_t page = address / pageBytes * pageBytes;
  entry->isDamaged = true;
  void *zeros = mmap(reinterpret_cast<void *>(page), entry->end - page,
                     PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
  return zeros != MAP_FAILED;
}

void onBusError(int, siginfo_t *info, void *) {
  int saved = errno;
  bool isSent = info->si_code <= 0; // by kill(), and no access
  if (isSent || !replacePages(reinterpret_cast<uintptr_t>(info->si_addr))) {
    // The access is tried again and ends as it would have without us.
    sigaction(SIGBUS, &previousAction, nullptr);
    if (isSent)
      (void)raise(SIGBUS);
  }
  errno = saved;
}
} // namespace

void guardMappings() {
  if (isGuarding.exchange(true))
    return;
  pageBytes = uintptr_t(sysconf(_SC_PAGESIZE));
  struct sigaction action = {};
  action.sa_sigaction = onBusError;
  action.sa_flags = SA_SIGINFO | SA_RESTART;
  sigemptyset(&action.sa_mask);
  sigaction(SIGBUS, &action, &previousAction);
}

bool isGuarded(const void *begin, std::size_t sizeBytes) {
  auto address = reinterpret_cast<uintptr_t>(begin);
  GuardedRange::Entry *entry = entryOf(address);
  return entry && address + sizeBytes <= entry->end;
}

bool areMappingsGuarded() { return isGuarding; }

GuardedRange::GuardedRange(const void *begin, std::size_t sizeBytes) {
  std::lock_guard lock(listMutex());
  for (entry = firstEntry; entry && entry->isTaken; entry = entry->next)
    ;
  if (!entry) {
    entry = new Entry; // stays for as long as the process
    entry->next = firstEntry;
    firstEntry = entry;
  }
  entry->isTaken = true;
  entry->isDamaged = false;
  // The end last: before it the range is empty.
  entry->begin = reinterpret_cast<uintptr_t>(begin);
  entry->end = reinterpret_cast<uintptr_t>(begin) + sizeBytes;
}

GuardedRange::~GuardedRange() {
  std::lock_guard lock(listMutex());
  entry->end = 0;
  entry->begin = 0;
  entry->isTaken = false;
}

bool GuardedRange::isDamaged() const { return entry->isDamaged; }

} // namespace yarrow
