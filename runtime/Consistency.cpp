//===- Consistency.cpp - Whether an executable agrees with itself ---------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "runtime/Consistency.h"
#include "runtime/ConsistencyChecks.h"

#include "isa/Descriptors.h"
#include "isa/DriverInterface.h"
#include "isa/Types.h"
#include "runtime/TecImage.h"
#include "runtime/VariantConsistency.h"
#include "support/Format.h"
#include "support/diagnostics/Executables.h"

#include <algorithm>
#include <span>

using namespace yarrow;
using namespace yarrow::runtime;

/// As often as there is a first group.
bool Consistency::samples() {
  uint32_t blockBytes = isa::parameterBlockBytes(numRegions()), found = 0;
  for (uint32_t group = 0; group < numGroups(); ++group) {
    uint64_t at = uint64_t(group) * blockBytes + 4 * isa::ParameterGroup;
    WordReader words(
        e.rodata().substr(std::min<uint64_t>(at, e.rodata().size())));
    found += words.word() == 0 && words.ok();
  }
  if (numGroups() == 0 || found == 0 || numGroups() % found != 0)
    return report("the number of sub-graphs does not match a number of samples",
                  std::to_string(found) + " first groups of " +
                      std::to_string(numGroups()),
                  "equally many groups for each sample");
  numSamples = found;
  return true;
}

bool Consistency::target() {
  if (!sameText("the target and the machine have different names",
                origin.target, e.machine().name))
    return false;
  // What a driver reads.
  std::string_view comment = e.comment();
  size_t begin = comment.find("target:");
  std::string_view name =
      begin == std::string_view::npos ? "" : comment.substr(begin + 7);
  if (!sameText("section .comment names another target than the provenance",
                name.substr(0, name.find(';')), origin.target))
    return false;
  isa::CompilerMessage message{};
  if (!same("the size of note \"compilermsg\" does not match",
            e.compilerMessage().size(), sizeof message))
    return false;
  std::memcpy(&message, e.compilerMessage().data(), sizeof message);
  return same("the device word in note \"compilermsg\" belongs to another "
              "target",
              message.device, e.machine().device.word()) &&
         same("the flags in note \"compilermsg\" do not match", message.flags,
              origin.variants.empty() ? 0 : isa::kHasInputShapes);
}

bool Consistency::parameters() {
  uint32_t blockBytes = isa::parameterBlockBytes(numRegions());
  if (!same("the size of note \"rodata\" does not match its regions",
            e.rodata().size(), numGroups() * blockBytes) ||
      !same("the number of entries in note \"remap\" does not match",
            e.remaps().size(), e.descriptors().empty() ? 0 : numGroups()))
    return false;
  for (uint32_t group = 0; group < numGroups(); ++group)
    if (!parameterBlock(group) || !subgraph(group))
      return false;
  return true;
}

bool Consistency::parameterBlock(uint32_t group) {
  uint32_t begin = group * isa::parameterBlockBytes(numRegions());
  WordReader words(e.rodata().substr(begin));
  bool ok = same("note \"rodata\" does not begin with a parameter block",
                 words.word(), isa::kParameterMagic) &&
            same("the number of regions in note \"rodata\" does not match",
                 words.word(), numRegions());
  words.word();
  ok = ok &&
       same("note \"rodata\" has the parameters of another group", words.word(),
            group % groupsOfSample()) &&
       same("the address of the SRAM in note \"rodata\" does not match",
            words.word(), isa::kSramBaseAddress);
  if (!ok || e.remaps().empty())
    return ok;
  // Where the parameter block refers to the descriptors.
  const isa::RemapEntry &entry = e.remaps()[group];
  uint32_t offset = begin + 4 * isa::ParameterDescriptors;
  if (entry.type == 0 && entry.offset == offset && entry.nextType == 1 &&
      entry.nextOffset == 0)
    return true;
  return report("note \"remap\" does not refer to the descriptors' address",
                std::to_string(entry.type) + ", " +
                    std::to_string(entry.offset) + ", " +
                    std::to_string(entry.nextType) + ", " +
                    std::to_string(entry.nextOffset),
                "0, " + std::to_string(offset) + ", 1, 0");
}

bool Consistency::subgraph(uint32_t group) {
  const isa::SubgraphHeader &graph = e.subgraphs()[group];
  uint32_t blockBytes = isa::parameterBlockBytes(numRegions());
  if (graph.precursorCount != 0 &&
      graph.precursorCount != isa::kAllBeforePrecede)
    return report(
        "a subgraph depends on some subgraphs before it, not on none or all",
        std::to_string(graph.precursorCount), "0 or -1");
  return same("the subgraph does not start after the program's header",
              graph.textOffset, isa::kTextHeaderBytes) &&
         same("the start of the subgraph's parameters does not match",
              graph.rodataOffset, group * blockBytes) &&
         same("the subgraph's parameter size does not match", graph.rodataSize,
              blockBytes) &&
         same("the start of the subgraph's descriptors does not match",
              graph.dcrOffset, 0) &&
         same("the subgraph's descriptor size does not match", graph.dcrSize,
              e.descriptors().size());
}

