//===- ConsistencyChecks.h - The checks of an executable --------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// What checkConsistency compares, one function for each fact that a file states
// twice: of its buffers and sub-graphs in Consistency.cpp, of its program and
// commands in ProgramConsistency.cpp.
//
//   return Consistency(executable, diags).check();
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_RUNTIME_CONSISTENCYCHECKS_H
#define YARROW_RUNTIME_CONSISTENCYCHECKS_H

#include "isa/DriverInterface.h"
#include "isa/Types.h"
#include "runtime/Executable.h"
#include "runtime/VariantConsistency.h"
#include "support/diagnostics/Executables.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace yarrow::runtime {

/// Each check ends at its first problem: what follows from it helps nobody.
class Consistency {
public:
  Consistency(const Executable &executable, DiagnosticEngine &diags)
      : e(executable), origin(executable.provenance()), diags(diags) {}

  bool check() {
    if (!samples())
      return false;
    bool ok = target();
    ok &= parameters();
    ok &= sections();
    ok &= tensors("input", e.inputs(), origin.inputs, isa::kFirstIoRegion);
    ok &= tensors("output", e.outputs(), origin.outputs,
                  isa::kFirstIoRegion + uint32_t(e.inputs().size()));
    ok &= variants();
    ok &= program();
    ok &= commands();
    return ok & regions();
  }

private:
  bool report(const std::string &message, const std::string &found,
              const std::string &expected) {
    diags.report(diag::ExecutableMalformed, {e.name()}, message)
        .found(found)
        .expected(expected)
        .hint("the file was changed: build the executable again");
    return false;
  }
  bool same(const std::string &message, uint64_t found, uint64_t expected) {
    return found == expected ||
           report(message, std::to_string(found), std::to_string(expected));
  }
  bool sameText(const std::string &message, std::string_view found,
                std::string_view expected) {
    return found == expected || report(message, "'" + std::string(found) + "'",
                                       "'" + std::string(expected) + "'");
  }
  uint32_t numRegions() const {
    return isa::kFirstIoRegion +
           uint32_t(e.inputs().size() + e.outputs().size() +
                    e.states().size()) +
           (origin.variants.empty() ? 0 : 1);
  }

  bool target();
  uint32_t numGroups() const { return uint32_t(e.subgraphs().size()); }
  bool samples();
  uint32_t groupsOfSample() const { return numGroups() / numSamples; }

  bool parameters();
  bool parameterBlock(uint32_t group);
  bool subgraph(uint32_t group);
  bool sections();
  uint32_t constantBytes() const {
    const MemorySection *section = e.constants();
    return section ? section->sizeBytes : 0;
  }
  bool states(std::span<const MemorySection *const> sections);
  bool section(const MemorySection &section, uint32_t region);
  bool tensors(const std::string &kind, const std::vector<IoDescription> &list,
               const std::vector<ProvenanceTensor> &origins,
               uint32_t firstRegion);
  bool tensor(const std::string &what, const IoDescription &io,
              const ProvenanceTensor &from, uint32_t region);
  bool variants() {
    auto wrong = contradictionOfVariants(e);
    return !wrong || report(wrong->message, wrong->found, wrong->expected);
  }
  bool isOutputShapes(const MemorySection &section);
  bool program();
  bool symbols();
  bool commands();
  bool order();
  bool regions();

  bool isPatched(const std::string &what, const MemorySubSection &part,
                 uint32_t region, uint32_t firstGroup, uint32_t count);

  const Executable &e;
  const Provenance &origin;
  DiagnosticEngine &diags;
  uint32_t numSamples = 1;
};

} // namespace yarrow::runtime

#endif // YARROW_RUNTIME_CONSISTENCYCHECKS_H
