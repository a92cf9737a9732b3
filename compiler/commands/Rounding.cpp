//===- Rounding.cpp - The option --tflite-rounding ------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/commands/Commands.h"
#include "quantizer/prequantized/PrequantizedOptions.h"

#include <CLI/CLI.hpp>

void yarrow::addRoundingOption(CLI::App &command, PrequantizedOptions &given) {
  static const std::map<std::string, PrequantizedRounding> kNames = {
      {"once", PrequantizedRounding::Once},
      {"reference", PrequantizedRounding::Reference}};
  command
      .add_option("--tflite-rounding", given.rounding,
                  "Round sums of products in already quantized models once (as "
                  "TFLite with XNNPACK) or as reference (twice, as TFLite's "
                  "reference kernels and TFLite Micro; on TECs)")
      ->transform(CLI::CheckedTransformer(kNames).description(""))
      ->type_name("once|reference")
      ->default_str("once");
}