bool Consistency::isPatched(const std::string &what,
                            const MemorySubSection &part, uint32_t region,
                            uint32_t firstGroup, uint32_t count) {
  if (!same(what + " is only partly patched", part.fields.addrMask,
            0xFFFFFFFF) ||
      !same(what + " is patched in too few or too many places",
            part.patchOffsets.size(), count))
    return false;
  for (uint32_t i = 0; i < count; ++i)
    if (!same(what + " is patched in a wrong place", part.patchOffsets[i],
              (firstGroup + i) * isa::parameterBlockBytes(numRegions()) +
                  4 * (isa::ParameterRegions + region)))
      return false;
  return true;
}

/// One part that fills the section, and whose address is the region's word of
/// each parameter block. With several samples one that is patched nowhere, and
/// then a part of each, for its own parameter blocks.
bool Consistency::section(const MemorySection &section, uint32_t region) {
  std::string what = "the memory section of region " + std::to_string(region);
  bool isDivided = numSamples > 1 && !section.isStatic;
  if (!same(what + " has a wrong number of parts", section.parts.size(),
            isDivided ? 1 + numSamples : 1))
    return false;
  const MemorySubSection &whole = section.parts[0];
  // Constants are what they are; a reuse section has a least size.
  uint64_t leastBytes = section.isStatic ? 0 : isa::kMinSectionBytes;
  if (!same(what + " has its part at a wrong offset", whole.fields.offset, 0) ||
      !same(what + " differs in size from its part", section.sizeBytes,
            std::max<uint64_t>(whole.fields.size, leastBytes)) ||
      !isPatched(what, whole, region, 0, isDivided ? 0 : numGroups()))
    return false;
  if (!isDivided)
    return true;
  uint32_t sampleBytes = whole.fields.size / numSamples;
  for (uint32_t sample = 0; sample < numSamples; ++sample) {
    const MemorySubSection &part = section.parts[1 + sample];
    if (!same(what + " has the part of a sample at a wrong offset",
              part.fields.offset, uint64_t(sample) * sampleBytes) ||
        !same(what + " has a part of a wrong size", part.fields.size,
              sampleBytes) ||
        !same(what + " has a part of a wrong kind", part.fields.type,
              isa::SubIntermediate) ||
        !isPatched(what, part, region, sample * groupsOfSample(),
                   groupsOfSample()))
      return false;
  }
  return true;
}

/// A section for an isa::ProfileRecord, which may come last.
static bool isProfile(const MemorySection &section) {
  return !section.isStatic && section.parts.size() == 1 &&
         section.parts[0].fields.type == isa::SubProfile &&
         section.parts[0].fields.size >= sizeof(isa::ProfileRecord) &&
         section.parts[0].patchOffsets.empty();
}

/// The lengths of all outputs, of which the program has the address.
bool Consistency::isOutputShapes(const MemorySection &section) {
  const std::string what = "the section for the outputs' shapes";
  uint32_t id = 0, offset = 0;
  if (section.isStatic || section.parts.size() != e.outputs().size())
    return report(what + " has a wrong number of parts",
                  std::to_string(section.parts.size()),
                  std::to_string(e.outputs().size()));
  for (const MemorySubSection &part : section.parts) {
    auto bytes = uint32_t(4 * origin.outputs[id].shape.size());
    if (!same(what + " has a part of a wrong kind", part.fields.type,
              isa::SubOutputShape) ||
        !same(what + " has its parts in a wrong order", part.fields.id, id) ||
        !same(what + " has a part at a wrong offset", part.fields.offset,
              offset) ||
        !same(what + " has a part of a wrong size", part.fields.size, bytes) ||
        !isPatched(what, part, numRegions() - 1, 0, id == 0 ? numGroups() : 0))
      return false;
    offset += bytes;
    ++id;
  }
  return true;
}

