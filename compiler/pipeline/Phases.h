//===- Phases.h - The phases of a build as data ---------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// One record per phase (Phases.def), for --stop-after and `yarrow phases`.
//
//   for (const Phase &phase : kPhases)
//     use(phase.name, phase.description);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_PIPELINE_PHASES_H
#define YARROW_COMPILER_PIPELINE_PHASES_H

namespace yarrow {

struct Phase {
  const char *name;
  bool canStop;
  const char *description, *postCondition;
};

inline constexpr Phase kPhases[] = {
#define PHASE(NAME, STOP, DESCRIPTION, POST) {NAME, STOP, DESCRIPTION, POST},
#include "compiler/pipeline/Phases.def"
};

} // namespace yarrow

#endif // YARROW_COMPILER_PIPELINE_PHASES_H
