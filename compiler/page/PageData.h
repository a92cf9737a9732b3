//===- PageData.h - What the page of a build shows --------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A build is its report (docs/report.md), whose figures the page shows as they
// are, and a picture of its run: the network with a place for each layer, what
// each unit did when, and which buffers were where in the SRAM. The picture is
// made of an executable alone and a run of it; what it does not hold of the
// layers, keys and the spread of values, comes from the network
// (LayerFacts.h).
//
//   auto profile = session::profileOnZeros(executable, call);
//   PageBuild build{"new.bin", reportJson,
//                   makePicture(*executable, executable->machine(), *profile)};
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_PAGE_PAGEDATA_H
#define YARROW_COMPILER_PAGE_PAGEDATA_H

#include "compiler/page/LayerFacts.h"
#include "compiler/page/Layout.h"
#include "compiler/session/Runner.h"
#include "runtime/Executable.h"

#include <nlohmann/json.hpp>

#include <optional>
#include <string>
#include <vector>

namespace yarrow {

/// Something that a track shows: one command or step, or several of one kind
/// and layer that lie closer to each other than a page can show.
struct PageEvent {
  uint64_t startCycle, endCycle;
  int64_t layer;  ///< Index in PagePicture::layers, -1: of none.
  uint32_t kind;  ///< Index in PagePicture::kinds.
  uint32_t count; ///< How many it stands for.
};

/// A channel of an engine, or a TEC.
struct PageTrack {
  std::string name;
  isa::Unit unit;
  std::vector<PageEvent> events; ///< By ascending start.
};

struct PageBuffer {
  std::string name;
  uint64_t offset, sizeBytes;
  /// Begin of the first command that uses it and end of the last one.
  uint64_t startCycle, endCycle;
  int64_t layer; ///< Of the first command.
};

/// What computes a layer, of a picture without a run.
enum class PageUnit { TensorEngine, Tecs, Dma, None };

struct PagePlace {
  PageUnit unit = PageUnit::None;
  /// The layers that are computed at once with it, or that it became a part of:
  /// "conv + add"; empty: it is gone, or nothing is known.
  std::string together = {};
  /// It computes nothing, so that it is no work of a unit that it is a part of.
  bool isMove = false;
};

struct PagePicture {
  isa::Machine machine;
  uint64_t cycles = 0;
  uint32_t coresUsed = 1;
  /// Those of the report, in its order.
  std::vector<runtime::ProvenanceLayer> layers;
  /// Of each layer, where none was run (ModelPicture.h). Known if the machine
  /// is.
  std::vector<PagePlace> places;
  std::vector<runtime::ProvenanceTensor> inputs, outputs;
  /// Nodes: the inputs, the layers, the outputs.
  GraphLayout layout;
  std::vector<std::string> kinds; ///< "conv", "copy", "yk_softmax_int", ...
  std::vector<PageTrack> tracks;
  /// Events less than so many cycles apart are one. 0: none was merged.
  uint64_t mergedBelowCycles = 0;
  /// Of the first core; of a machine with several the others do the same with
  /// other parts.
  std::vector<PageBuffer> buffers;
};

struct PageBuild {
  std::string label; ///< What tells it from another.
  nlohmann::ordered_json report;
  std::optional<PagePicture> picture;
  /// Of the layers before they were fused; empty of an executable alone.
  std::vector<LayerFacts> facts = {};
};

/// What \p profile saw of \p executable on \p machine. At most \p mostEvents
/// events.
PagePicture makePicture(const runtime::Executable &executable,
                        const isa::Machine &machine, const Profile &profile,
                        std::size_t mostEvents = 30'000);

/// Events that are merged until there are no more than \p most: of one layer
/// and kind, less than mergedBelowCycles apart, which is doubled until it is
/// enough. Returns it.
uint64_t mergeEvents(std::vector<PageTrack> &tracks, std::size_t most);

} // namespace yarrow

#endif // YARROW_COMPILER_PAGE_PAGEDATA_H
