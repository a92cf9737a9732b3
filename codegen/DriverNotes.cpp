//===- DriverNotes.cpp - What the driver needs to load a program ----------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "codegen/DriverNotes.h"

#include "isa/DriverInterface.h"
#include "isa/Types.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/SHA256.h"

#include <algorithm>
#include <type_traits>

namespace yarrow {

/// Per task; the driver crashes without. Programs do not use it.
static constexpr uint32_t kPrivateDataBytes = 64;

/// Appends the bytes of a structure; hosts are little-endian, as the file.
template <typename T> static void append(std::string &bytes, const T &value) {
  static_assert(std::is_trivially_copyable_v<T> && alignof(T) <= 4);
  bytes.append(reinterpret_cast<const char *>(&value), sizeof(T));
}

static uint64_t constantBytes(const ExecutableInput &input) {
  uint64_t total = 0;
  for (std::span<const std::byte> part : input.weights)
    total += part.size();
  return total;
}

static uint64_t alignedState(uint64_t offset) {
  return (offset + isa::kBufferAlignBytes - 1) / isa::kBufferAlignBytes *
         isa::kBufferAlignBytes;
}

std::vector<std::span<const std::byte>>
weightParts(const ExecutableInput &input) {
  static constexpr std::byte zeros[isa::kBufferAlignBytes] = {};
  std::vector<std::span<const std::byte>> parts = input.weights;
  uint64_t at = constantBytes(input);
  for (const std::vector<char> &state : input.states) {
    if (uint64_t gap = alignedState(at) - at)
      parts.push_back({zeros, size_t(gap)});
    parts.push_back(std::as_bytes(std::span(state)));
    at = alignedState(at) + state.size();
  }
  return parts;
}

uint64_t weightBytes(const ExecutableInput &input) {
  uint64_t total = 0;
  for (std::span<const std::byte> part : weightParts(input))
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
  // Static sections begin at pages.
  total += input.states.size() * buffer(0);
  uint64_t ofSample = buffer(input.workspaceBytes);
  for (const auto *tensors : {&input.inputs, &input.outputs})
    for (const IoTensor &tensor : *tensors)
      ofSample += buffer(tensor.sizeBytes);
  if (!input.shapes.empty())
    total += 2 * buffer(0); // global parameters and shapes of outputs
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
  return uint32_t(std::max<uint64_t>(sizeBytes, isa::kMinSectionBytes));
}

/// Of a sample: those of others begin at an address like its own.
static uint32_t workspaceBytes(const ExecutableInput &input) {
  constexpr uint64_t kAlignBytes = isa::kMinSectionBytes;
  uint64_t bytes = std::max(input.workspaceBytes, kAlignBytes);
  return uint32_t(input.samples == 1
                      ? bytes
                      : (bytes + kAlignBytes - 1) / kAlignBytes * kAlignBytes);
}

namespace {

/// The lists of buffers. With a file of constants they are two: a driver takes
/// those of the second list from there.
class FeatureMapWriter {
public:
  explicit FeatureMapWriter(const ExecutableInput &input)
      : input(input), hasFile(!input.weightFile.empty()) {}

  std::string write() {
    append(bytes, uint32_t(0));
    append(bytes, uint32_t(0));
    append(bytes, uint32_t(hasFile ? 2 : 1)); // number of lists
    uint32_t numTensors = uint32_t(input.inputs.size() + input.outputs.size()),
             ofSeveral = input.shapes.empty() ? 0 : 1,
             ofProfile = input.hasProfile ? 1 : 0,
             others = numTensors + ofSeveral + ofProfile;
    if (hasFile) {
      addList(0, others);
      addTensors();
      addList(numStatic(), 1);
    } else {
      addList(numStatic(), 1 + others);
    }
    addConstants();
    addStates();
    addReuse(isa::kWorkspaceRegion,
             {.size = workspaceBytes(input), .type = isa::SubIntermediate});
    if (!hasFile)
      addTensors();
    return std::move(bytes);
  }

private:
  void addList(uint32_t numStatic, uint32_t numReuse) {
    append(bytes, isa::BssHeader{.stackSize = isa::kStackBytes,
                                 .stackAlign = isa::kPageBytes,
                                 .staticCount = numStatic,
                                 .reuseCount = numReuse});
  }
  uint32_t numStatic() const {
    return (constantBytes(input) ? 1 : 0) + uint32_t(input.states.size());
  }
  void addConstants();
  void addStates();
  void addStatic(uint64_t offset, uint64_t sizeBytes, uint32_t region);
  void addReuse(uint32_t region, isa::SubSection section);
  void addTensors();
  void addTensors(const std::vector<IoTensor> &tensors,
                  isa::SubSectionType type, uint32_t firstRegion);
  void addOutputShapes(uint32_t region);
  void addProfile();
  void beginReuse(uint64_t sizeBytes, size_t numParts) {
    append(bytes, isa::ReuseSection{.size = sectionBytes(sizeBytes),
                                    .align = isa::kPageBytes,
                                    .type = 0,
                                    .subSectionCount = uint32_t(numParts)});
  }

