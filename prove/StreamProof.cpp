//===- StreamProof.cpp - Whether commands read what they are to -----------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "prove/StreamProof.h"

#include "isa/ElfLayout.h"
#include "support/Format.h"
#include "support/diagnostics/Proofs.h"
#include <algorithm>
#include <utility>

using namespace yarrow;
using namespace yarrow::prove;
using namespace yarrow::runtime;

/// Ways through a program that are looked at; each If doubles them.
static constexpr size_t kMostPaths = 64;
/// A loop is gone through twice: the second time it finds what the first left.
static constexpr size_t kMostRepeats = 2;
/// A command of more runs of bytes is none that does anything sensible.
static constexpr int64_t kMostRuns = int64_t(1) << 27;

StreamProof::StreamProof(const Executable &executable, Problems &problems,
                         Certificate &certificate)
    : e(executable), problems(problems), certificate(certificate),
      graph(executable), regionBytes(regionSizes(executable)),
      srams(std::max(1u, executable.machine().cores), KnownBytes(executable)) {
  for (const ProvenanceResult &result : e.provenance().results)
    results.insert({{result.unit, result.command}, &result});
}

std::string StreamProof::rangeText(uint32_t region, int64_t begin,
                                   int64_t end) const {
  std::string name = "region " + std::to_string(region);
  size_t inputs = e.inputs().size(), outputs = e.outputs().size();
  if (region == isa::kSramRegion)
    name = "the SRAM";
  else if (region == isa::kWeightRegion)
    name = "the constants";
  else if (region == isa::kWorkspaceRegion)
    name = "the workspace";
  else if (region - isa::kFirstIoRegion < inputs)
    name = "input " + std::to_string(region - isa::kFirstIoRegion);
  else if (region - isa::kFirstIoRegion < inputs + outputs)
    name = "output " + std::to_string(region - isa::kFirstIoRegion - inputs);
  return "bytes [" + std::to_string(begin) + ", " + std::to_string(end) +
         ") of " + name;
}

std::string StreamProof::writerText(int32_t writer) const {
  if (writer == Ownership::kHost)
    return "the host";
  if (writer == Ownership::kNoWriter)
    return "nobody";
  const StreamCommand &c = stream->commands[size_t(writer)];
  std::string text = nameOf(c);
  const auto &layers = e.provenance().layers;
  if (c.layer >= 0 && size_t(c.layer) < layers.size())
    text += " of layer '" + layers[size_t(c.layer)].name + "'";
  return text;
}

static DiagId idOf(StreamProblem::Kind kind) {
  switch (kind) {
  case StreamProblem::Kind::Program:
    return diag::ProofProgram;
  case StreamProblem::Kind::Endless:
    return diag::ProofEndless;
  case StreamProblem::Kind::Signals:
  case StreamProblem::Kind::Unended:
    return diag::ProofUnordered;
  case StreamProblem::Kind::Refused:
    return diag::ProofCommand;
  case StreamProblem::Kind::Order:
    return diag::ProofOrder;
  }
  return diag::ProofProgram;
}

void StreamProof::reportStream(const CommandStream &found) {
  for (const StreamProblem &p : found.problems)
    problems.report(idOf(p.kind), p.layer, p.text, p.found, p.expected);
}

/// Of an engine from its descriptor; of a kernel from the provenance, which is
/// believed.
std::vector<ByteAccess>
StreamProof::accessesOf(const StreamCommand &command) const {
  if (command.descriptor)
    return bytesOf(*command.descriptor);
  std::vector<ByteAccess> accesses;
  const ProvenanceStep &step = e.provenance().steps[command.index];
  auto add = [&](const std::vector<ProvenanceRange> &ranges, bool isWrite) {
    for (const ProvenanceRange &r : ranges)
      if (r.sizeBytes != 0)
        accesses.push_back({{.region = r.region,
                             .first = int64_t(r.offset),
                             .runBytes = int64_t(r.sizeBytes)},
                            isWrite,
                            step.kernel});
  };
  add(step.reads, false);
  add(step.writes, true);
  return accesses;
}