bool Consistency::sections() {
  const FeatureMaps &maps = e.featureMaps();
  if (!same("the number of lists of buffers does not match", maps.numLists,
            origin.weightFile.name.empty() ? 1 : 2))
    return false;
  // Of two lists the second has the constants and the workspace.
  std::vector<const MemorySection *> all;
  for (uint32_t list : {1, 0})
    for (const MemorySection &s : maps.sections)
      if (s.list == list)
        all.push_back(&s);
  if (!all.empty() && isProfile(*all.back()))
    all.pop_back();
  uint32_t region = e.constants() ? isa::kWeightRegion : isa::kWorkspaceRegion;
  if (!same(
          "the number of memory sections does not match the number of regions",
          all.size(), numRegions() - region))
    return false;
  auto firstState = all.begin() + (e.constants() ? 1 : 0),
       endStates = firstState + ptrdiff_t(e.states().size());
  if (!states(std::span(firstState, endStates)))
    return false;
  all.erase(firstState, endStates);
  if (!origin.variants.empty()) {
    if (origin.outputs.size() != e.outputs().size() ||
        !isOutputShapes(*all.back()))
      return false;
    all.pop_back();
  }
  for (const MemorySection *s : all) {
    bool isConstant = region == isa::kWeightRegion;
    if (s->isStatic != isConstant)
      return report("constants and tensors are mixed up",
                    s->isStatic ? "a static section" : "a reuse section",
                    isConstant ? "a static section" : "a reuse section");
    // A section without a part has no kind: section() tells.
    if (!section(*s, region))
      return false;
    isa::SubSectionType type =
        isConstant                        ? isa::SubZeroCopyConstant
        : region == isa::kWorkspaceRegion ? isa::SubIntermediate
        : region - isa::kFirstIoRegion < e.inputs().size() ? isa::SubInput
                                                           : isa::SubOutput;
    if (!same("region " + std::to_string(region) + " has a wrong kind",
              s->parts[0].fields.type, type))
      return false;
    ++region;
  }
  return true;
}

/// Static sections, each filled from an aligned place behind what is before it,
/// and together with the constants from all that there is.
bool Consistency::states(std::span<const MemorySection *const> sections) {
  constexpr uint64_t kAlignBytes = isa::kBufferAlignBytes;
  uint64_t end = constantBytes();
  uint32_t region =
      isa::kFirstIoRegion + uint32_t(e.inputs().size() + e.outputs().size());
  for (size_t i = 0; i < sections.size(); ++i) {
    const MemorySection &s = *sections[i];
    std::string what = "state '" + e.states()[i].name + "'";
    if (!s.isStatic)
      return report(what + " is not in a static section", "a reuse section",
                    "a static section");
    end = (end + kAlignBytes - 1) / kAlignBytes * kAlignBytes;
    if (!same(what + " begins with a value at a wrong offset", s.sourceOffset,
              end) ||
        !section(s, region) ||
        !same(what + " has a wrong kind", s.parts[0].fields.type,
              isa::SubZeroCopyConstant) ||
        !same(what + " differs in size from its shape", s.sizeBytes,
              std::max<uint64_t>(e.states()[i].sizeBytes,
                                 isa::kMinSectionBytes)) ||
        !same(what + " is in a wrong region", origin.states[i].region, region))
      return false;
    end += s.sizeBytes;
    ++region;
  }
  return same("the constants' size does not match", end, e.weights().size());
}

bool Consistency::tensor(const std::string &what, const IoDescription &io,
                         const ProvenanceTensor &from, uint32_t region) {
  uint64_t elementBytes = dataTypeBytes(io.type);
  if (elementBytes == 0)
    return report(what + " has an unknown element type",
                  std::to_string(uint32_t(io.type)),
                  "a number of the driver's table, such as 3 for int8");
  if (!sameText(what + " has a different type in the list of buffers",
                dataTypeName(io.type), from.type))
    return false;
  std::optional<uint64_t> bytes = tensorBytes(from.shape, elementBytes);
  // With several variants: the largest, which variants() checks.
  if (bytes != io.sizeBytes && origin.variants.empty())
    return report(what + " differs in size from its shape",
                  std::to_string(io.sizeBytes) + " bytes",
                  shapeText(from.shape) + " of " + from.type + ", " +
                      (bytes ? std::to_string(*bytes) + " bytes"
                             : std::string("which is too large for a tensor")));
  if (io.scale != float(from.scale) || io.zeroPoint != from.zeroPoint)
    return report(what + " has a different quantization in the list of buffers",
                  "scale " + std::to_string(io.scale) + ", zero point " +
                      std::to_string(io.zeroPoint),
                  "scale " + std::to_string(from.scale) + ", zero point " +
                      std::to_string(from.zeroPoint));
  return same(what + " is in a wrong region", from.region, region);
}

bool Consistency::tensors(const std::string &kind,
                          const std::vector<IoDescription> &list,
                          const std::vector<ProvenanceTensor> &origins,
                          uint32_t firstRegion) {
  if (!same("the list of buffers differs in the number of " + kind +
                "s from the provenance",
            list.size(), origins.size()))
    return false;
  for (uint32_t i = 0; i < list.size(); ++i)
    if (!tensor(kind + " " + std::to_string(i) + " '" + list[i].name + "'",
                list[i], origins[i], firstRegion + i))
      return false;
  return true;
}

bool runtime::checkConsistency(const Executable &executable,
                               DiagnosticEngine &diags) {
  return Consistency(executable, diags).check();
}
