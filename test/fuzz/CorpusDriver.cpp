//===- CorpusDriver.cpp - Deterministic mutation of a corpus --------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A main for libFuzzer harnesses without libFuzzer: feeds every file of a
// folder, then COUNT mutations of them. The same folder and count give the same
// inputs on every machine, so a failure can be repeated.
//
//   fuzz_irtext_corpus test/fuzz/corpus/irtext 20000
//
//===----------------------------------------------------------------------===//
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

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
  std::size_t at = random.below(input.size() + 1);
  std::size_t length =
      random.below(std::min<std::size_t>(40, input.size() + 1));
  switch (random.below(6)) {
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
  default:
    input.resize(at);
    break;
  }
}

void feed(const std::string &input) {
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t *>(input.data()),
                         input.size());
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: %s corpus-folder count\n", argv[0]);
    return 2;
  }
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
  Random random;
  long count = std::atol(argv[2]);
  for (long i = 0; i != count; ++i) {
    std::string input = seeds[random.below(seeds.size())];
    for (std::size_t steps = 1 + random.below(8); steps; --steps)
      mutate(input, seeds, random);
    feed(input);
  }
  std::printf("%zu seeds, %ld mutations\n", seeds.size(), count);
  return 0;
}
