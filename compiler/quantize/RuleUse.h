//===- RuleUse.h - Which layers the rules of settings match -----*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A rule such as <[Convolutin]:16> is well formed and matches nothing. Here all
// rules of a configuration are held against the network at hand: how many
// layers each matches, for how many it decides, and a warning with the nearest
// name for each that does nothing.
//
//   recordLayerIds(module);
//   std::vector<RuleUse> rules = useOfRules(config, module, cleaned, diags);
//   driver.say(ruleTable(rules, driver.tableWidth()));
//
//   setting          rule                layers  decides
//   ---------------  ------------------  ------  -------
//   activation_bits  <[Convolution]:16>       5        5
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_QUANTIZE_RULEUSE_H
#define YARROW_COMPILER_QUANTIZE_RULEUSE_H

#include "compiler/config/BuildConfig.h"
#include "mlir/IR/BuiltinOps.h"
#include "support/Diagnostics.h"

#include <cstddef>
#include <string>
#include <vector>

namespace yarrow {

struct RuleUse {
  std::string key;         ///< "activation_bits"
  std::string rule;        ///< "<[Convolution]:16>"
  std::size_t matched = 0; ///< Layers of the IR that it names.
  /// Layers after clean-up that no other rule decides for.
  std::size_t decides = 0;
};

/// The rules of all keys that are applied by layer, in the order of
/// ConfigKeys.def. Both modules have layer ids; \p cleaned is \p read after
/// clean-up, which merges layers.
std::vector<RuleUse> useOfRules(const config::BuildConfig &config,
                                mlir::ModuleOp read, mlir::ModuleOp cleaned,
                                DiagnosticEngine &diags);

/// No wider than \p width; "" without rules.
std::string ruleTable(const std::vector<RuleUse> &rules, std::size_t width);

} // namespace yarrow

#endif // YARROW_COMPILER_QUANTIZE_RULEUSE_H