bool StreamProof::isInside(const StreamCommand &command,
                           const ByteAccess &access) {
  const ByteSet &set = access.bytes;
  uint64_t size = set.region < regionBytes.size() ? regionBytes[set.region] : 0;
  bool isReadOnly = access.isWrite && set.region == isa::kWeightRegion;
  if (set.begin() >= 0 && uint64_t(set.end()) <= size &&
      set.numRuns() <= kMostRuns && !isReadOnly)
    return true;
  problems.report(
      diag::ProofOutside, command.layer,
      nameOf(command) + (access.isWrite ? " writes " : " reads ") +
          (isReadOnly ? "constants" : "memory that is not its own") + " (" +
          std::string(access.what) + ")",
      rangeText(set.region, set.begin(), set.end()),
      isReadOnly ? "" : "within [0, " + std::to_string(size) + ")");
  return false;
}

static bool isCopy(const StreamCommand &command) {
  return command.descriptor &&
         std::holds_alternative<isa::Copy>(*command.descriptor);
}

static bool loadsConstants(const StreamCommand &command) {
  return isCopy(command) &&
         std::get<isa::Copy>(*command.descriptor).srcRegion ==
             isa::kWeightRegion &&
         !std::get<isa::Copy>(*command.descriptor).fill;
}

/// A copy may repeat an element as often as it likes and stay in its memory.
static bool repeatsForever(const StreamCommand &command) {
  if (!isCopy(command))
    return false;
  const auto &copy = std::get<isa::Copy>(*command.descriptor);
  __int128 elements = 1;
  for (uint32_t size :
       {copy.size0, copy.size1, copy.size2, copy.size3, copy.size4})
    elements = std::min<__int128>(elements * size, kMostRuns + 1);
  return elements > kMostRuns;
}

/// What is wrong with a piece that a command reads.
std::optional<StreamProof::ReadProblem>
StreamProof::problemOf(const StreamCommand &command,
                       const Ownership::Piece &piece) const {
  if (piece.writer == Ownership::kNoWriter)
    return ReadProblem{diag::ProofUnwritten,
                       " memory that nothing has written"};
  if (piece.rival != Ownership::kNoWriter)
    return ReadProblem{diag::ProofUnordered,
                       " data that might not be there yet"};
  // Of constants and inputs as they came nothing else can be said.
  if (!followsGraph || piece.writer < 0)
    return std::nullopt;
  if (isCopy(command))
    return std::nullopt;
  auto problem = [&](int64_t layer, const char *text) {
    return ReadProblem{diag::ProofProducer,
                       " data that layer '" +
                           e.provenance().layers[size_t(layer)].name + text};
  };
  for (int64_t maker : makers[size_t(piece.writer)])
    if (!graph.mayRead(command.layer, maker))
      return problem(maker,
                     "' computed, although its layer does not read from it");
  const StreamCommand &writer = stream->commands[size_t(piece.writer)];
  if (loadsConstants(writer) && writer.layer >= 0 &&
      writer.layer != command.layer && !graph.handsOn(writer.layer))
    return problem(writer.layer, "' has loaded as its own constants");
  return std::nullopt;
}

void StreamProof::reportRead(const StreamCommand &command,
                             const ByteAccess &access,
                             const Ownership::Piece &piece,
                             const ReadProblem &problem) {
  std::string found = rangeText(access.bytes.region, piece.begin, piece.end);
  if (piece.writer != Ownership::kNoWriter)
    found += ", written by " + writerText(piece.writer);
  problems.report(problem.id, command.layer,
                  nameOf(command) + " reads (" + std::string(access.what) +
                      ")" + problem.text,
                  found);
}

void StreamProof::read(int32_t number, const ByteAccess &access,
                       Ownership &memory) {
  const StreamCommand &command = stream->commands[size_t(number)];
  bool isKernel = !command.descriptor, hasOwn = false;
  std::optional<std::pair<Ownership::Piece, ReadProblem>> beyond;
  std::vector<int64_t> &made = makers[size_t(number)];
  auto takeOver = [&](int32_t writer) {
    for (int64_t maker : makers[size_t(writer)])
      if (std::find(made.begin(), made.end(), maker) == made.end())
        made.push_back(maker);
  };
  int32_t lastWriter = Ownership::kNoWriter;
  access.bytes.forEachRun([&](int64_t begin, int64_t end) {
    certificate.stream.readBytes += uint64_t(end - begin);
    memory.read(number, memoryOf(command, access.bytes.region), begin, end,
                [&](const Ownership::Piece &piece) {
                  if (isCopy(command) && piece.writer >= 0 &&
                      piece.writer != std::exchange(lastWriter, piece.writer))
                    takeOver(piece.writer);
                  auto problem = problemOf(command, piece);
                  hasOwn |= !problem;
                  if (!problem)
                    return;
                  // What is stated of a kernel may be more than it touches.
                  if (isKernel && problem->id != diag::ProofUnordered)
                    beyond = {piece, *problem};
                  else
                    reportRead(command, access, piece, *problem);
                });
  });
  if (!beyond)
    return;
  if (!hasOwn)
    return reportRead(command, access, beyond->first, beyond->second);
  certificate.addNotShown(
      "all bytes that kernel " + std::string(access.what) + " reads",
      "the provenance states more bytes than were written for the kernel");
}

