//===- Provenance.h - What an executable tells about its origin -*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Section .yarrow.provenance as structs. Every key must be there and of its
// kind; whether it agrees with the rest of the file, runtime/Consistency.h
// checks.
//
//   provenance.layers[provenance.queueLayers[queue][n]].name
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_RUNTIME_PROVENANCE_H
#define YARROW_RUNTIME_PROVENANCE_H

#include "isa/Machine.h"
#include "isa/Types.h"
#include "support/Diagnostics.h"
#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace yarrow::runtime {

/// A tensor of the network: real value = (stored + zeroPoint) / scale.
struct ProvenanceValue {
  std::string name, type;
  std::vector<int64_t> shape;
  double scale = 1;
  int64_t zeroPoint = 0;
};

/// What the integer IR states of the constants of one layer; any may be empty.
struct ProvenanceIntegers {
  std::vector<int64_t> biases, scales, shifts;
  /// Digests of the filter of each output channel, and of a table, of their
  /// numbers as 32-bit words.
  std::vector<uint32_t> weights, table;
  int64_t filterElements = 0; ///< Numbers of each filter; 0: there are none.
};

/// An input or output.
struct ProvenanceTensor : ProvenanceValue {
  /// What the model calls it; `name` of a file from before models' names were
  /// kept.
  std::string modelName;
  bool isQuantized = false;
  /// The least and the greatest stored integer, where the file has them.
  std::optional<std::pair<int64_t, int64_t>> range = {};
  uint32_t region = 0;
  /// Of an output: the one whose numbers add up to how many of its entries are
  /// in use; -1 if all are.
  int64_t countedBy = -1;
};

/// What the network keeps from run to run.
struct ProvenanceState : ProvenanceTensor {
  /// The output that it becomes, as the model calls it and as the IR does.
  std::string becomes, becomesTensor;
};

struct ProvenanceLayer {
  std::string name, type, file;
  uint64_t line = 0;
  uint64_t macs = 0, weightBytes = 0, inBytes = 0, outBytes = 0;
  /// Of a file from before Yarrow drew networks these are empty.
  std::vector<std::string> members; ///< Names of the layers that are this one.
  std::vector<std::string> reads;   ///< Names of tensors.
  std::vector<ProvenanceValue> results;
  /// By result, the lowest and the highest stored value, where they are told.
  std::vector<std::optional<std::pair<int64_t, int64_t>>> ranges;
  /// By member; of a file from before they were kept there is none.
  std::vector<ProvenanceIntegers> integers;
  std::string onTecs; ///< Why TECs compute it, or a part of it; or "".
  /// Of each member the keys of the IR with their values as text; empty of a
  /// file from before they were kept.
  std::vector<std::vector<std::pair<std::string, std::string>>> attributes;
};

/// Bytes of a region.
struct ProvenanceRange {
  uint32_t region = 0;
  uint64_t offset = 0, sizeBytes = 0;
};

/// A command of a program: which of its queue, or which step of the TECs.
struct CommandId {
  isa::Unit unit = isa::Unit::Tec;
  uint64_t index = 0;
  auto operator<=>(const CommandId &) const = default;
};

struct ProvenanceStep {
  int64_t layer = -1;
  std::string kernel;
  uint64_t pcBegin = 0, pcEnd = 0;
  /// All that it touches, or a little more.
  std::vector<ProvenanceRange> reads = {}, writes = {};
};

/// Where a result of a layer is as a whole, right after a command.
struct ProvenanceResult {
  std::string name;
  std::string type;
  std::vector<int64_t> shape;
  int64_t layer = -1;
  ProvenanceRange place;
  isa::Unit unit = isa::Unit::Tec; ///< Of the last command that writes to it.
  uint64_t command = 0; ///< Of queueLayers of a queue, or of the steps.
};

/// What of the compiler's options changes commands.
struct ProvenanceOptions {
  bool optimize = true, isFootprintWanted = false;
  std::vector<std::string> disabled;
};

struct ProvenanceBuffer {
  std::string name;
  uint64_t offset = 0, sizeBytes = 0;
  int64_t firstStep = 0, lastStep = 0;
};

/// One of several programs in a file: the same network for other shapes.
struct ProvenanceVariant {
  std::vector<std::vector<int64_t>> inputs, outputs;
  uint64_t firstLayer = 0; ///< Its layers go on to those of the next.
};

/// Where the constants are, if not in the executable.
struct ProvenanceWeightFile {
  std::string name;   ///< Beside the executable; empty: there is none.
  std::string digest; ///< support/Digest.h, of the whole file.
};

/// A region that is not of a tensor: "sram", "constants", "workspace".
struct ProvenanceRegion {
  std::string name;
  uint64_t sizeBytes = 0;
};

struct Provenance {
  std::string target, model;
  /// What the model computed in before it became integers: "float32"; empty if
  /// it came in these integers, or nobody knows.
  std::string sourcePrecision;
  bool cameInFloats() const { return sourcePrecision.starts_with("float"); }
  /// Always there after parseProvenance().
  std::optional<isa::Machine> machine;
  std::vector<ProvenanceTensor> inputs, outputs;
  std::vector<ProvenanceState> states; ///< Of most networks there are none.
  std::vector<ProvenanceLayer> layers;
  /// Layer of each descriptor of each queue; -1 for none.
  std::array<std::vector<int64_t>, isa::kNumQueues> queueLayers;
  std::vector<ProvenanceStep> steps;
  std::vector<ProvenanceResult> results; ///< In the order of the network.
  ProvenanceOptions options;
  std::vector<ProvenanceBuffer> sram;
  /// What the commands that firstStep and lastStep count are: the digit of a
  /// queue for its next descriptor, 't' for the next of the steps, '-' for
  /// neither. Empty of a file from before Yarrow drew networks.
  std::string order;
  std::vector<ProvenanceRegion> regions;
  /// Ascending. Empty: there is one program.
  std::vector<ProvenanceVariant> variants;
  ProvenanceWeightFile weightFile;

  /// Where each descriptor begins, with its layer, in ascending order. Not of
  /// the section: the executable reads it from its descriptors.
  std::vector<std::pair<uint32_t, int64_t>> commandLayers;

  /// Of the command whose descriptor is there. -1 where nothing is known.
  int64_t layerAt(uint32_t descriptorOffset) const;
  int64_t layerOfStep(uint32_t step) const;
  int64_t layerOf(CommandId command) const;
  /// The command whose descriptor is there.
  std::optional<CommandId> commandAt(uint32_t descriptorOffset) const;
  /// Where an engine's command has its descriptor.
  std::optional<uint32_t> descriptorOffsetOf(CommandId command) const;
};

/// Reports ExecutableMalformed or what the machine in it is wrong about.
std::optional<Provenance> parseProvenance(std::string_view json,
                                          const std::string &fileName,
                                          DiagnosticEngine &diags);

} // namespace yarrow::runtime

#endif // YARROW_RUNTIME_PROVENANCE_H
