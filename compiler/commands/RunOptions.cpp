//===- RunOptions.cpp - yarrow run on the command line --------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/commands/Commands.h"
#include "compiler/commands/Numbers.h"
#include "compiler/commands/RunFlags.h"

#include <CLI/CLI.hpp>

using namespace yarrow;

/// What shows how a run goes: traces, profiles, stops.
static void addDebugOptions(CLI::App &command, RunFlags &flags) {
  command.add_option("--trace", flags.trace,
                     "Write a timeline for Perfetto (ui.perfetto.dev)");
  command.add_option("--tec-trace", flags.tecTrace,
                     "Write every TEC instruction (of the first sample), with "
                     "the registers that it changes");
  command.add_flag("--tec-profile", flags.tecProfile,
                   "Count the TECs' instructions, cycles and stalls, and "
                   "print them per function and per layer");
  command
      .add_option(
          "--break", flags.breaks,
          "Stop before a layer or a pc (0x...), and print its tensors, the "
          "state of every unit and the registers; can be repeated")
      ->allow_extra_args(false);
  command.add_flag("--step", flags.step,
                   "Stop before the first command and debug: step by layer, "
                   "command or instruction (docs/debugger.md)");
  command.add_option(
      "-x,--commands", flags.commands,
      "Debug with commands from this file, not from the standard input");
}

void yarrow::addRunCommand(CLI::App &app, Driver &driver) {
  auto flags = std::make_shared<RunFlags>();
  CLI::App *command =
      app.add_subcommand("run", "Run an executable on the simulated NPU");
  command->add_option("executable", flags->executable, "aipu.bin")->required();
  command
      ->add_option("-i,--inputs", flags->inputs,
                   "Read inputs, in the model's order (a.npy,b.npy) or by name "
                   "from a .npz. Floats are quantized, integers are stored "
                   "values, .bin is raw; a picture or a folder of pictures is "
                   "converted. Several samples along the first axis run one by "
                   "one (default: random inputs)")
      ->check([](const std::string &files) {
        return std::string(files.empty() ? "does not name a file" : "");
      });
  command
      ->add_option("--random", flags->seed,
                   "Draw random inputs with this seed (default: 0)")
      ->type_name("SEED")
      ->check(wholeNumber())
      ->excludes(command->get_option("--inputs"));
  command
      ->add_option("-o,--output", flags->output,
                   "Write outputs: out.npz for all by name; out.npy, out1.npy "
                   "... or a list; .bin for raw stored values")
      ->capture_default_str();
  CLI::Option *stored =
      command->add_flag("--stored", flags->isStored,
                        "Write stored integers also for a model that came in "
                        "floats (default: float32)");
  command
      ->add_flag("--dequantize", flags->dequantizes,
                 "Write all outputs as float32, also raw ones and those of a "
                 "model that came in integers")
      ->excludes(stored);
  command->add_flag(
      "--timed", flags->timed,
      "Count cycles (of the first sample) and print them per layer");
  command
      ->add_option("--batch", flags->batch,
                   "Count the cycles of N samples on all cores at once; "
                   "samples repeat if there are fewer")
      ->check(CLI::Range(1, 64))
      ->capture_default_str();
  command->add_option("--report,--json", flags->report,
                      "Write the cycles and counters as JSON "
                      "(docs/report.md)");
  addPageOption(*command, flags->html);
  addDebugOptions(*command, *flags);
  command->add_option("--machine", flags->machine,
                      "Simulate this machine, not the one that the executable "
                      "was compiled for");
  command
      ->add_option("--input-shape", flags->inputShapes,
                   "Choose the shape of an input, if the files fit several "
                   "that the executable has programs for: x=1,3,224,224")
      ->type_name("NAME=SHAPE")
      ->allow_extra_args(false);
  addResetOption(*command, flags->resetEvery);
  command
      ->add_option("--state", flags->states,
                   "Start a state with these values, not the executable's: "
                   "h=h.npy; can be repeated")
      ->type_name("NAME=FILE")
      ->allow_extra_args(false);
  command->add_option("--final-state", flags->finalState,
                      "Write the final states, as stored values: states.npz "
                      "for all by name, or as -o");
  addPictureOptions(*command, flags->pictures);
  addBudgetOption(*command, flags->budget);
  CLI::Option *simulator = command->add_option(
      "--simulator", flags->simulator,
      "Run on a simulator in a shared library, as the Compass driver loads it "
      "(docs/driver.md)");
  for (const char *name :
       {"--timed", "--batch", "--report", "--html", "--trace", "--tec-trace",
        "--tec-profile", "--break", "--step", "--commands"})
    simulator->excludes(command->get_option(name));
  command->footer(
      std::string("Example:\n"
                  "  yarrow run aipu.bin -i image.npy -o logits.npy --timed\n"
                  "  yarrow run aipu.bin -i inputs.npz -o outputs.npz\n"
                  "A stored integer q means (q + zero point) / scale; `yarrow "
                  "inspect`\n"
                  "shows both for every input and output.\n\n") +
      kExitCodeHelp);
  command->callback(
      [flags, &driver] { driver.finish(runExecutable(*flags, driver)); });
}