void StreamProof::write(int32_t number, const ByteAccess &access,
                        Ownership &memory) {
  const StreamCommand &command = stream->commands[size_t(number)];
  access.bytes.forEachRun([&](int64_t begin, int64_t end) {
    certificate.stream.writtenBytes += uint64_t(end - begin);
    memory.write(number, memoryOf(command, access.bytes.region), begin, end,
                 [&](const Ownership::Piece &piece) {
                   problems.report(
                       diag::ProofUnordered, command.layer,
                       nameOf(command) + " writes (" +
                           std::string(access.what) +
                           ") memory that might still be in use",
                       rangeText(access.bytes.region, piece.begin, piece.end) +
                           ", which " + writerText(piece.rival) + " uses",
                       "a wait for that command");
                 });
  });
}

/// What of the SRAM is constant afterwards.
void StreamProof::apply(const StreamCommand &command,
                        const std::vector<ByteAccess> &accesses) {
  const isa::Copy *copy = command.descriptor
                              ? std::get_if<isa::Copy>(&*command.descriptor)
                              : nullptr;
  if (!copy) {
    for (const ByteAccess &access : accesses)
      if (access.isWrite)
        sramOf(command).forget(access.bytes);
    return;
  }
  std::string_view problem = sramOf(command).apply(*copy);
  if (copy->streamBytes == 0)
    return;
  ++certificate.stream.weightStreams;
  certificate.stream.streamBytes += copy->streamBytes;
  certificate.stream.decodedBytes += copy->size0;
  if (!problem.empty())
    problems.report(
        diag::ProofWeights, command.layer,
        nameOf(command) +
            " loads a weight stream that does not decode to the expected bytes",
        std::string(problem));
}

void StreamProof::begin(const StreamCommand &command, Ownership &memory) {
  if (command.group == 0 && command.epoch == 0)
    for (uint32_t r = isa::kWeightRegion; r < regionBytes.size(); ++r)
      if (r == isa::kWeightRegion ||
          (r >= isa::kFirstIoRegion &&
           r - isa::kFirstIoRegion < e.inputs().size()))
        memory.hostWrites(r, 0, int64_t(regionBytes[r]));
}

/// An SRAM keeps what the groups of its core leave in it, from one to the next.
uint32_t StreamProof::memoryOf(const StreamCommand &command,
                               uint32_t region) const {
  auto core = uint32_t(command.group % srams.size());
  return region == isa::kSramRegion && core > 0
             ? uint32_t(regionBytes.size()) + core
             : region;
}

/// A result that is in memory as a whole after a command was computed by its
/// layer, or by those that it reads from.
void StreamProof::checkResults(const StreamCommand &command,
                               const Ownership &memory) {
  auto [first, end] = results.equal_range({command.unit, command.index});
  for (auto at = first; at != end; ++at) {
    const ProvenanceResult &r = *at->second;
    ByteSet place{.region = r.place.region,
                  .first = int64_t(r.place.offset),
                  .runBytes = int64_t(r.place.sizeBytes)};
    memory.look(
        memoryOf(command, place.region), place.begin(), place.end(),
        [&](const Ownership::Piece &piece) {
          std::string where = rangeText(place.region, piece.begin, piece.end);
          if (piece.writer == Ownership::kNoWriter)
            problems.report(diag::ProofUnwritten, r.layer,
                            "result '" + r.name + "' is not completely written",
                            where);
          if (piece.writer < 0)
            return;
          for (int64_t maker : makers[size_t(piece.writer)])
            if (!graph.mayRead(r.layer, maker))
              problems.report(
                  diag::ProofProducer, r.layer,
                  "result '" + r.name + "' was not computed by its layer",
                  where + ", written by " + writerText(piece.writer));
        });
  }
}

