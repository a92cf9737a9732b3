//===- CommandSearch.cpp - Which command of a layer went wrong ------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/bisect/CommandSearch.h"

#include "simulator/engine/Fault.h"
#include "support/Format.h"

#include <algorithm>
#include <nlohmann/json.hpp>

using namespace yarrow;
using namespace yarrow::runtime;

CommandSearch::CommandSearch(MachineRun &run,
                             const std::vector<std::vector<char>> &inputs,
                             std::size_t resultIndex)
    : run(run), inputs(inputs), result(run.provenance().results[resultIndex]),
      suspects(run.provenance().layers.size()) {
  std::vector<bool> hasResult(suspects.size());
  for (const ProvenanceResult &r : run.provenance().results)
    if (r.layer >= 0)
      hasResult[std::size_t(r.layer)] = true;
  for (int64_t layer = 0; layer <= result.layer; ++layer)
    suspects[std::size_t(layer)] =
        layer == result.layer || !hasResult[std::size_t(layer)];
}

static bool overlap(const ProvenanceRange &a, const ProvenanceRange &b) {
  return a.region == b.region && a.offset < b.offset + b.sizeBytes &&
         b.offset < a.offset + a.sizeBytes;
}
static bool overlap(const ByteRanges &a, const ByteRanges &b) {
  return std::any_of(a.begin(), a.end(), [&](const ProvenanceRange &x) {
    return std::any_of(b.begin(), b.end(),
                       [&](const ProvenanceRange &y) { return overlap(x, y); });
  });
}
static bool areSame(const ByteRanges &a, const ByteRanges &b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const ProvenanceRange &x, const ProvenanceRange &y) {
                      return x.region == y.region && x.offset == y.offset &&
                             x.sizeBytes == y.sizeBytes;
                    });
}

std::optional<DifferingCommand>
CommandSearch::against(MachineRun &twin, const MachineLog &right,
                       DiagnosticEngine &diags) {
  std::map<CommandId, ByteRanges> places;
  for (const ExecutedCommand &command : right.commands)
    places[command.id] = command.writes;
  MachineQuestions questions{.places = &places};
  std::optional<MachineLog> wrong = run.run(inputs, questions, diags);
  if (!wrong)
    return std::nullopt;
  std::map<std::pair<CommandId, std::size_t>, const ExecutedCommand *> found;
  for (const ExecutedCommand &command : wrong->commands)
    found[{command.id, command.repetition}] = &command;
  auto twinOf = [&](const ExecutedCommand &command) {
    auto it = found.find({command.id, command.repetition});
    return it == found.end() ? nullptr : it->second;
  };
  // A command that writes elsewhere leaves other bytes where it should write,
  // or spoils what is beside.
  auto differs = [&](const ExecutedCommand &command) {
    const ExecutedCommand *other = twinOf(command);
    return !other || other->digest != command.digest ||
           !areSame(other->writes, command.writes);
  };
  const std::vector<ExecutedCommand> &commands = right.commands;
  auto first = std::find_if(
      commands.begin(), commands.end(), [&](const ExecutedCommand &command) {
        return isSuspect(twin.layerOf(command.id)) && differs(command);
      });
  // The layer's own commands may do as they should with what another one has
  // spoiled: one that was executed before and wrote to where they read.
  const ByteRanges readByLayer =
      first == commands.end() ? ByteRanges{result.place} : first->reads;
  const ExecutedCommand *last =
      first == commands.end() ? nullptr : twinOf(*first);
  for (const ExecutedCommand &other : wrong->commands) {
    if (&other == last)
      break;
    if (isSuspect(run.layerOf(other.id)) || !overlap(other.writes, readByLayer))
      continue;
    auto intruder = std::find_if(
        commands.begin(), commands.end(), [&](const ExecutedCommand &command) {
          return command.id == other.id &&
                 command.repetition == other.repetition;
        });
    if (intruder == commands.end() || !differs(*intruder))
      continue;
    first = intruder;
    break;
  }
  if (first == commands.end())
    return std::nullopt;

  const ExecutedCommand *other = twinOf(*first);
  DifferingCommand answer = describe(other ? *other : *first);
  answer.isAgainstTwin = true;
  if (!other) {
    answer.remark = "it did not run";
    return answer;
  }
  if (!areSame(other->writes, first->writes)) {
    answer.remark = "it should have written to";
    for (const ProvenanceRange &range : first->writes)
      answer.remark += (&range == first->writes.data() ? " " : ", ") +
                       placeText(first->id, twin.layerOf(first->id), range);
    return answer;
  }
  std::vector<std::vector<char>> rightBytes, wrongBytes;
  questions.wanted = {first->id, first->repetition};
  questions.bytes = &wrongBytes;
  MachineQuestions same{.wanted = questions.wanted, .bytes = &rightBytes};
  if (!run.run(inputs, questions, diags) || !twin.run(inputs, same, diags))
    return answer;
  for (std::size_t r = 0; r < std::min(rightBytes.size(), wrongBytes.size());
       ++r) {
    auto [a, b] = std::mismatch(rightBytes[r].begin(), rightBytes[r].end(),
                                wrongBytes[r].begin(), wrongBytes[r].end());
    if (a == rightBytes[r].end() || b == wrongBytes[r].end())
      continue;
    answer.range = r;
    answer.byteOffset = uint64_t(a - rightBytes[r].begin());
    answer.expectedByte = uint8_t(*a);
    answer.foundByte = uint8_t(*b);
    break;
  }
  return answer;
}

