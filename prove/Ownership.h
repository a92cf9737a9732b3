//===- Ownership.h - Who wrote which bytes ----------------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Stores by intervals, for each byte of a region, the command that wrote it
// last and the commands that have read it since. Commands are added in the
// order of the network. Their clocks show whether two of them are in order
// under every interleaving (CommandStream.h). If each read is after the last
// write, and each write after the last write and its reads, then by
// transitivity all conflicting accesses to a byte are in order, and every read
// has one writer.
//
//   Ownership memory(commands);
//   memory.read(number, region, begin, end, [](int32_t writer) { ... });
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PROVE_OWNERSHIP_H
#define YARROW_PROVE_OWNERSHIP_H

#include "prove/CommandStream.h"
#include <functional>
#include <map>

namespace yarrow::prove {

class Ownership {
public:
  /// Writers that are no command.
  static constexpr int32_t kNoWriter = -1, kHost = -2;

  explicit Ownership(const std::vector<StreamCommand> &commands)
      : commands(commands) {}

  struct Piece {
    int64_t begin, end;
    int32_t writer;
    /// A command that touches the same bytes and is in no order; or kNoWriter.
    int32_t rival = kNoWriter;
  };
  using Visit = std::function<void(const Piece &)>;

  /// Whoever wrote \p begin to \p end of a region before.
  void hostWrites(uint32_t region, int64_t begin, int64_t end);
  /// Tells every piece; those that nobody wrote have kNoWriter.
  void read(int32_t command, uint32_t region, int64_t begin, int64_t end,
            const Visit &visit);
  /// Tells pieces with a rival only.
  void write(int32_t command, uint32_t region, int64_t begin, int64_t end,
             const Visit &visit);
  /// Tells every piece and changes nothing.
  void look(uint32_t region, int64_t begin, int64_t end,
            const Visit &visit) const;

private:
  struct Interval {
    int64_t end;
    int32_t writer;
    std::vector<int32_t> readers; ///< Of the last of each unit and group.
  };
  using Region = std::map<int64_t, Interval>;

  static Region::iterator split(Region &region, int64_t at);
  bool isAfter(int32_t later, int32_t earlier) const {
    return earlier < 0 || later == earlier ||
           commands[size_t(later)].isAfter(commands[size_t(earlier)]);
  }
  void addReader(std::vector<int32_t> &readers, int32_t command) const;

  const std::vector<StreamCommand> &commands;
  std::map<uint32_t, Region> regions;
};

} // namespace yarrow::prove

#endif // YARROW_PROVE_OWNERSHIP_H
