//===- Process.cpp - What the system may do to the program ----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/driver/Process.h"
#include "support/AtomicFile.h"
#include "support/Diagnostics.h"
#include "support/MappingGuard.h"
#include "support/diagnostics/Files.h"

#include "llvm/Support/ErrorHandling.h"

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <new>
#include <stdexcept>
#include <system_error>

#include <fcntl.h>
#include <malloc.h>
#include <unistd.h>

using namespace yarrow;

namespace {
/// Given back before the last message is made, which needs some memory.
constexpr std::size_t reserveBytes = 1 << 20;
void *reserve = nullptr;
std::atomic<bool> isEnding{false};

/// A closed stream would give its number to the next file that is opened, and
/// text would go into that. Its place is taken by what cannot be written (or,
/// for the input, read).
void keepStreamsApart() {
  constexpr int modes[] = {O_WRONLY, O_RDONLY, O_WRONLY};
  for (int fd = 0; fd <= 2; ++fd)
    if (fcntl(fd, F_GETFD) < 0 && errno == EBADF)
      (void)!open("/dev/null", modes[fd]); // takes the lowest number: fd
}

void onEndingSignal(int signal) {
  if (PublishScope::holdBack(signal))
    return;
  removeTemporaryFiles();
  std::signal(signal, SIG_DFL);
  (void)raise(signal);
}

void handle(int signal) {
  struct sigaction action = {};
  // What a parent ignores, such as nohup, stays ignored.
  if (sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN)
    return;
  action = {};
  action.sa_handler = onEndingSignal;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  sigaction(signal, &action, nullptr);
}

[[noreturn]] void onNoMemory() { endExhausted("no memory is left"); }

[[noreturn]] void onLlvmNoMemory(void *, const char *, bool) { onNoMemory(); }
} // namespace

void yarrow::endExhausted(const char *reason) noexcept {
  if (isEnding.exchange(true)) // by another thread, which ends this one too
    for (;;)
      pause();
  std::set_new_handler(nullptr);
  std::free(reserve);
  try {
    DiagnosticEngine diags;
    Diagnostic &problem =
        diags
            .report(diag::ResourcesExhausted, {},
                    "the system does not have enough memory or threads")
            .found(reason)
            .hint("use fewer threads (-j 1), smaller inputs, or a computer "
                  "with more memory");
    (void)writeDescriptor(2, problem.str() + "\n");
  } catch (...) { // not even for this text
    (void)writeDescriptor(2, "error E0109: no memory is left\n");
  }
  removeTemporaryFiles();
  _exit(1);
}

void yarrow::endAfter(const std::exception &exception) noexcept {
  if (dynamic_cast<const std::bad_alloc *>(&exception))
    onNoMemory();
  if (dynamic_cast<const std::length_error *>(&exception))
    endExhausted("a size larger than any memory");
  if (dynamic_cast<const std::system_error *>(&exception)) // a thread
    endExhausted(exception.what());
}

/// Tensors of some megabytes come and go with each layer and sample. By default
/// the C library gives each back to the system, which clears its pages for the
/// next: a tenth of quantizing.
static void keepFreedMemory() {
#ifdef __GLIBC__
  constexpr int kMostKeptBlock = 1 << 25, kMostKept = 1 << 28;
  mallopt(M_MMAP_THRESHOLD, kMostKeptBlock);
  mallopt(M_TRIM_THRESHOLD, kMostKept);
  mallopt(M_TOP_PAD, 1 << 24);
#endif
}

void yarrow::prepareProcess() {
  keepFreedMemory();
  keepStreamsApart();
  // A reader that has gone is an error of writing, told like any other.
  std::signal(SIGPIPE, SIG_IGN);
  for (int signal : {SIGINT, SIGTERM, SIGHUP})
    handle(signal);
  guardMappings();
  reserve = std::malloc(reserveBytes);
  std::set_new_handler(onNoMemory);
  llvm::install_bad_alloc_error_handler(onLlvmNoMemory);
}
