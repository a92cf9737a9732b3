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
  uint64_t total = buffer(0) + 15 * input.barriers.size() *
                                   (buffer(isa::kStackBytes) + buffer(0));
  for (uint64_t sizeBytes :
       {uint64_t(input.text.size()), uint64_t(input.descriptors.size()),
        weightBytes(input), input.workspaceBytes})
    total += buffer(sizeBytes);
  for (const auto *tensors : {&input.inputs, &input.outputs})
    for (const IoTensor &tensor : *tensors)
      total += buffer(tensor.sizeBytes);
  return total;
}

std::string rodataNote(const ExecutableInput &input) {
  std::string bytes;
  for (uint32_t group = 0; group < input.barriers.size(); ++group) {
    append(bytes, isa::kParameterMagic);
    append(bytes, input.regionCount());
    append(bytes, uint32_t(0)); // ParameterDescriptors: remap fills it
    append(bytes, group);
    append(bytes, isa::kSramBaseAddress);
    for (uint32_t region = 1; region < input.regionCount(); ++region)
      append(bytes, uint32_t(0));
  }
  return bytes;
}

/// A sub-section that is all of its section, with a patch in each group's
/// parameter block.
static void appendSubSection(std::string &bytes, const ExecutableInput &input,
                             uint32_t region, isa::SubSection section) {
  section.addrMask = 0xFFFFFFFF;
  section.patchCount = uint32_t(input.barriers.size());
  append(bytes, section);
  for (uint32_t group = 0; group < section.patchCount; ++group)
    append(bytes, group * isa::parameterBlockBytes(input.regionCount()) +
                      uint32_t(4 * (isa::ParameterRegions + region)));
}

static uint32_t sectionBytes(uint64_t sizeBytes) {
  return uint32_t(std::max(sizeBytes, kMinSectionBytes));
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
                                             isa::kWorkspaceRegion});
  if (constants) {
    append(bytes, isa::StaticSection{.srcOffset = 0,
                                     .size = uint32_t(constants),
                                     .align = isa::kPageBytes,
                                     .subSectionCount = 1});
    appendSubSection(
        bytes, input, isa::kWeightRegion,
        {.size = uint32_t(constants), .type = isa::SubZeroCopyConstant});
  }

  auto appendReuse = [&](uint32_t region, isa::SubSection section) {
    append(bytes, isa::ReuseSection{.size = sectionBytes(section.size),
                                    .align = isa::kPageBytes,
                                    .type = 0,
                                    .subSectionCount = 1});
    appendSubSection(bytes, input, region, section);
  };
  appendReuse(isa::kWorkspaceRegion,
              {.size = sectionBytes(input.workspaceBytes),
               .type = isa::SubIntermediate});
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
  return bytes;
}

std::string remapNote(const ExecutableInput &input) {
  constexpr uint32_t kRodata = 0, kDescriptors = 1;
  std::string bytes;
  append(bytes, uint32_t(input.barriers.size()));
  for (uint32_t group = 0; group < input.barriers.size(); ++group)
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
  append(bytes, uint32_t(input.barriers.size()));
  for (uint32_t group = 0; group < input.barriers.size(); ++group) {
    append(bytes, isa::SubgraphHeader{
                      .id = group,
                      .textOffset = isa::kTextHeaderBytes,
                      .rodataOffset = group * blockBytes,
                      .rodataSize = blockBytes,
                      .dcrSize = uint32_t(input.descriptors.size()),
                      .privateDataSize = kPrivateDataBytes,
                      .precursorCount =
                          input.barriers[group] ? isa::kAllBeforePrecede : 0});
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
