//===- RunTensors.cpp - Tensors in a device's memory, during a run --------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "runtime/RunTensors.h"

#include "support/Digest.h"

using namespace yarrow;
using namespace yarrow::runtime;

RunTensors::RunTensors(const Executable &executable) {
  const Provenance &origin = executable.provenance();
  for (size_t i = 0; i < executable.inputs().size(); ++i) {
    const IoDescription &io = executable.inputs()[i];
    RunTensor tensor;
    tensor.name = io.tensor;
    tensor.type = std::string(dataTypeName(io.type));
    tensor.shape = io.shape;
    tensor.scale = io.scale;
    tensor.zeroPoint = io.zeroPoint;
    tensor.place = {origin.inputs[i].region, 0, io.sizeBytes};
    tensors.push_back(std::move(tensor));
  }
  for (const ProvenanceResult &result : origin.results) {
    if (result.layer < 0 || !executable.hasLayer(size_t(result.layer)))
      continue;
    RunTensor tensor;
    tensor.name = result.name;
    tensor.type = result.type;
    tensor.shape = result.shape;
    for (const ProvenanceValue &value :
         origin.layers[size_t(result.layer)].results)
      if (value.name == result.name) {
        tensor.scale = value.scale;
        tensor.zeroPoint = value.zeroPoint;
      }
    tensor.place = result.place;
    tensor.layer = result.layer;
    tensor.completedBy = CommandId{result.unit, result.command};
    completes[*tensor.completedBy].push_back(tensors.size());
    tensors.push_back(std::move(tensor));
  }
  for (size_t i = 0; i < tensors.size(); ++i)
    byName.try_emplace(tensors[i].name, i);
  seen.resize(tensors.size());
}

std::optional<size_t> RunTensors::find(const std::string &name) const {
  auto it = byName.find(name);
  return it != byName.end() ? std::optional(it->second) : std::nullopt;
}

std::vector<size_t> RunTensors::resultsOf(int64_t layer) const {
  std::vector<size_t> indices;
  for (size_t i = 0; i < tensors.size(); ++i)
    if (layer >= 0 && tensors[i].layer == layer)
      indices.push_back(i);
  return indices;
}

static std::optional<uint32_t> addressOf(const ProvenanceRange &place,
                                         const sim::CoreView &view) {
  if (place.region >= view.bases.size() || !view.bases[place.region])
    return std::nullopt;
  uint64_t address = *view.bases[place.region] + place.offset;
  if (address > UINT32_MAX ||
      !view.memory.at(uint32_t(address), place.sizeBytes))
    return std::nullopt;
  return uint32_t(address);
}

static std::span<const std::byte> bytesAt(const sim::Memory &memory,
                                          uint32_t address, uint64_t size) {
  const uint8_t *bytes = memory.at(address, size);
  return {reinterpret_cast<const std::byte *>(bytes), bytes ? size_t(size) : 0};
}

static uint64_t digestAt(std::span<const std::byte> bytes) {
  return digestOf(std::string_view(reinterpret_cast<const char *>(bytes.data()),
                                   bytes.size()));
}

void RunTensors::note(size_t index, const sim::CoreView &view) {
  const ProvenanceRange &place = tensors[index].place;
  if (std::optional<uint32_t> address = addressOf(place, view))
    seen[index] = {&view.memory, view.core, *address,
                   digestAt(bytesAt(view.memory, *address, place.sizeBytes))};
}

void RunTensors::noteInputs(const sim::CoreView &view) {
  for (size_t i = 0; i < tensors.size() && !tensors[i].completedBy; ++i)
    if (!seen[i])
      note(i, view);
}

void RunTensors::commandDone(CommandId command, const sim::CoreView &view) {
  if (auto it = completes.find(command); it != completes.end())
    for (size_t index : it->second)
      note(index, view);
}

RunTensors::Contents RunTensors::look(size_t index,
                                      const sim::CoreView &view) const {
  const RunTensor &tensor = tensors[index];
  uint64_t size = tensor.place.sizeBytes;
  Contents contents;
  if (const std::optional<Seen> &whole = seen[index]) {
    contents.core = whole->core;
    contents.address = whole->address;
    contents.bytes = bytesAt(*whole->memory, whole->address, size);
    contents.state = digestAt(contents.bytes) == whole->digest
                         ? State::Whole
                         : State::Replaced;
    return contents;
  }
  std::optional<uint32_t> address = addressOf(tensor.place, view);
  if (!address)
    return contents;
  contents.core = view.core;
  contents.address = *address;
  contents.bytes = bytesAt(view.memory, *address, size);
  contents.state = State::NotYet;
  return contents;
}
