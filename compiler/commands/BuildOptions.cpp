//===- BuildOptions.cpp - yarrow build on the command line ----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/commands/Build.h"
#include "compiler/commands/CacheOption.h"
#include "compiler/commands/Commands.h"
#include "compiler/commands/DisabledPasses.h"
#include "compiler/commands/Numbers.h"
#include "compiler/commands/QuantizeFlags.h"

#include <CLI/CLI.hpp>

using namespace yarrow;

bool yarrow::buildAsConfigured(const std::string &config, Driver &driver) {
  BuildFlags flags;
  flags.config = config;
  flags.isBrief = true;
  return runBuild(flags, driver);
}

void yarrow::addBuildCommand(CLI::App &app, Driver &driver) {
  auto flags = std::make_shared<BuildFlags>();
  CLI::App *command =
      app.add_subcommand("build", "Quantize, compile, run and measure a model, "
                                  "or do what a net.cfg asks for");
  command
      ->add_option("config", flags->config,
                   "Configuration file, or a model: ONNX, TFLite, QNN, GGUF, "
                   "or the text "
                   "of an IR")
      ->required();
  addReadingOptions(*command, flags->reading);
  addResetOption(*command, flags->resetEvery);
  addShapeRangeOption(*command, flags->shapeRanges);
  command->add_option("-c,--calibration-data", flags->calibrationData,
                      "Override calibration_data of the configuration");
  command->add_option("--data", flags->data,
                      "Override data of the configuration");
  command->add_option("--label", flags->label,
                      "Override label of the configuration");
  command->add_option("-t,--target", flags->target,
                      "Override target of the configuration");
  command->add_option(
      "-o,--output-dir", flags->outputDir,
      "Override output_dir of the configuration, also for outputs (default for "
      "a model: a new folder with its name)");
  addPictureOptions(*command, flags->pictures);
  addFoldOption(*command, flags->pictures);
  addRecipeOption(
      *command, flags->recipe,
      "Override recipe of the configuration; auto if a model is given.");
  command
      ->add_option("--set", flags->settings,
                   "Set a key, as a line of the file does: --set "
                   "weight_bits=4, --set GBuilder.profile=True")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  command
      ->add_option("--goal", flags->goal,
                   "Keep this SQNR in dB in every part of every output, with "
                   "16 bits where needed (key goal)")
      ->type_name("DB");
  command
      ->add_option("--price", flags->price,
                   "Spend at most this many times the cycles of 8 bits on the "
                   "goal (key price)")
      ->type_name("FACTOR");
  command
      ->add_option("--gate", flags->gates,
                   "Exit with 3 if an output is below this, compared with the "
                   "float network on --data, else on the calibration samples: "
                   "cosine=0.99, sqnr=30; can be repeated")
      ->type_name("FIGURE=LEAST")
      ->allow_extra_args(false);
  addThresholdOption(*command, flags->threshold);
  addDisabledPassesOption(*command, flags->disabledPasses);
  addCacheOption(*command, flags->cache);
  command
      ->add_option("--samples", flags->samples,
                   "Evaluate only the first N samples")
      ->check(wholeNumber(1));
  addPageOption(*command, flags->html);
  command->add_flag("--allow-unknown", flags->allowUnknown,
                    "Report unknown keys as a note, not as errors");
  command->add_flag("--brief", flags->isBrief,
                    "Leave out the tables of layers");
  addWinogradOption(*command, flags->winograd);
  addRoundingOption(*command, flags->given);
  addBudgetOption(*command, flags->budget);
  addOptimizeOptions(*command, flags->optimize, flags->dontOptimize);
  command->footer(
      std::string(
          "Example:\n"
          "  yarrow build net.onnx -c samples.npy\n"
          "writes everything to the folder net; without samples, it draws "
          "inputs at random.\n"
          "  yarrow build net.cfg\n"
          "reads an AIPUBuilder configuration ([Common], [Optimizer] "
          "or\n[AutoQuantizationTool], [GBuilder]) or one of the Compass "
          "Optimizer\n([Common] alone: only quantizes). mode = run simulates "
          "one input and counts\ncycles; data and label measure float, integer "
          "and NPU accuracy. output_dir gets\neverything: <model>_o.txt and "
          ".bin, aipu.bin, report.json; trace.json with\nprofile = True.\n"
          "  yarrow build net.cfg --html page.html\n"
          "writes one page that shows everything (docs/page.md).\n\n") +
      kExitCodeHelp);
  command->callback(
      [flags, &driver] { driver.finish(runBuild(*flags, driver)); });
}
