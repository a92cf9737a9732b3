//===- PageData.cpp - What the page of a build shows ----------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/page/PageData.h"

#include <algorithm>
#include <map>

using namespace yarrow;
using namespace yarrow::runtime;

namespace {

/// When the commands of the program were executed on one core, by their numbers
/// in Provenance::order.
class CommandTimes {
public:
  struct Time {
    uint64_t start = UINT64_MAX, end = 0;
    int64_t layer = -1;
    bool isKnown() const { return start != UINT64_MAX; }
  };

  CommandTimes(const Provenance &origin, const RecordedRun &run) {
    // The first descriptor of each queue; steps come behind all of them.
    std::size_t first[isa::kNumQueues + 1] = {};
    for (unsigned q = 0; q < isa::kNumQueues; ++q)
      first[q + 1] = first[q] + origin.queueLayers[q].size();
    std::size_t numDescriptors = first[isa::kNumQueues];
    std::vector<std::size_t> position(numDescriptors + origin.steps.size());
    for (std::size_t i = 0; i < origin.order.size(); ++i) {
      char unit = origin.order[i];
      if (unit != '-')
        position[first[unit == 't' ? isa::kNumQueues : unit - '0']++] = i;
    }
    times.resize(origin.order.size());
    if (times.empty())
      return;
    auto note = [&](std::size_t command, uint32_t core, uint64_t start,
                    uint64_t end, int64_t layer) {
      if (core != 0 || command >= position.size())
        return;
      Time &time = times[position[command]];
      time = {std::min(time.start, start), std::max(time.end, end), layer};
    };
    for (const RecordedCommand &c : run.commands) {
      const auto &all = origin.commandLayers;
      auto it = std::lower_bound(all.begin(), all.end(),
                                 std::pair(c.descriptorOffset, INT64_MIN));
      if (it != all.end() && it->first == c.descriptorOffset)
        note(std::size_t(it - all.begin()), c.core, c.startCycle, c.endCycle,
             it->second);
    }
    for (const sim::TecEvent &s : run.steps)
      note(numDescriptors + s.step, s.core, s.startCycle, s.endCycle,
           origin.layerOfStep(s.step));
  }

  Time at(int64_t command) const {
    return command >= 0 && std::size_t(command) < times.size()
               ? times[std::size_t(command)]
               : Time();
  }

private:
  std::vector<Time> times;
};

class PictureMaker {
public:
  PictureMaker(const Executable &executable, const isa::Machine &machine,
               const Profile &profile)
      : executable(executable), origin(executable.provenance()),
        profile(profile) {
    picture.machine = machine;
  }

  PagePicture make(std::size_t mostEvents) {
    picture.cycles = profile.report.cycles;
    picture.coresUsed = profile.report.coresUsed;
    picture.inputs = origin.inputs;
    picture.outputs = origin.outputs;
    takeLayers();
    layOutNetwork();
    takeEvents();
    picture.mergedBelowCycles = mergeEvents(picture.tracks, mostEvents);
    takeBuffers();
    return std::move(picture);
  }

private:
  /// Of other variants there are none.
  void takeLayers() {
    shownLayer.assign(origin.layers.size(), -1);
    for (std::size_t i = 0; i < origin.layers.size(); ++i)
      if (executable.hasLayer(i)) {
        shownLayer[i] = int64_t(picture.layers.size());
        picture.layers.push_back(origin.layers[i]);
      }
  }
  int64_t shown(int64_t layer) const {
    return layer < 0 ? -1 : shownLayer[std::size_t(layer)];
  }

  void layOutNetwork() {
    std::map<std::string, uint32_t> maker; // by tensor
    std::vector<std::vector<uint32_t>> sources;
    auto add = [&](const std::vector<std::string> &reads) {
      std::vector<uint32_t> &from = sources.emplace_back();
      for (const std::string &tensor : reads)
        if (auto it = maker.find(tensor); it != maker.end())
          from.push_back(it->second);
    };
    for (const ProvenanceTensor &input : picture.inputs) {
      maker[input.name] = uint32_t(sources.size());
      add({});
    }
    for (const ProvenanceLayer &layer : picture.layers) {
      add(layer.reads);
      for (const ProvenanceValue &result : layer.results)
        maker[result.name] = uint32_t(sources.size() - 1);
    }
    for (const ProvenanceTensor &output : picture.outputs)
      add({output.name});
    picture.layout = layOut(sources);
  }

