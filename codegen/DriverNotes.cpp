//===- DriverNotes.cpp - What the driver needs to load a program ----------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "codegen/DriverNotes.h"

#include "isa/DriverInterface.h"
#include "isa/Types.h"

#include <algorithm>
#include <type_traits>

namespace yarrow {

/// The driver skips empty sections, which would shift the numbers of those
/// that follow.
static constexpr uint64_t kMinSectionBytes = 64;
/// Per task; the driver crashes without. Programs do not use it.
static constexpr uint32_t kPrivateDataBytes = 64;

/// Appends the bytes of a structure; hosts are little-endian, as the file.
template <typename T> static void append(std::string &bytes, const T &value) {
  static_assert(std::is_trivially_copyable_v<T> && alignof(T) <= 4);
  bytes.append(reinterpret_cast<const char *>(&value), sizeof(T));
}

uint64_t weightBytes(const ExecutableInput &input) {
  uint64_t total = 0;
  for (std::span<const std::byte> part : input.weights)
    total += part.size();
  return total;
}

uint64_t deviceMemoryBytes(const ExecutableInput &input) {
  // The driver adds a tail to a buffer and rounds up to pages. A size
  // beyond all bounds stays there when it is added up.
  auto buffer = [](uint64_t sizeBytes) {
    return (std::min(sizeBytes, uint64_t(1) << 48) + isa::kTensorTailBytes +
            isa::kPageBytes - 1) /
           isa::kPageBytes * isa::kPageBytes;
  };
  // Task blocks, and stacks and private data of 15 TECs, the most it can
  // manage, for each group.
  uint64_t total = buffer(0) + 15 * uint64_t(input.numGroups()) *
                                   (buffer(isa::kStackBytes) + buffer(0));
  for (uint64_t sizeBytes :
       {uint64_t(input.text.size()), uint64_t(input.descriptors.size()),
        weightBytes(input)})
    total += buffer(sizeBytes);
  uint64_t ofSample = buffer(input.workspaceBytes);
  for (const auto *tensors : {&input.inputs, &input.outputs})
    for (const IoTensor &tensor : *tensors)
      ofSample += buffer(tensor.sizeBytes);
  return total + input.samples * ofSample;
}

std::string rodataNote(const ExecutableInput &input) {
  std::string bytes;
  for (uint32_t group = 0; group < input.numGroups(); ++group) {
    append(bytes, isa::kParameterMagic);
    append(bytes, input.regionCount());
    append(bytes, uint32_t(0)); // ParameterDescriptors: remap fills it
    append(bytes, uint32_t(group % input.barriers.size()));
    append(bytes, isa::kSramBaseAddress);
    for (uint32_t region = 1; region < input.regionCount(); ++region)
      append(bytes, uint32_t(0));
  }
  return bytes;
}

/// A sub-section whose address goes into the parameter blocks of \p numGroups
/// groups from \p firstGroup on.
static void appendSubSection(std::string &bytes, const ExecutableInput &input,
                             uint32_t region, isa::SubSection section,
                             uint32_t firstGroup, uint32_t numGroups) {
  section.addrMask = 0xFFFFFFFF;
  section.patchCount = numGroups;
  append(bytes, section);
  for (uint32_t group = firstGroup; group < firstGroup + numGroups; ++group)
    append(bytes, group * isa::parameterBlockBytes(input.regionCount()) +
                      uint32_t(4 * (isa::ParameterRegions + region)));
}

static uint32_t sectionBytes(uint64_t sizeBytes) {
  return uint32_t(std::max(sizeBytes, kMinSectionBytes));
}

/// Of a sample: those of others begin at an address like its own.
static uint32_t workspaceBytes(const ExecutableInput &input) {
  uint64_t bytes = std::max(input.workspaceBytes, kMinSectionBytes);
  return uint32_t(input.samples == 1 ? bytes
                                     : (bytes + kMinSectionBytes - 1) /
                                           kMinSectionBytes * kMinSectionBytes);
}

std::string featureMapNote(const ExecutableInput &input) {
  uint64_t constants = weightBytes(input);
  std::string bytes;
  append(bytes, uint32_t(0));
  append(bytes, uint32_t(0));
  append(bytes, uint32_t(1)); // number of lists
  append(bytes, isa::BssHeader{.stackSize = isa::kStackBytes,
                               .stackAlign = isa::kPageBytes,
                               .staticCount = constants ? 1u : 0u,
                               .reuseCount = input.regionCount() -
                                             isa::kWorkspaceRegion +
                                             (input.hasProfile ? 1 : 0)});
  if (constants) {
    append(bytes, isa::StaticSection{.srcOffset = 0,
                                     .size = uint32_t(constants),
                                     .align = isa::kPageBytes,
                                     .subSectionCount = 1});
    appendSubSection(
        bytes, input, isa::kWeightRegion,
        {.size = uint32_t(constants), .type = isa::SubZeroCopyConstant}, 0,
        input.numGroups());
  }

  // One part that is all of its section. With several samples it is patched
  // nowhere, and a part of each follows.
  auto groups = uint32_t(input.barriers.size());
  auto appendReuse = [&](uint32_t region, isa::SubSection section) {
    uint32_t sampleBytes = section.size;
    bool isWhole = input.samples == 1;
    section.size *= input.samples;
    append(bytes, isa::ReuseSection{.size = sectionBytes(section.size),
                                    .align = isa::kPageBytes,
                                    .type = 0,
                                    .subSectionCount =
                                        isWhole ? 1 : 1 + input.samples});
    appendSubSection(bytes, input, region, section, 0, isWhole ? groups : 0);
    for (uint32_t sample = 0; !isWhole && sample < input.samples; ++sample)
      appendSubSection(bytes, input, region,
                       {.offset = sample * sampleBytes,
                        .size = sampleBytes,
                        .type = isa::SubIntermediate},
                       sample * groups, groups);
  };
  appendReuse(isa::kWorkspaceRegion,
              {.size = workspaceBytes(input), .type = isa::SubIntermediate});
  uint32_t region = isa::kFirstIoRegion;
  auto appendTensors = [&](const std::vector<IoTensor> &tensors,
                           isa::SubSectionType type) {
    for (uint32_t id = 0; id < tensors.size(); ++id)
      appendReuse(region++, {.size = uint32_t(tensors[id].sizeBytes),
                             .type = type,
                             .id = id,
                             .dataType = tensors[id].dtype,
                             .scale = tensors[id].scale,
                             .zeroPoint = tensors[id].zeroPoint});
  };
  appendTensors(input.inputs, isa::SubInput);
  appendTensors(input.outputs, isa::SubOutput);
  if (input.hasProfile) {
    append(bytes, isa::ReuseSection{.size = isa::kProfileBytes,
                                    .align = isa::kPageBytes,
                                    .type = 0,
                                    .subSectionCount = 1});
    append(bytes, isa::SubSection{.size = isa::kProfileBytes,
                                  .type = isa::SubProfile});
  }
  return bytes;
}

std::string remapNote(const ExecutableInput &input) {
  constexpr uint32_t kRodata = 0, kDescriptors = 1;
  std::string bytes;
  append(bytes, input.numGroups());
  for (uint32_t group = 0; group < input.numGroups(); ++group)
    append(bytes, isa::RemapEntry{.type = kRodata,
                                  .offset = group * isa::parameterBlockBytes(
                                                        input.regionCount()) +
                                            4 * isa::ParameterDescriptors,
                                  .nextType = kDescriptors,
                                  .nextOffset = 0});
  return bytes;
}

std::string subgraphsNote(const ExecutableInput &input) {
  uint32_t blockBytes = isa::parameterBlockBytes(input.regionCount());
  std::string bytes;
  append(bytes, input.numGroups());
  for (uint32_t group = 0; group < input.numGroups(); ++group) {
    bool isBarrier = input.barriers[group % input.barriers.size()];
    append(bytes,
           isa::SubgraphHeader{.id = group,
                               .textOffset = isa::kTextHeaderBytes,
                               .rodataOffset = group * blockBytes,
                               .rodataSize = blockBytes,
                               .dcrSize = uint32_t(input.descriptors.size()),
                               .privateDataSize = kPrivateDataBytes,
                               .precursorCount =
                                   isBarrier ? isa::kAllBeforePrecede : 0});
    append(bytes, int32_t(0)); // private buffers
  }
  return bytes;
}

std::string compilerMessageNote(const ExecutableInput &input) {
  std::string bytes;
  append(bytes, isa::CompilerMessage{.buildVersion = YARROW_VERSION_MAJOR |
                                                     YARROW_VERSION_MINOR << 8 |
                                                     YARROW_VERSION_PATCH << 16,
                                     .device = input.deviceWord});
  return bytes;
}

} // namespace yarrow
