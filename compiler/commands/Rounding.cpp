//===- Rounding.cpp - The option --tflite-rounding ------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/commands/Commands.h"
#include "quantizer/given/GivenOptions.h"

#include <CLI/CLI.hpp>

void yarrow::addRoundingOption(CLI::App &command, GivenOptions &given) {
  static const std::map<std::string, GivenRounding> kNames = {
      {"once", GivenRounding::Once}, {"reference", GivenRounding::Reference}};
  command
      .add_option("--tflite-rounding", given.rounding,
                  "Round sums of products in already quantized models once (as "
                  "TFLite with XNNPACK) or as reference (twice, as TFLite's "
                  "reference kernels and TFLite Micro; on TECs)")
      ->transform(CLI::CheckedTransformer(kNames).description(""))
      ->type_name("once|reference")
      ->default_str("once");
}