std::optional<DifferingCommand>
CommandSearch::against(std::span<const char> expected,
                       DiagnosticEngine &diags) {
  MachineQuestions questions{
      .result = &result, .expected = expected, .isSuspect = &suspects};
  std::optional<MachineLog> again = run.run(inputs, questions, diags);
  if (!again)
    return std::nullopt;
  if (run.firstWrong) {
    auto [index, offset] = *run.firstWrong;
    DifferingCommand answer = describe(again->commands[index]);
    answer.byteOffset = offset;
    answer.expectedByte = uint8_t(expected[offset]);
    return answer;
  }
  // Nothing wrong was written: something right was not.
  for (const ExecutedCommand &command : again->commands)
    if (command.id == CommandId{result.unit, result.command}) {
      DifferingCommand answer = describe(command);
      answer.remark =
          "part of the result was not written when the command ended";
      return answer;
    }
  return std::nullopt;
}

/// What lies there when the command is executed: a result that it writes, a
/// buffer of the memory map (of several at one place the one that has the
/// layer's name), or a region.
std::string CommandSearch::placeText(CommandId id, int64_t layer,
                                     const ProvenanceRange &range) const {
  const Provenance &origin = run.provenance();
  std::string name;
  auto offer = [&](const std::string &candidate, bool isBest) {
    if (name.empty() || isBest)
      name = candidate;
  };
  if (range.region == isa::kSramRegion) {
    std::string prefix =
        run.layerName(layer).substr(0, run.layerName(layer).find(" + "));
    for (const ProvenanceBuffer &buffer : origin.sram)
      if (range.offset >= buffer.offset &&
          range.offset + range.sizeBytes <= buffer.offset + buffer.sizeBytes)
        offer(buffer.name, buffer.name.starts_with(prefix + "."));
  }
  for (const ProvenanceResult &r : origin.results)
    if (overlap(r.place, range) &&
        (r.layer == layer || range.region != isa::kSramRegion))
      offer(r.name, r.layer == layer && id.unit != isa::Unit::DmaLoad);
  for (const auto *tensors : {&origin.inputs, &origin.outputs})
    for (const ProvenanceTensor &tensor : *tensors)
      if (tensor.region == range.region)
        offer(tensor.name, true);
  std::string region = range.region == isa::kSramRegion     ? "SRAM"
                       : range.region == isa::kWeightRegion ? "constants"
                       : range.region == isa::kWorkspaceRegion
                           ? "workspace"
                           : "region " + std::to_string(range.region);
  std::string text = region + " " + sim::hex(range.offset) + ", " +
                     formatCount(range.sizeBytes) + " bytes";
  return name.empty() ? text : name + " (" + text + ")";
}

DifferingCommand CommandSearch::describe(const ExecutedCommand &command) const {
  DifferingCommand answer;
  answer.command = command;
  int64_t layer = run.layerOf(command.id);
  answer.layer = run.layerName(layer);
  answer.isOfSuspect = isSuspect(layer);
  answer.kind = isa::name(command.id.unit);
  std::string index = std::to_string(command.id.index);
  answer.name = command.id.unit == isa::Unit::Tec
                    ? "step " + index + " of the TECs: " + command.mnemonic
                    : std::string(isa::name(command.id.unit)) + " command " +
                          index + ": " + command.mnemonic;
  if (command.repetition)
    answer.name += ", execution " + std::to_string(command.repetition + 1);
  for (const ProvenanceRange &range : command.writes)
    answer.writes.push_back(placeText(command.id, layer, range));
  for (const ProvenanceRange &range : command.reads)
    answer.reads.push_back(placeText(command.id, layer, range));
  return answer;
}

std::string DifferingCommand::text() const {
  auto list = [](const std::vector<std::string> &items) {
    std::string text;
    for (const std::string &item : items)
      text += (text.empty() ? "" : "; ") + item;
    return text.empty() ? "nothing" : text;
  };
  std::string text = "first command that differs: " + name + "\n";
  text += "  of layer  " + layer + "\n";
  text += "  reads     " + list(reads) + "\n";
  text += "  writes    " + list(writes) + "\n";
  if (!remark.empty())
    text += "  " + remark + "\n";
  if (expectedByte)
    text += "  byte " + formatCount(byteOffset) +
            (writes.size() > 1 ? " of write " + std::to_string(range) : "") +
            " should be " + std::to_string(*expectedByte) +
            (foundByte ? " and is " + std::to_string(*foundByte) : "") + "\n";
  return text;
}

nlohmann::ordered_json DifferingCommand::json() const {
  using Json = nlohmann::ordered_json;
  auto numberOf = [](const std::optional<uint8_t> &byte) {
    return byte ? Json(*byte) : Json();
  };
  return {{"name", name},
          {"kind", kind},
          {"index", command.id.index},
          {"repetition", command.repetition},
          {"mnemonic", command.mnemonic},
          {"layer", layer},
          {"reads", reads},
          {"writes", writes},
          {"remark", remark},
          {"compared_with", isAgainstTwin ? "command" : "result"},
          {"byte", expectedByte ? Json(byteOffset) : Json()},
          {"expected", numberOf(expectedByte)},
          {"found", numberOf(foundByte)}};
}
