//===- EncodingsFile.cpp - Encodings of AIMET as they are written ---------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Numbers are taken as float32, which is what they were before they were
// printed. A scale is never made of min and max where it is given.
//
//===----------------------------------------------------------------------===//

#include "quantizer/encodings/EncodingsFile.h"

#include "support/Format.h"
#include "support/JsonFile.h"
#include "support/MappedFile.h"
#include "support/diagnostics/Quantizer.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>
#include <memory>
#include <set>

namespace yarrow {

using nlohmann::json;

static constexpr const char *kActivations = "activation_encodings",
                            *kParameters = "param_encodings";
/// More problems of one file are counted, not told.
static constexpr std::size_t kMostProblems = 10;
/// What AIMET writes. There is no place for more bits than 32.
static constexpr int64_t kLeastBits = 4, kMostBits = 32;

namespace {

class EncodingsReader {
public:
  EncodingsReader(const std::string &path, DiagnosticEngine &diags)
      : path(path), diags(diags) {}

  std::optional<Encodings> read(const json &root);

private:
  /// The keys of one version.
  struct Keys {
    const char *bits, *isSymmetric;
  };

  void fail(const std::string &message, const std::string &found,
            const std::string &expected, const std::string &hint = "");
  bool failAt(const std::string &name, const std::string &what,
              const std::string &found, const std::string &expected,
              const std::string &hint = "") {
    fail("the encoding of " + name + " " + what, found, expected, hint);
    return false;
  }

  bool checkVersion(const json &root);
  void readSection(const json &root, const char *key,
                   std::vector<Encoding> &to);
  /// {"x": [{...}, ...]} of versions up to 0.6.1.
  void readByName(const json &section, const std::string &key,
                  std::vector<Encoding> &to);
  bool readChannels(const json &list, Encoding &encoding);
  bool readChannel(const json &object, Encoding &encoding);
  /// [{"name": "x", ...}, ...] of version 1.0.0.
  void readList(const json &section, const std::string &key,
                std::vector<Encoding> &to);
  bool readObject(const json &object, Encoding &encoding);

  /// dtype and bits; false after a problem.
  bool readType(const json &object, const Keys &keys, Encoding &encoding,
                unsigned &bits);
  bool readSymmetry(const json &object, const Keys &keys,
                    const std::string &name, bool &isSymmetric);
  bool addChannel(const json &scale, const json &offset, unsigned bits,
                  bool isSymmetric, Encoding &encoding);
  /// min and max where there are any, and whether scale and offset fit them.
  bool checkRange(const json &object, const std::string &name);
  bool checkLowest(const json &object, const Encoding &encoding);
  /// Scale and offset of min and max.
  bool readRange(const json &object, unsigned bits, Encoding &encoding);