  const ExecutableInput &input;
  const bool hasFile;
  std::string bytes;
};

} // namespace

void FeatureMapWriter::addStatic(uint64_t offset, uint64_t sizeBytes,
                                 uint32_t region) {
  append(bytes, isa::StaticSection{.srcOffset = uint32_t(offset),
                                   .size = uint32_t(sizeBytes),
                                   .align = isa::kPageBytes,
                                   .subSectionCount = 1});
  appendSubSection(
      bytes, input, region,
      {.size = uint32_t(sizeBytes), .type = isa::SubZeroCopyConstant}, 0,
      input.numGroups());
}

void FeatureMapWriter::addConstants() {
  if (uint64_t sizeBytes = constantBytes(input))
    addStatic(0, sizeBytes, isa::kWeightRegion);
}

/// Sections that a driver fills when it loads the program, and leaves alone
/// from job to job.
void FeatureMapWriter::addStates() {
  auto region = uint32_t(isa::kFirstIoRegion + input.inputs.size() +
                         input.outputs.size());
  uint64_t at = constantBytes(input);
  for (const std::vector<char> &state : input.states) {
    at = alignedState(at);
    addStatic(at, state.size(), region++);
    at += state.size();
  }
}

/// One part that is all of its section. With several samples it is patched
/// nowhere, and a part of each follows.
void FeatureMapWriter::addReuse(uint32_t region, isa::SubSection section) {
  auto groups = uint32_t(input.barriers.size());
  uint32_t sampleBytes = section.size;
  bool isWhole = input.samples == 1;
  section.size *= input.samples;
  beginReuse(section.size, isWhole ? 1 : 1 + input.samples);
  appendSubSection(bytes, input, region, section, 0, isWhole ? groups : 0);
  for (uint32_t sample = 0; !isWhole && sample < input.samples; ++sample)
    appendSubSection(bytes, input, region,
                     {.offset = sample * sampleBytes,
                      .size = sampleBytes,
                      .type = isa::SubIntermediate},
                     sample * groups, groups);
}

void FeatureMapWriter::addTensors(const std::vector<IoTensor> &tensors,
                                  isa::SubSectionType type,
                                  uint32_t firstRegion) {
  for (uint32_t id = 0; id < tensors.size(); ++id)
    addReuse(firstRegion + id, {.size = uint32_t(tensors[id].sizeBytes),
                                .type = type,
                                .id = id,
                                .dataType = tensors[id].dtype,
                                .scale = tensors[id].scale,
                                .zeroPoint = tensors[id].zeroPoint});
}

void FeatureMapWriter::addTensors() {
  uint32_t region = isa::kFirstIoRegion;
  addTensors(input.inputs, isa::SubInput, region);
  region += uint32_t(input.inputs.size());
  addTensors(input.outputs, isa::SubOutput, region);
  region += uint32_t(input.outputs.size());
  if (!input.shapes.empty())
    addOutputShapes(region);
  if (input.hasProfile)
    addProfile();
}

/// One section: the program has the address of its first part.
void FeatureMapWriter::addOutputShapes(uint32_t region) {
  const auto &shapes = input.shapes[0].outputs;
  uint32_t offset = 0, id = 0;
  for (const std::vector<int64_t> &shape : shapes)
    offset += uint32_t(4 * shape.size());
  beginReuse(offset, shapes.size());
  offset = 0;
  for (const std::vector<int64_t> &shape : shapes) {
    isa::SubSection section{.offset = offset,
                            .size = uint32_t(4 * shape.size()),
                            .type = isa::SubOutputShape,
                            .id = id,
                            .dataType = isa::DataU32,
                            .scale = 1};
    appendSubSection(bytes, input, region, section, 0,
                     id == 0 ? input.numGroups() : 0);
    offset += section.size;
    ++id;
  }
}

void FeatureMapWriter::addProfile() {
  beginReuse(isa::kProfileBytes, 1);
  append(bytes,
         isa::SubSection{.size = isa::kProfileBytes, .type = isa::SubProfile});
}

std::string featureMapNote(const ExecutableInput &input) {
  return FeatureMapWriter(input).write();
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
  append(bytes, isa::CompilerMessage{
                    .buildVersion = isa::versionWord(YARROW_VERSION_MAJOR,
                                                     YARROW_VERSION_MINOR,
                                                     YARROW_VERSION_PATCH),
                    .device = input.deviceWord,
                    .flags = input.shapes.empty() ? 0 : isa::kHasInputShapes});
  return bytes;
}

std::string globalParametersNote(const ExecutableInput &input) {
  uint32_t numWords = 0;
  for (const std::vector<int64_t> &shape : input.shapes[0].inputs)
    numWords += uint32_t(shape.size());
  std::string bytes;
  append(bytes, isa::GlobalParameters{.numWords = numWords});
  // A driver asks for at least a word behind the header.
  bytes.resize(bytes.size() + 4 * std::max(numWords, 1u));
  return bytes;
}

std::string inputShapesNote(const ExecutableInput &input) {
  size_t numInputs = input.inputs.size();
  std::string bytes;
  append(bytes, uint32_t(2 * numInputs));
  for (size_t i = 0; i < numInputs; ++i)
    for (const IoShapes &bound : {input.shapes.front(), input.shapes.back()}) {
      append(bytes, uint32_t(bound.inputs[i].size()));
      for (int64_t length : bound.inputs[i])
        append(bytes, uint32_t(length));
    }
  return bytes;
}

std::string extraWeightsNote(const ExecutableInput &input) {
  llvm::SHA256 digest;
  for (std::span<const std::byte> part : weightParts(input))
    digest.update(
        {reinterpret_cast<const uint8_t *>(part.data()), part.size()});
  std::string name =
      input.weightFile + "+" + llvm::toHex(digest.final(), /*LowerCase=*/true);
  std::string bytes;
  for (uint64_t word : {uint64_t(1), uint64_t(name.size())}) {
    append(bytes, uint32_t(word));
    append(bytes, uint32_t(word >> 32));
  }
  return bytes + name;
}

} // namespace yarrow
