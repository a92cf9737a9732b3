//===- Prove.cpp - What holds of an executable ----------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "prove/Prove.h"

#include "prove/StreamProof.h"
#include "support/Digest.h"

using namespace yarrow;
using namespace yarrow::prove;
using namespace yarrow::runtime;

/// What no proof of this kind says, in words for whoever reads a certificate.
static void addLimits(const Executable &e, Certificate &certificate) {
  certificate.addNotShown(
      "the geometry of commands",
      "windows, strides and padding are not compared with the layers'");
  if (!e.provenance().steps.empty())
    certificate.addNotShown("kernels of the TECs",
                            "the provenance states which memory they use, and "
                            "tests compare their results");
  if (numSamples(e) > 1)
    certificate.addNotShown("samples beyond the first",
                            "they run the same commands on their own memory, "
                            "which is checked when the file is opened");
  if (e.provenance().order.empty())
    certificate.addNotShown("the order of the network",
                            "the file does not contain it");
}

Certificate prove::prove(const Executable &executable, DiagnosticEngine &diags,
                         const ProveOptions &options) {
  Certificate certificate;
  certificate.executable =
      executable.name().substr(executable.name().find_last_of('/') + 1);
  certificate.digest = digestText(digestOf(executable.fileBytes()));
  certificate.target = executable.provenance().target;
  certificate.model = executable.provenance().model;
  Problems problems(executable, diags);
  StageProof stages(executable, problems, certificate, options);
  auto proveProgram = [&](const Executable &program) {
    StreamProof(program, problems, certificate)
        .run([&](const StreamCommand &command, const KnownBytes &sram) {
          if (options.outputStages)
            stages.add(command, sram);
        });
  };
  for (size_t i = 0; i < executable.variants().size(); ++i)
    proveProgram(*executable.withVariant(i));
  if (executable.variants().empty())
    proveProgram(executable);
  stages.run();
  if (!options.outputStages)
    certificate.addNotShown("sums, constants and output stages",
                            "they were not requested");
  addLimits(executable, certificate);
  problems.finish();
  certificate.problems = problems.count();
  certificate.holds = certificate.problems == 0;
  return certificate;
}