  const std::string &path;
  DiagnosticEngine &diags;
  std::size_t problems = 0;
};

} // namespace

/// As much of a value as fits a message.
static std::string textOf(const json &value) {
  constexpr std::size_t kLongest = 60;
  std::string text = value.dump(-1, ' ', false, json::error_handler_t::replace);
  return text.size() <= kLongest ? text : text.substr(0, kLongest) + "...";
}

static std::string lower(std::string text) {
  for (char &c : text)
    c = char(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

/// The member, or null.
static const json &memberOf(const json &object, const char *key) {
  static const json none;
  auto it = object.find(key);
  return it == object.end() ? none : *it;
}

/// Offsets are printed as 12 and as 12.0.
static std::optional<int64_t> wholeNumber(const json &value) {
  if (!value.is_number())
    return std::nullopt;
  auto number = value.get<double>();
  if (!(std::fabs(number) <= 9007199254740992.0) ||
      number != std::floor(number))
    return std::nullopt;
  return int64_t(number);
}

static std::string numberText(double value) { return json(value).dump(); }

void EncodingsReader::fail(const std::string &message, const std::string &found,
                           const std::string &expected,
                           const std::string &hint) {
  if (++problems > kMostProblems)
    return;
  Diagnostic &d = diags.report(diag::EncodingsFile, {path}, message);
  if (!found.empty())
    d.found(found);
  d.expected(expected);
  if (!hint.empty())
    d.hint(hint);
}

//===----------------------------------------------------------------------===//
// One encoding
//===----------------------------------------------------------------------===//

bool EncodingsReader::readType(const json &object, const Keys &keys,
                               Encoding &encoding, unsigned &bits) {
  const json &width = memberOf(object, keys.bits);
  std::optional<int64_t> number = wholeNumber(width);
  if (!number || *number < kLeastBits || *number > kMostBits)
    return failAt(encoding.name, std::string("has an invalid ") + keys.bits,
                  textOf(width), "a whole number from 4 to 32");
  bits = unsigned(*number);
  // Files before version 0.5.0 have integers alone.
  const json &type = memberOf(object, "dtype");
  std::string word = type.is_string() ? lower(type.get<std::string>()) : "";
  if (type.is_null() || word == "int")
    return true;
  if (word != "float" && word != "fp")
    return failAt(encoding.name, "has an invalid dtype", textOf(type),
                  "int or float");
  if (bits != 16 && bits != 32)
    return failAt(encoding.name,
                  "has a float type that layers cannot compute with",
                  std::to_string(bits) + " bits", "16 or 32 bits");
  encoding.floatBits = bits;
  return true;
}

bool EncodingsReader::readSymmetry(const json &object, const Keys &keys,
                                   const std::string &name, bool &isSymmetric) {
  const json &value = memberOf(object, keys.isSymmetric);
  std::string word = value.is_string() ? lower(value.get<std::string>()) : "";
  if (!value.is_boolean() && word != "true" && word != "false")
    return failAt(name, std::string("has an invalid ") + keys.isSymmetric,
                  textOf(value), "True or False");
  isSymmetric = value.is_boolean() ? value.get<bool>() : word == "true";
  return true;
}

bool EncodingsReader::addChannel(const json &scale, const json &offset,
                                 unsigned bits, bool isSymmetric,
                                 Encoding &encoding) {
  TensorEncoding channel;
  channel.bits = bits;
  channel.step = scale.is_number() ? float(scale.get<double>()) : 0;
  if (!(channel.step > 0) || !std::isfinite(channel.step) ||
      !std::isfinite(1 / channel.step))
    return failAt(encoding.name, "has an invalid scale", textOf(scale),
                  "a positive finite number, with a finite reciprocal");
  int64_t steps = (int64_t(1) << bits) - 1;
  std::optional<int64_t> lowest = wholeNumber(offset);
  if (!lowest || *lowest < -steps || *lowest > 0)
    return failAt(encoding.name, "has an invalid offset", textOf(offset),
                  "a whole number from " + std::to_string(-steps) + " to 0",
                  "a value is (q + offset) * scale, for q from 0 to " +
                      std::to_string(steps));
  // A strictly symmetric range has one integer less.
  bool isRestricted = isSymmetric && *lowest == -(steps / 2);
  channel.lowest = *lowest;
  channel.highest = *lowest + steps - (isRestricted ? 1 : 0);
  encoding.channels.push_back(channel);
  return true;
}

//===----------------------------------------------------------------------===//
// Versions up to 0.6.1
//===----------------------------------------------------------------------===//

static bool isFinite(const json &value) {
  return value.is_number() && std::isfinite(float(value.get<double>()));
}

bool EncodingsReader::checkRange(const json &object, const std::string &name) {
  const json &min = memberOf(object, "min"), &max = memberOf(object, "max");
  if (min.is_null() && max.is_null())
    return true;
  std::string found = "min " + textOf(min) + ", max " + textOf(max);
  if (!isFinite(min) || !isFinite(max))
    return failAt(name, "has an invalid range", found, "two finite numbers");
  return min.get<double>() <= max.get<double>() ||
         failAt(name, "has a min above its max", found, "min <= max");
}

/// What is wrong shows there: another sign of the offset, another scale.
bool EncodingsReader::checkLowest(const json &object,
                                  const Encoding &encoding) {
  const json &min = memberOf(object, "min");
  if (min.is_null())
    return true;
  const TensorEncoding &channel = encoding.channels.back();
  double step = channel.step, lowest = double(channel.lowest) * step;
  // People print with few digits.
  double slack = step + 1e-3 * std::fabs(lowest);
  return std::fabs(lowest - min.get<double>()) <= slack ||
         failAt(encoding.name,
                "has a scale and an offset that do not match min",
                "min " + textOf(min), numberText(lowest) + ", offset * scale",
                "give offsets as in version 0.6.1: at most 0");
}

/// Files that people write have min and max alone.
bool EncodingsReader::readRange(const json &object, unsigned bits,
                                Encoding &encoding) {
  const json &min = memberOf(object, "min"), &max = memberOf(object, "max");
  if (!isFinite(min) || !isFinite(max))
    return failAt(encoding.name, "has neither scale and offset nor a range", "",
                  "scale and offset, or min and max");
  double least = std::min(min.get<double>(), 0.0),
         most = std::max(max.get<double>(), 0.0);
  auto steps = double((int64_t(1) << bits) - 1);
  double scale = (most - least) / steps;
  json offset = scale > 0 ? std::nearbyint(least / scale) : 0.0;
  return addChannel(scale, offset, bits, /*isSymmetric=*/false, encoding);
}

bool EncodingsReader::readChannel(const json &object, Encoding &encoding) {
  constexpr Keys kKeys{"bitwidth", "is_symmetric"};
  if (!object.is_object())
    return failAt(encoding.name, "is not an object", textOf(object),
                  "{\"bitwidth\": 8, \"scale\": 0.02, \"offset\": -128, ...}");
  unsigned bits = 0, floatBits = encoding.floatBits;
  bool isFirst = encoding.channels.empty() && !encoding.isFloat();
  encoding.floatBits = 0;
  if (!readType(object, kKeys, encoding, bits))
    return false;
  if (!isFirst && (encoding.floatBits != floatBits ||
                   (!floatBits && encoding.channels.front().bits != bits)))
    return failAt(encoding.name, "has channels of several types", "",
                  "one dtype and bitwidth");
  if (encoding.isFloat())
    return true;
  const json &scale = memberOf(object, "scale"),
             &offset = memberOf(object, "offset");
  bool hasScale = !scale.is_null() || !offset.is_null();
  if (!checkRange(object, encoding.name))
    return false;
  if (!hasScale)
    return readRange(object, bits, encoding);
  bool isSymmetric = false;
  return readSymmetry(object, kKeys, encoding.name, isSymmetric) &&
         addChannel(scale, offset, bits, isSymmetric, encoding) &&
         checkLowest(object, encoding);
}

bool EncodingsReader::readChannels(const json &list, Encoding &encoding) {
  if (list.is_object())
    return failAt(encoding.name, "is not a list", textOf(list),
                  "[{\"bitwidth\": 8, ...}]",
                  "give the file for runtimes, which AIMET writes next to this "
                  "one: this file is for loading back into PyTorch");
  if (!list.is_array() || list.empty())
    return failAt(encoding.name, "is not a list", textOf(list),
                  "[{\"bitwidth\": 8, ...}]");
  return std::ranges::all_of(
      list, [&](const json &one) { return readChannel(one, encoding); });
}

void EncodingsReader::readByName(const json &section, const std::string &key,
                                 std::vector<Encoding> &to) {
  if (!section.is_object()) {
    fail(key + " is not an object", textOf(section),
         "an object of lists by tensor, as in versions up to 0.6.1");
    return;
  }
  for (const auto &[name, list] : section.items()) {
    Encoding encoding{name};
    if (readChannels(list, encoding))
      to.push_back(std::move(encoding));
  }
}

//===----------------------------------------------------------------------===//
// Version 1.0.0
//===----------------------------------------------------------------------===//

bool EncodingsReader::readObject(const json &object, Encoding &encoding) {
  constexpr Keys kKeys{"bw", "is_sym"};
  const json &form = memberOf(object, "enc_type");
  std::string word = form.is_string() ? form.get<std::string>() : "";
  bool isPerChannel = word == "PER_CHANNEL";
  if (word == "PER_BLOCK" || word == "LPBQ" || word == "VECTOR")
    return failAt(encoding.name, "has scales for blocks of a channel",
                  "enc_type " + word, "PER_TENSOR or PER_CHANNEL",
                  "integer multiplications have one scale per channel");
  if (!isPerChannel && word != "PER_TENSOR")
    return failAt(encoding.name, "has an invalid enc_type", textOf(form),
                  "PER_TENSOR or PER_CHANNEL");
  unsigned bits = 0;
  if (!readType(object, kKeys, encoding, bits))
    return false;
  if (encoding.isFloat())
    return true;
  bool isSymmetric = false;
  if (!readSymmetry(object, kKeys, encoding.name, isSymmetric))
    return false;
  const json &scales = memberOf(object, "scale"),
             &offsets = memberOf(object, "offset");
  bool areLists = scales.is_array() && offsets.is_array();
  bool fits = areLists && !scales.empty() && scales.size() == offsets.size() &&
              (isPerChannel || scales.size() == 1);
  if (!fits)
    return failAt(encoding.name, "has no lists of scales and offsets",
                  areLists ? formatCount(scales.size()) + " scales, " +
                                 formatCount(offsets.size()) + " offsets"
                           : "scale " + textOf(scales) + ", offset " +
                                 textOf(offsets),
                  isPerChannel ? "a scale and an offset for each channel"
                               : "one scale and one offset: [0.02], [-128]");
  for (std::size_t i = 0; i < scales.size(); ++i)
    if (!addChannel(scales[i], offsets[i], bits, isSymmetric, encoding))
      return false;
  return true;
}

void EncodingsReader::readList(const json &section, const std::string &key,
                               std::vector<Encoding> &to) {
  if (!section.is_array()) {
    fail(key + " is not a list", textOf(section),
         "a list of objects with name and enc_type, as in version 1.0.0");
    return;
  }
  std::set<std::string> names;
  for (const json &object : section) {
    const json &name = object.is_object() ? memberOf(object, "name") : object;
    if (!object.is_object() || !name.is_string()) {
      fail(key + " has an entry without a name", textOf(object),
           "{\"name\": \"x\", \"enc_type\": \"PER_TENSOR\", ...}");
      continue;
    }
    Encoding encoding{name.get<std::string>()};
    if (!names.insert(encoding.name).second)
      failAt(encoding.name, "appears twice", "", "one for each tensor");
    else if (readObject(object, encoding))
      to.push_back(std::move(encoding));
  }
}

//===----------------------------------------------------------------------===//
// The file
//===----------------------------------------------------------------------===//

bool EncodingsReader::checkVersion(const json &root) {
  const json &version = memberOf(root, "version");
  if (version.is_null())
    return true; // older than 0.4.0, or written by hand: its form tells
  std::string text = version.is_string() ? version.get<std::string>() : "";
  if (text.starts_with("0.") || text.starts_with("1."))
    return true;
  fail("the encodings have a version that Yarrow cannot read", textOf(version),
       "versions 0.4.0 to 1.0.0",
       "export them with encoding_version=\"1.0.0\" or \"0.6.1\"");
  return false;
}

void EncodingsReader::readSection(const json &root, const char *key,
                                  std::vector<Encoding> &to) {
  const json &section = memberOf(root, key);
  const json &version = memberOf(root, "version");
  bool hasLists = version.is_string()
                      ? version.get<std::string>().starts_with("1.")
                      : section.is_array();
  if (!hasLists)
    readByName(section, key, to);
  else
    readList(section, key, to);
}

std::optional<Encodings> EncodingsReader::read(const json &root) {
  if (!root.is_object()) {
    fail("the file is not an object", textOf(root),
         std::string("an object with ") + kActivations + " and " + kParameters);
    return std::nullopt;
  }
  if (!checkVersion(root))
    return std::nullopt;
  Encodings encodings;
  encodings.path = path;
  bool hasAny = false;
  for (auto [key, to] : {std::pair(kActivations, &encodings.activations),
                         std::pair(kParameters, &encodings.parameters)})
    if (root.contains(key)) {
      hasAny = true;
      readSection(root, key, *to);
    }
  if (!hasAny)
    fail("the file does not have encodings", textOf(root),
         std::string(kActivations) + " and " + kParameters);
  if (problems > kMostProblems)
    diags.report(diag::EncodingsFile, {path},
                 formatCount(problems - kMostProblems) +
                     " more encodings cannot be used");
  if (problems)
    return std::nullopt;
  return encodings;
}

std::optional<Encodings> parseEncodings(std::string_view text,
                                        const std::string &path,
                                        DiagnosticEngine &diags) {
  std::optional<json> root = parseJson(text, path, diags);
  if (!root)
    return std::nullopt;
  return EncodingsReader(path, diags).read(*root);
}

std::optional<Encodings> readEncodings(const std::string &path,
                                       DiagnosticEngine &diags) {
  std::shared_ptr<const MappedFile> file = MappedFile::open(path, diags);
  if (!file)
    return std::nullopt;
  return parseEncodings(file->text(), path, diags);
}

} // namespace yarrow
