//===- Certificate.h - What was shown of an executable ----------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// What `yarrow prove` has shown of a file, in numbers, and what it has not
// shown, in words. The digest covers the whole file, so a certificate is valid
// for one file only.
//
//   Certificate certificate = prove(executable, options, diags);
//   writeFile(path, certificate.json());
//   std::cout << certificate.text();
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PROVE_CERTIFICATE_H
#define YARROW_PROVE_CERTIFICATE_H

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace yarrow::prove {

/// Of the command stream, summed over all ways through all programs.
struct StreamCounts {
  uint64_t programs = 0; ///< Of several shapes, each.
  uint64_t paths = 0;    ///< Ways through them, by what If and Loop decide.
  uint64_t groups = 0, commands = 0, tecSteps = 0, waits = 0;
  uint64_t readBytes = 0, writtenBytes = 0;
  uint64_t weightStreams = 0, streamBytes = 0, decodedBytes = 0;

  bool operator==(const StreamCounts &) const = default;
};

/// Of the output stages.
struct StageCounts {
  /// Commands of the tensor engine that have sums, and those whose sums were
  /// shown to fit, whatever their input.
  uint64_t commands = 0, boundedCommands = 0;
  /// Those whose constants were compared with what the IR states.
  uint64_t statedCommands = 0;
  uint64_t stages = 0; ///< Different ones, channel by channel.
  uint64_t sums = 0;   ///< For which both functions were compared.
  int64_t largestSum = 0;

  bool operator==(const StageCounts &) const = default;
};

/// Something that was not shown.
struct NotShown {
  std::string what, why;
  std::vector<std::string> layers = {}; ///< Of which; none: of all.
  bool operator==(const NotShown &) const = default;
};

struct Certificate {
  static constexpr int64_t kVersion = 1;

  std::string executable, digest, target, model;
  bool holds = false;
  uint64_t problems = 0;
  StreamCounts stream;
  StageCounts stages;
  std::vector<NotShown> notShown;

  /// Once for each pair, and each layer of it.
  void addNotShown(std::string_view what, std::string_view why,
                   std::string_view layer = "");

  std::string json() const;
  /// Nothing of a text that is no certificate.
  static std::optional<Certificate> parse(std::string_view json);
  /// Some lines for a terminal.
  std::string text() const;

  bool operator==(const Certificate &) const = default;
};

} // namespace yarrow::prove

#endif // YARROW_PROVE_CERTIFICATE_H