void StreamProof::checkOutputs(const Ownership &memory) {
  uint32_t region = isa::kFirstIoRegion + uint32_t(e.inputs().size());
  for (const IoDescription &output : e.outputs()) {
    memory.look(region, 0, int64_t(regionBytes[region]),
                [&](const Ownership::Piece &piece) {
                  if (piece.writer == Ownership::kNoWriter)
                    problems.report(diag::ProofUnwritten, -1,
                                    "output '" + output.name +
                                        "' is not written",
                                    rangeText(region, piece.begin, piece.end));
                });
    ++region;
  }
}

bool StreamProof::runPath(const std::vector<bool> &decisions,
                          const Visitor &visitor, CommandStream &found) {
  found = readStream(e, decisions);
  reportStream(found);
  for (const StreamProblem &p : found.problems)
    if (p.kind == StreamProblem::Kind::Program ||
        p.kind == StreamProblem::Kind::Endless ||
        p.kind == StreamProblem::Kind::Order)
      return false;
  stream = &found;
  StreamCounts &counts = certificate.stream;
  ++counts.paths;
  counts.groups += found.numGroups;
  counts.waits += found.numWaits;
  followsGraph = graph.isKnown() && found.numDecisions == 0;
  Ownership memory(found.commands);
  for (KnownBytes &sram : srams)
    sram.forgetAll();
  makers.assign(found.commands.size(), {});
  const StreamCommand *before = nullptr;
  for (size_t i = 0; i < found.commands.size(); ++i) {
    const StreamCommand &command = found.commands[i];
    if (!before || before->group != command.group)
      begin(command, memory);
    before = &command;
    ++(command.unit == isa::Unit::Tec ? counts.tecSteps : counts.commands);
    if (repeatsForever(command))
      problems.report(diag::ProofCommand, command.layer,
                      nameOf(command) +
                          " copies more than any memory can hold");
    if (command.isRefused || repeatsForever(command))
      continue;
    if (!isCopy(command) && command.layer >= 0)
      makers[i] = {command.layer};
    std::vector<ByteAccess> accesses = accessesOf(command);
    bool isInside = true;
    for (const ByteAccess &access : accesses)
      isInside &= this->isInside(command, access);
    if (!isInside)
      continue;
    for (const ByteAccess &access : accesses)
      if (!access.isWrite)
        read(int32_t(i), access, memory);
    for (const ByteAccess &access : accesses)
      if (access.isWrite)
        write(int32_t(i), access, memory);
    if (visitor)
      visitor(command, sramOf(command));
    apply(command, accesses);
    if (followsGraph)
      checkResults(command, memory);
  }
  checkOutputs(memory);
  return true;
}

/// Every sequence of decisions: first all no, then each with a yes in the place
/// of an open no. A While that says yes for ever is cut off after a few times.
void StreamProof::run(const Visitor &visitor) {
  ++certificate.stream.programs;
  std::vector<std::vector<bool>> open = {{}};
  bool isCut = false;
  for (size_t done = 0; !open.empty(); ++done) {
    if (done == kMostPaths) {
      isCut = true;
      break;
    }
    std::vector<bool> decisions = std::move(open.back());
    open.pop_back();
    CommandStream found;
    if (!runPath(decisions, visitor, found))
      return;
    for (size_t i = decisions.size(); i < found.numDecisions; ++i) {
      std::vector<bool> other = decisions;
      other.resize(i, false);
      other.push_back(true);
      size_t yes = 0;
      for (size_t k = other.size(); k > 0 && other[k - 1]; --k)
        ++yes;
      if (yes <= kMostRepeats)
        open.push_back(std::move(other));
      else
        isCut = true;
    }
  }
  if (certificate.stream.paths > certificate.stream.programs)
    certificate.addNotShown("loops and branches",
                            isCut
                                ? "of the decisions of If and Loop, " +
                                      formatCount(certificate.stream.paths) +
                                      " paths were followed, loops up to " +
                                      std::to_string(kMostRepeats) + " times"
                                : "for sub-graphs whose tensors a layer reads, "
                                  "only order and presence were shown");
}
