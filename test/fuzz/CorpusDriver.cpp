//===- CorpusDriver.cpp - Deterministic mutation of a corpus --------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A main for libFuzzer harnesses without libFuzzer: feeds every file of a
// folder, then COUNT mutations of them. The same folder and count give the same
// inputs on every machine, so a failure can be repeated. Memory is limited, so
// that an input cannot make a reader allocate what it only declares. An input
// that fails is left in the file fuzz-failure; COUNT 0 feeds a folder alone.
//
//   fuzz_irtext_corpus test/fuzz/corpus/irtext 20000 1
//
//===----------------------------------------------------------------------===//
#include "test/fuzz/Fuzz.h"

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <sys/resource.h>
#include <unistd.h>
#include <vector>

#ifndef __has_feature
#define __has_feature(name) 0
#endif

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data,
                                      std::size_t size);

namespace {

/// splitmix64: the same everywhere, unlike the distributions of <random>.
class Random {
public:
  std::size_t below(std::size_t bound) { return bound ? next() % bound : 0; }

private:
  std::uint64_t next() {
    std::uint64_t z = state += 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
  }
  std::uint64_t state = 0;
};

void mutate(std::string &input, const std::vector<std::string> &seeds,
            Random &random) {
  static constexpr const char *tokens[] = {"[",
                                           "]",
                                           ",",
                                           "=",
                                           "\n",
                                           "\n\n",
                                           "#",
                                           "'",
                                           "\"",
                                           "-",
                                           "0",
                                           "1e5",
                                           "-1",
                                           ".",
                                           "nan",
                                           "[]",
                                           "[[",
                                           ";",
                                           ":",
                                           "\t",
                                           "\r",
                                           "\xFF",
                                           "&",
                                           "<",
                                           ">",
                                           "{",
                                           "}",
                                           "9223372036854775808",
                                           "18446744073709551616"};
  static constexpr const char *numbers[] = {"0",
                                            "1",
                                            "-1",
                                            "2",
                                            "7",
                                            "255",
                                            "256",
                                            "32768",
                                            "65535",
                                            "65536",
                                            "2147483647",
                                            "2147483648",
                                            "-2147483648",
                                            "4294967296",
                                            "1099511627776",
                                            "9223372036854775807",
                                            "-9223372036854775808",
                                            "1e30",
                                            "0.5"};
  static constexpr std::uint32_t words[] = {
      0,          1,          2,          0x7F,       0x80,
      0xFF,       0xFFFF,     0x10000,    0x7FFFFFFF, 0x80000000,
      0xFFFFFFF0, 0xFFFFFFFF, 0x40000000, 0x01000000};
  std::size_t at = random.below(input.size() + 1);
  std::size_t length =
      random.below(std::min<std::size_t>(40, input.size() + 1));
  switch (random.below(8)) {
  case 0:
    if (at < input.size())
      input[at] = static_cast<char>(random.below(256));
    break;
  case 1:
    input.insert(at, tokens[random.below(std::size(tokens))]);
    break;
  case 2:
    input.erase(at, length);
    break;
  case 3:
    input.insert(at, input.substr(random.below(input.size() + 1), length));
    break;
  case 4: {
    const std::string &other = seeds[random.below(seeds.size())];
    input.insert(at, other.substr(random.below(other.size() + 1), length));
    break;
  }
  case 5: {
    std::size_t first = input.find_first_of("0123456789", at);
    if (first == std::string::npos)
      break;
    std::size_t end = input.find_first_not_of("0123456789", first);
    input.replace(first, std::min(end, input.size()) - first,
                  numbers[random.below(std::size(numbers))]);
    break;
  }
  case 6: {
    // Binary formats have words of 4 bytes, aligned.
    std::uint32_t word = words[random.below(std::size(words))];
    at = at / sizeof word * sizeof word;
    if (input.size() - at >= sizeof word)
      std::memcpy(&input[at], &word, sizeof word);
    break;
  }
  default:
    input.resize(at);
    break;
  }
}

/// Whatever the program and its libraries have mapped by now, and \p gib more.
void limitMemory(rlim_t gib) {
#if !defined(__SANITIZE_ADDRESS__) && !__has_feature(address_sanitizer)
  std::size_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  const rlim_t pageBytes = 4096, moreBytes = gib << 30;
  rlimit limit = {};
  if (pages == 0 || getrlimit(RLIMIT_AS, &limit) != 0)
    return;
  limit.rlim_cur = std::min(limit.rlim_max, pages * pageBytes + moreBytes);
  setrlimit(RLIMIT_AS, &limit);
#endif
}

const std::string *currentInput = nullptr;

/// Leaves the input that failed in a file, and fails.
void saveInput(int signalNumber) {
  int fd = open("fuzz-failure", O_WRONLY | O_CREAT | O_TRUNC, 0666);
  if (fd >= 0 && currentInput &&
      write(fd, currentInput->data(), currentInput->size()) >= 0) {
    constexpr char message[] = "the input is in ./fuzz-failure\n";
    (void)!write(2, message, sizeof message - 1);
  }
  std::signal(signalNumber, SIG_DFL);
  raise(signalNumber);
}

/// On a stack of its own: the failure may be the end of the other.
void watchForFailures() {
  static char stack[1 << 16];
  stack_t alternative = {};
  alternative.ss_sp = stack;
  alternative.ss_size = sizeof stack;
  sigaltstack(&alternative, nullptr);
  struct sigaction action = {};
  action.sa_handler = saveInput;
  action.sa_flags = SA_ONSTACK;
  for (int signalNumber : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT})
    sigaction(signalNumber, &action, nullptr);
}

void feed(const std::string &input) {
  currentInput = &input;
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t *>(input.data()),
                         input.size());
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 4) {
    std::fprintf(stderr, "usage: %s corpus-folder count memory-in-gib\n",
                 argv[0]);
    return 2;
  }
  watchForFailures();
  limitMemory(rlim_t(std::max(1L, std::atol(argv[3]))));
  std::vector<std::filesystem::path> paths;
  for (const auto &entry : std::filesystem::directory_iterator(argv[1]))
    paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  std::vector<std::string> seeds;
  for (const auto &path : paths) {
    std::ifstream stream(path, std::ios::binary);
    seeds.emplace_back(std::istreambuf_iterator<char>(stream),
                       std::istreambuf_iterator<char>());
    feed(seeds.back());
  }
  if (seeds.empty()) {
    std::fprintf(stderr, "no seeds in %s\n", argv[1]);
    return 1;
  }
  std::size_t numSeedsAccepted = yarrow::fuzz::numAccepted;
  if (numSeedsAccepted == 0) {
    std::fprintf(stderr, "every seed in %s is refused\n", argv[1]);
    return 1;
  }
  Random random;
  long count = std::atol(argv[2]);
  for (long i = 0; i != count; ++i) {
    std::string input = seeds[random.below(seeds.size())];
    for (std::size_t steps = 1 + random.below(8); steps; --steps)
      mutate(input, seeds, random);
    feed(input);
  }
  std::printf("%zu of %zu seeds and %zu of %ld mutations accepted\n",
              numSeedsAccepted, seeds.size(),
              yarrow::fuzz::numAccepted - numSeedsAccepted, count);
  return 0;
}
