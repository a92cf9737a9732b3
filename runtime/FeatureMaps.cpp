//===- FeatureMaps.cpp - The buffers an executable asks for ---------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "runtime/FeatureMaps.h"

#include "isa/DriverInterface.h"
#include "support/diagnostics/Executables.h"

#include <bit>

using namespace yarrow;
using namespace yarrow::runtime;

/// An address space of the driver.
static constexpr uint64_t kMaxSectionBytes = isa::kDriverDdrBytes;
/// Buffers are placed at pages: a larger alignment would not be honoured.
static constexpr uint32_t kMaxAlignBytes = isa::kPageBytes;

static bool isAlignment(uint32_t bytes) {
  return std::has_single_bit(bytes) && bytes <= kMaxAlignBytes;
}

namespace {
class FeatureMapParser {
public:
  FeatureMapParser(std::string_view note, uint64_t patchableBytes,
                   uint64_t weightBytes)
      : reader(note), patchableBytes(patchableBytes), weightBytes(weightBytes) {
  }

  /// Null or what is wrong.
  const char *parse(FeatureMaps &maps) {
    reader.word();
    reader.word();
    maps.numLists = reader.word();
    if (maps.numLists != 1 && maps.numLists != 2)
      return "the feature map list does not have one or two entries";
    for (uint32_t i = 0; i < maps.numLists; ++i)
      if (const char *wrong = list(i, maps))
        return wrong;
    return reader.ok() ? nullptr : "the feature map list ends early";
  }

private:
  const char *list(uint32_t index, FeatureMaps &maps) {
    uint32_t stackBytes = reader.word(), stackAlign = reader.word();
    uint32_t numStatic = reader.word(), numReuse = reader.word();
    if (stackBytes == 0 || stackBytes > kMaxSectionBytes ||
        !isAlignment(stackAlign) || numReuse == 0)
      return "the feature map list needs a stack and a reuse section";
    if (index == 0) {
      maps.stackBytes = stackBytes;
      maps.stackAlign = stackAlign;
    }
    // Each section takes 16 bytes at least.
    if ((uint64_t(numStatic) + numReuse) * 16 > reader.remainingBytes())
      return "the feature map list is too short for its sections";
    for (uint32_t i = 0; i < numStatic + numReuse; ++i)
      if (const char *wrong = section(i < numStatic, index, maps))
        return wrong;
    return nullptr;
  }

  const char *section(bool isStatic, uint32_t list, FeatureMaps &maps) {
    MemorySection s;
    s.isStatic = isStatic;
    s.list = list;
    if (isStatic)
      s.sourceOffset = reader.word();
    s.sizeBytes = reader.word();
    s.alignBytes = reader.word();
    if (!isStatic)
      reader.word();
    uint32_t numParts = reader.word();
    if (s.sizeBytes == 0 || s.sizeBytes > kMaxSectionBytes ||
        !isAlignment(s.alignBytes))
      return "a memory section has an impossible size or alignment";
    if (isStatic && uint64_t(s.sourceOffset) + s.sizeBytes > weightBytes)
      return "a constant section is not inside the constants";
    if (uint64_t(numParts) * sizeof(isa::SubSection) > reader.remainingBytes())
      return "a memory section is too short for its parts";
    for (uint32_t i = 0; i < numParts; ++i)
      if (const char *wrong = part(s))
        return wrong;
    maps.sections.push_back(std::move(s));
    return nullptr;
  }

  const char *part(MemorySection &section) {
    MemorySubSection p;
    uint32_t words[sizeof(isa::SubSection) / 4];
    for (uint32_t &word : words)
      word = reader.word();
    std::memcpy(&p.fields, words, sizeof words);
    if (uint64_t(p.fields.offset) + p.fields.size > section.sizeBytes)
      return "a tensor is not inside its memory section";
    if (uint64_t(p.fields.patchCount) * 4 > reader.remainingBytes())
      return "a list of addresses to patch ends early";
    for (uint32_t i = 0; i < p.fields.patchCount; ++i) {
      p.patchOffsets.push_back(reader.word());
      if (uint64_t(p.patchOffsets.back()) + 4 > patchableBytes)
        return "an address to patch is outside of the parameter block";
    }
    section.parts.push_back(std::move(p));
    return nullptr;
  }

  WordReader reader;
  uint64_t patchableBytes, weightBytes;
};
} // namespace

std::optional<FeatureMaps>
runtime::parseFeatureMaps(std::string_view note, uint64_t patchableBytes,
                          uint64_t weightBytes, const std::string &fileName,
                          DiagnosticEngine &diags) {
  FeatureMaps maps;
  if (const char *wrong =
          FeatureMapParser(note, patchableBytes, weightBytes).parse(maps)) {
    diags.report(diag::ExecutableMalformed, {fileName}, wrong);
    return std::nullopt;
  }
  return maps;
}
