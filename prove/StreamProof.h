//===- StreamProof.h - Whether commands read the intended data --*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Goes through the commands of a program once, in the order of the provenance,
// and proves for every byte that a command reads: it was written by an earlier
// command, which is complete whenever this one begins, and which belongs to the
// same layer or to one whose tensors the layer reads. And for every byte that a
// command writes: no command that still needs the old value can be running.
//
//   StreamProof proof(executable, problems, certificate);
//   proof.run([&](const StreamCommand &command, const KnownBytes &sram) { ...
//   });
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PROVE_STREAMPROOF_H
#define YARROW_PROVE_STREAMPROOF_H

#include "prove/Certificate.h"
#include "prove/CommandBytes.h"
#include "prove/KnownBytes.h"
#include "prove/LayerGraph.h"
#include "prove/Ownership.h"
#include "prove/Problems.h"

namespace yarrow::prove {

class StreamProof {
public:
  /// Is told each command before its results are there.
  using Visitor =
      std::function<void(const StreamCommand &command, const KnownBytes &sram)>;

  StreamProof(const runtime::Executable &executable, Problems &problems,
              Certificate &certificate);
  /// Of one program: all ways through it, up to a limit.
  void run(const Visitor &visitor);

private:
  /// False if the commands are not in an order of which anything can be said.
  bool runPath(const std::vector<bool> &decisions, const Visitor &visitor,
               CommandStream &stream);
  void reportStream(const CommandStream &stream);
  void begin(const StreamCommand &command, Ownership &memory);
  std::vector<ByteAccess> accessesOf(const StreamCommand &command) const;
  bool isInside(const StreamCommand &command, const ByteAccess &access);
  struct ReadProblem {
    DiagId id;
    std::string text;
  };
  std::optional<ReadProblem> problemOf(const StreamCommand &command,
                                       const Ownership::Piece &piece) const;
  void reportRead(const StreamCommand &command, const ByteAccess &access,
                  const Ownership::Piece &piece, const ReadProblem &problem);
  void read(int32_t number, const ByteAccess &access, Ownership &memory);
  void write(int32_t number, const ByteAccess &access, Ownership &memory);
  KnownBytes &sramOf(const StreamCommand &command) {
    return srams[command.group % srams.size()];
  }
  /// Each core's SRAM is a memory of its own, beside the regions.
  uint32_t memoryOf(const StreamCommand &command, uint32_t region) const;
  void apply(const StreamCommand &command,
             const std::vector<ByteAccess> &accesses);
  void checkResults(const StreamCommand &command, const Ownership &memory);
  void checkOutputs(const Ownership &memory);
  std::string rangeText(uint32_t region, int64_t begin, int64_t end) const;
  std::string writerText(int32_t writer) const;

  const runtime::Executable &e;
  Problems &problems;
  Certificate &certificate;
  LayerGraph graph;
  std::vector<uint64_t> regionBytes;
  const CommandStream *stream = nullptr;
  /// Of each command that has written: the layers that computed it.
  std::vector<std::vector<int64_t>> makers;
  std::vector<KnownBytes> srams; ///< By core.
  bool followsGraph = true;
  std::multimap<std::pair<isa::Unit, uint64_t>,
                const runtime::ProvenanceResult *>
      results; ///< By the last command that writes to them.
};

} // namespace yarrow::prove

#endif // YARROW_PROVE_STREAMPROOF_H
