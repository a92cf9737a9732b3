//===- PerLayer.h - A setting that differs between layers -------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Most settings of the Compass Optimizer take a value for all layers and
// others for some, chosen by type, by layer_id or by name:
//
//   weight_bits = 8 & <[Convolution,FullyConnected]:16> <[(3,7)]:4>
//                     <{.*_head.*}:16>
//
//   config.weightBits.get({5, "Convolution", "", "conv5"})   4
//
// If several rules apply, a range of ids wins over a type, and a type over a
// name. The first of several ranges or names wins, and the last of several
// types. Settings of a layer in opt_config override all of them.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_CONFIG_PERLAYER_H
#define YARROW_COMPILER_CONFIG_PERLAYER_H

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace yarrow::config {

/// What rules look at.
struct LayerKey {
  std::int64_t id = -1;    ///< layer_id in the float IR.
  std::string_view type;   ///< layer_type; case does not matter.
  std::string_view method; ///< Of an Activation layer, else "".
  std::string_view name;   ///< layer_name.
};

/// A regular expression in Python's sense that must match the beginning of a
/// name. Matching takes time polynomial in the name, whatever the expression.
class NamePattern {
public:
  /// Nullopt if \p text is no regular expression; \p problem tells why.
  static std::optional<NamePattern> compile(const std::string &text,
                                            std::string &problem);
  bool matches(std::string_view name) const;
  const std::string &text() const { return source; }

private:
  struct Compiled;
  std::string source;
  std::shared_ptr<const Compiled> compiled;
};

/// The part of a rule in brackets or braces: one of the three is set.
struct LayerSelector {
  std::vector<std::string> types; ///< In lower case; of layers or activations.
  std::vector<std::pair<std::int64_t, std::int64_t>> idRanges; ///< Inclusive.
  std::optional<NamePattern> name;

  bool hasId(std::int64_t id) const;
  bool hasType(std::string_view lowerCaseType) const;
  bool hasName(std::string_view layerName) const {
    return name && name->matches(layerName);
  }
  bool matches(const LayerKey &layer) const;
  /// "[a,b]", "[(1,2)]" or "{name}".
  std::string str() const;
};

template <typename T> struct PerLayer {
  struct Rule {
    LayerSelector where;
    T value;
    std::string text = {}; ///< As it was written: "<[Softmax]:16>".
  };
  T global{};
  std::vector<Rule> rules;
  std::map<std::string, T, std::less<>> byName; ///< By opt_config.

  const T &get(const LayerKey &layer) const {
    if (auto own = byName.find(layer.name); own != byName.end())
      return own->second;
    std::size_t index = ruleFor(layer);
    return index == rules.size() ? global : rules[index].value;
  }
  /// The rule that decides for \p layer, or the number of rules: none does.
  std::size_t ruleFor(const LayerKey &layer) const;
  /// True if no rule says otherwise than the global value.
  bool isUniform() const {
    for (const Rule &rule : rules)
      if (!(rule.value == global))
        return false;
    return byName.empty();
  }

  /// The rules in an order in which each may overwrite those before it. (A
  /// layer type and an activation's method count alike here.)
  std::vector<const Rule *> byRisingPriority() const;
};

/// A setting before its values are read.
struct PerLayerText {
  struct Rule {
    LayerSelector where;
    std::string value;
    std::string text; ///< The whole rule as it was written.
  };
  std::string global;
  std::vector<Rule> rules;
};

/// Splits "global & <where:value> ...". Nullopt if it is not of that form;
/// \p problem tells why.
std::optional<PerLayerText> parsePerLayer(std::string_view text,
                                          std::string &problem);
/// Reads "[a,b]", "[(1,2)]" or "{name}".
std::optional<LayerSelector> parseSelector(std::string_view text,
                                           std::string &problem);

namespace detail {
std::string lowerCase(std::string_view text);
} // namespace detail

template <typename T>
std::size_t PerLayer<T>::ruleFor(const LayerKey &layer) const {
  if (byName.contains(layer.name))
    return rules.size();
  for (std::size_t i = 0; i != rules.size(); ++i)
    if (rules[i].where.hasId(layer.id))
      return i;
  for (std::string_view word : {layer.type, layer.method}) {
    if (word.empty())
      continue;
    std::string type = detail::lowerCase(word);
    for (std::size_t i = rules.size(); i-- != 0;)
      if (rules[i].where.hasType(type))
        return i;
  }
  for (std::size_t i = 0; i != rules.size(); ++i)
    if (rules[i].where.hasName(layer.name))
      return i;
  return rules.size();
}

template <typename T>
std::vector<const typename PerLayer<T>::Rule *>
PerLayer<T>::byRisingPriority() const {
  std::vector<const Rule *> result;
  for (std::size_t i = rules.size(); i-- != 0;)
    if (rules[i].where.name)
      result.push_back(&rules[i]);
  for (const Rule &rule : rules)
    if (!rule.where.types.empty())
      result.push_back(&rule);
  for (std::size_t i = rules.size(); i-- != 0;)
    if (!rules[i].where.idRanges.empty())
      result.push_back(&rules[i]);
  return result;
}

} // namespace yarrow::config

#endif // YARROW_COMPILER_CONFIG_PERLAYER_H
