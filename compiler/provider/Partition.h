//===- Partition.h - Which parts of a model the NPU takes -------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Divides a model between the NPU and another provider: into connected parts
// that Yarrow imports and compiles, as large as they can be, and the nodes that
// are left. Nothing is known of operators here. Everything is tried as one
// part; the nodes that an error names are left out, and what is left is tried
// again.
//
//   PartCompiler compiler(settings);
//   Partition partition = divide(*graph, compiler, {.minNodes = 3});
//   for (const Part &part : partition.parts) ...
//   for (const LeftOut &node : partition.leftOut) ...
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_PROVIDER_PARTITION_H
#define YARROW_COMPILER_PROVIDER_PARTITION_H

#include "compiler/provider/Groups.h"
#include "compiler/provider/PartCompiler.h"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace yarrow::provider {

/// When a part is worth moving.
struct Worth {
  std::size_t minNodes = 1;
  std::uint64_t minMacs = 0;
};

struct Part {
  Group nodes;
  std::vector<std::string> inputs, outputs;
  std::uint64_t macs = 0;
  /// Null of a part with open lengths, which is compiled for those of a run.
  std::shared_ptr<const session::Executable> executable;
  bool isQuantizedHere = false, isCached = false;
};

/// A node that stays where it is.
struct LeftOut {
  std::size_t node = 0;
  std::string code, why; ///< The code is "" of a node that does not pay.
};

struct Partition {
  std::vector<Part> parts;      ///< In the order of their first nodes.
  std::vector<LeftOut> leftOut; ///< Ascending.

  std::size_t numMoved() const;
};

/// Learns the types of what parts write.
Partition divide(ModelGraph &graph, const PartCompiler &compiler,
                 const Worth &worth);

/// "part_0"
std::string nameOfPart(std::size_t index);

/// One line for each part and for each node that is left.
std::string describe(const ModelGraph &graph, const Partition &partition);
nlohmann::ordered_json toJson(const ModelGraph &graph,
                              const Partition &partition);

} // namespace yarrow::provider

#endif // YARROW_COMPILER_PROVIDER_PARTITION_H
