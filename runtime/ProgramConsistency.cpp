//===- ProgramConsistency.cpp - Whether a program agrees with its file ----===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "isa/Descriptors.h"
#include "runtime/ConsistencyChecks.h"
#include "runtime/TecImage.h"
#include "support/Format.h"

#include <algorithm>

using namespace yarrow;
using namespace yarrow::runtime;

/// A simulated TEC keeps its code decoded, in eight times as many bytes. The
/// whole operator library has less than one MiB.
static constexpr uint32_t kMaxCodeBytes = 16 << 20;

bool Consistency::program() {
  std::string_view text = e.text();
  isa::TextHeader header{};
  if (text.size() < sizeof header)
    return report("section .text is shorter than its header",
                  std::to_string(text.size()) + " bytes",
                  std::to_string(sizeof header) + " bytes or more");
  std::memcpy(&header, text.data(), sizeof header);
  if (std::memcmp(header.magic, isa::kTextMagic, sizeof header.magic) != 0)
    return report("section .text does not begin with a TEC program",
                  "other bytes", "YARROW TEC v1");
  // The device guards by these sizes; 0 would guard nothing.
  if (!same("the size of .text does not match the program's header",
            header.imageBytes, text.size()) ||
      !same("the size of the constants does not match the program's header",
            header.constantBytes, constantBytes()) ||
      !same("the size of the descriptors does not match the program's header",
            header.descriptorBytes, e.descriptors().size()))
    return false;
  uint32_t mostCode = std::min(header.imageBytes, kMaxCodeBytes);
  if (header.codeBytes > mostCode)
    return report("the program has more code than .text or than is allowed",
                  std::to_string(header.codeBytes) + " bytes",
                  "at most " + std::to_string(mostCode));
  uint64_t stackTop = uint64_t(isa::kSramBaseAddress) + e.machine().sramBytes;
  if (header.stackTopAddress != 0 &&
      !same("the program's stacks do not end where the SRAM ends",
            header.stackTopAddress, stackTop))
    return false;
  for (const ProvenanceStep &step : origin.steps)
    if (step.pcBegin > step.pcEnd || step.pcEnd > text.size())
      return report("a step of the TECs is not inside the program",
                    "[" + std::to_string(step.pcBegin) + ", " +
                        std::to_string(step.pcEnd) + ")",
                    std::to_string(text.size()) + " bytes of .text");
  return symbols();
}

/// Symbols are of use only for the program that runs.
bool Consistency::symbols() {
  if (e.tecElf().empty())
    return true;
  std::optional<TecImage> image =
      TecImage::parse(e.tecElf(), e.name() + " (.yarrow.tec)", diags);
  if (!image)
    return false;
  for (const TecSegment &segment : image->segments) {
    uint64_t bytes = segment.contents.size();
    if (segment.address > e.text().size() ||
        bytes > e.text().size() - segment.address ||
        e.text().substr(segment.address, bytes) != segment.contents)
      return report("section .yarrow.tec has a different program from .text",
                    "other bytes from " + std::to_string(segment.address) +
                        " on",
                    "the bytes of .text");
  }
  return true;
}

/// The queues' lists lie one after the other, and each command has a layer.
bool Consistency::commands() {
  std::string_view bytes = e.descriptors();
  if (bytes.size() % 4 != 0)
    return report("note \"desc\" does not consist of words",
                  std::to_string(bytes.size()) + " bytes", "a multiple of 4");
  std::vector<uint32_t> words(bytes.size() / 4);
  if (!words.empty())
    std::memcpy(words.data(), bytes.data(), bytes.size());
  size_t at = 0;
  for (unsigned q = 0; q < isa::kNumQueues; ++q) {
    std::string queue = std::string(isa::name(isa::Unit(q)));
    for (size_t n = 0; n < origin.queueLayers[q].size(); ++n) {
      std::optional<isa::AnyDescriptor> command =
          isa::decode(std::span(words).subspan(
              at, std::min<size_t>(256, words.size() - at)));
      if (!command || isa::engineOf(*command) != isa::engineOf(isa::Unit(q)))
        return report(
            "the " + queue +
                " queue has fewer commands than the provenance has layers for",
            std::to_string(n), std::to_string(origin.queueLayers[q].size()));
      at += isa::descriptorWords(words[at]);
    }
  }
  return same("note \"desc\" has more commands than the provenance has layers "
              "for",
              4 * at, bytes.size()) &&
         order();
}

/// Of commands: each queue's and the TECs' are there as often as they are.
bool Consistency::order() {
  if (origin.order.empty())
    return true;
  auto count = [&](char unit) {
    return size_t(std::count(origin.order.begin(), origin.order.end(), unit));
  };
  size_t known = count('t') + count('-');
  for (unsigned q = 0; q < isa::kNumQueues; ++q) {
    size_t commands = count(char('0' + q));
    known += commands;
    if (!same("the order of commands has a wrong number for the " +
                  std::string(isa::name(isa::Unit(q))) + " queue",
              commands, origin.queueLayers[q].size()))
      return false;
  }
  return same("the order of commands has a wrong number of TEC steps",
              count('t'), origin.steps.size()) &&
         same("the order of commands has unknown commands", origin.order.size(),
              known);
}

bool Consistency::regions() {
  uint64_t workspace = 0;
  for (const MemorySection &s : e.featureMaps().sections)
    if (!s.parts.empty() && s.parts[0].fields.type == isa::SubIntermediate)
      workspace = s.sizeBytes / numSamples;
  for (const ProvenanceRegion &region : origin.regions) {
    bool isWorkspace = region.name == "workspace";
    uint64_t bytes = region.name == "sram"        ? e.machine().sramBytes
                     : region.name == "constants" ? constantBytes()
                                                  : workspace;
    uint64_t found = region.sizeBytes;
    if (isWorkspace)
      found = std::max<uint64_t>(found, isa::kMinSectionBytes);
    if (isWorkspace && numSamples > 1)
      found = (found + isa::kMinSectionBytes - 1) / isa::kMinSectionBytes *
              isa::kMinSectionBytes;
    if (!same("region '" + region.name +
                  "' differs in size from the provenance",
              found, bytes))
      return false;
  }
  for (const ProvenanceBuffer &buffer : origin.sram)
    if (buffer.offset + buffer.sizeBytes > e.machine().sramBytes)
      return report("buffer '" + buffer.name + "' is not inside the SRAM",
                    std::to_string(buffer.offset + buffer.sizeBytes) + " bytes",
                    "at most " + std::to_string(e.machine().sramBytes));
  return true;
}