  uint32_t kindOf(std::string_view name) {
    auto [it, isNew] =
        kindNumbers.try_emplace(std::string(name), picture.kinds.size());
    if (isNew)
      picture.kinds.emplace_back(name);
    return uint32_t(it->second);
  }

  std::vector<PageEvent> &eventsOf(uint32_t core, isa::Unit unit,
                                   uint32_t channel) {
    std::size_t index = firstTrack[unsigned(unit)] + channel;
    return picture.tracks[core * tracksPerCore + index].events;
  }

  void takeEvents() {
    for (uint32_t core = 0; core < picture.coresUsed; ++core)
      addTracks(core);
    tracksPerCore = picture.tracks.size() / picture.coresUsed;
    for (const RecordedCommand &c : profile.run.commands)
      eventsOf(c.core, c.queue, c.channel)
          .push_back({c.startCycle, c.endCycle,
                      shown(origin.layerAt(c.descriptorOffset)),
                      kindOf(c.mnemonic), 1});
    for (const sim::TecEvent &s : profile.run.steps)
      eventsOf(s.core, isa::Unit::Tec, s.tec % picture.machine.tecs)
          .push_back({s.startCycle, s.endCycle,
                      shown(origin.layerOfStep(s.step)),
                      kindOf(s.step < origin.steps.size()
                                 ? std::string_view(origin.steps[s.step].kernel)
                                 : "step"),
                      1});
    for (PageTrack &track : picture.tracks)
      std::stable_sort(track.events.begin(), track.events.end(),
                       [](const PageEvent &a, const PageEvent &b) {
                         return a.startCycle < b.startCycle;
                       });
  }

  void addTracks(uint32_t core) {
    std::string place =
        picture.coresUsed > 1 ? "core " + std::to_string(core) + " " : "";
    for (unsigned u = 0; u < isa::kNumCounters; ++u) {
      auto unit = isa::Unit(u);
      uint32_t channels = isa::isQueue(unit) ? picture.machine.channelsOf(unit)
                                             : picture.machine.tecs;
      if (core == 0)
        firstTrack.push_back(picture.tracks.size());
      for (uint32_t i = 0; i < channels; ++i)
        picture.tracks.push_back(
            {place + std::string(isa::name(unit)) +
                 (channels > 1 ? " " + std::to_string(i) : ""),
             unit,
             {}});
    }
  }

  void takeBuffers() {
    CommandTimes times(origin, profile.run);
    for (const ProvenanceBuffer &buffer : origin.sram) {
      CommandTimes::Time first = times.at(buffer.firstStep),
                         last = times.at(buffer.lastStep);
      if (first.isKnown() && last.isKnown())
        picture.buffers.push_back({buffer.name, buffer.offset, buffer.sizeBytes,
                                   first.start, std::max(first.end, last.end),
                                   shown(first.layer)});
    }
  }

  const Executable &executable;
  const Provenance &origin;
  const Profile &profile;
  PagePicture picture;
  std::vector<int64_t> shownLayer;
  std::vector<std::size_t> firstTrack; ///< By unit, of core 0.
  std::size_t tracksPerCore = 0;
  std::map<std::string, std::size_t> kindNumbers;
};

} // namespace

PagePicture yarrow::makePicture(const Executable &executable,
                                const isa::Machine &machine,
                                const Profile &profile,
                                std::size_t mostEvents) {
  return PictureMaker(executable, machine, profile).make(mostEvents);
}

static void mergeTrack(std::vector<PageEvent> &events, uint64_t belowCycles) {
  std::vector<PageEvent> merged;
  for (const PageEvent &event : events) {
    bool joins = !merged.empty() && merged.back().layer == event.layer &&
                 merged.back().kind == event.kind &&
                 event.startCycle < merged.back().endCycle + belowCycles;
    if (!joins) {
      merged.push_back(event);
      continue;
    }
    merged.back().endCycle = std::max(merged.back().endCycle, event.endCycle);
    merged.back().count += event.count;
  }
  events = std::move(merged);
}

uint64_t yarrow::mergeEvents(std::vector<PageTrack> &tracks, std::size_t most) {
  // Beyond the length of any run nothing is left to merge.
  constexpr uint64_t kLongest = uint64_t(1) << 62;
  uint64_t below = 0;
  auto count = [&] {
    std::size_t events = 0;
    for (const PageTrack &track : tracks)
      events += track.events.size();
    return events;
  };
  while (count() > most && below < kLongest) {
    below = below ? below * 2 : 1;
    for (PageTrack &track : tracks)
      mergeTrack(track.events, below);
  }
  return below;
}
