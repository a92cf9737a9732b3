//===- CalibrationStrategy.cpp - How the range of a tensor is found -------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "quantizer/observe/CalibrationStrategy.h"
#include "support/Diagnostics.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <limits>

namespace yarrow {

namespace {

/// What the parameters of a strategy may be.
struct Bounds {
  std::array<float, 4> least = {}, most = {};
  bool isAboveLeast = false; ///< Least itself is out.

  bool hold(float value, std::size_t parameter) const {
    return (isAboveLeast ? value > least[parameter]
                         : value >= least[parameter]) &&
           value <= most[parameter];
  }
};

constexpr Bounds none() { return {}; }
constexpr Bounds from(float least, float most) { return {{least}, {most}}; }
constexpr Bounds above(float least, float most) {
  return {{least}, {most}, true};
}
constexpr Bounds sharesAndDeviation() {
  return {{0, 0, 0, 0}, {1, 1, 1, std::numeric_limits<float>::max()}};
}

struct Record {
  CalibrationStrategy::Kind kind;
  std::string_view form;
  float defaultNumber;
  Bounds bounds;
  std::string_view meaning;
  StrategyNeeds needs;

  bool isWhole() const {
    return form.starts_with("N") || form.starts_with("[N]");
  }
  bool isRequired() const { return form.starts_with("N"); }
  bool hasNumber() const { return isWhole() || form.starts_with("[R]"); }
  std::string_view name() const {
    std::string_view text =
        form.substr(0, hasList() ? form.find('[') : form.npos);
    return text.substr(isRequired() ? 1 : hasNumber() ? 3 : 0);
  }
  bool hasList() const { return form.ends_with(']'); }
  std::size_t listSize() const {
    return std::size_t(std::ranges::count(form, ',')) + 1;
  }
};

using enum StrategyNeeds;
constexpr Record kRecords[] = {
#define STRATEGY(KIND, FORM, DEFAULT, BOUNDS, MEANING, NEEDS, RANGE, DOC)      \
  {CalibrationStrategy::Kind::KIND, FORM, DEFAULT, BOUNDS, MEANING, NEEDS},
#include "quantizer/observe/Strategies.def"
};

const Record &recordOf(CalibrationStrategy::Kind kind) {
  return kRecords[std::size_t(kind)];
}

std::string_view trim(std::string_view text) {
  while (!text.empty() && text.front() == ' ')
    text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ')
    text.remove_suffix(1);
  return text;
}

/// Digits and at most one point.
bool readNumber(std::string_view text, float &number) {
  auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), number);
  return !text.empty() && error == std::errc() &&
         end == text.data() + text.size() &&
         text.find_first_not_of("0123456789.") == text.npos;
}

std::string numberText(float number) {
  char digits[32];
  auto [end, error] = std::to_chars(digits, digits + sizeof(digits), number);
  return {digits, end};
}

/// Reads "a,b,c,d" into \p parameters.
bool readList(std::string_view text, const Record &record,
              std::array<float, 4> &parameters, std::string &problem) {
  std::size_t count = 0;
  for (bool isLast = false; !isLast; ++count) {
    std::size_t comma = text.find(',');
    isLast = comma == text.npos;
    std::string_view item = trim(text.substr(0, comma));
    if (!isLast)
      text.remove_prefix(comma + 1);
    float number = 0;
    if (!readNumber(item, number)) {
      problem = "'" + std::string(item) + "' is not a number";
      return false;
    }
    if (count < record.listSize())
      parameters[count] = number;
  }
  return count == record.listSize();
}

/// 99.9percentile would ask for a range a hundred times the tensor's.
std::string boundsProblem(std::string_view text, const Record &record,
                          float number) {
  std::string problem =
      record.hasList() ? "the parameters of '" : "the parameter of '";
  problem += std::string(text) + "' " + std::string(record.meaning);
  bool isPercent = !record.isWhole() && record.bounds.most[0] == 1 &&
                   record.hasNumber() && number > 1 && number <= 100;
  if (!isPercent)
    return problem;
  std::string fraction = std::to_string(double(number) / 100);
  fraction.erase(fraction.find_last_not_of('0') + 1);
  if (fraction.ends_with('.'))
    fraction += '0';
  return problem + "; " + didYouMean(fraction + std::string(record.name()));
}

} // namespace

std::optional<CalibrationStrategy>
CalibrationStrategy::parse(std::string_view text, std::string &problem) {
  problem.clear();
  std::string lower(trim(text));
  std::ranges::transform(lower, lower.begin(),
                         [](unsigned char c) { return char(std::tolower(c)); });
  std::string_view word = lower;
  std::size_t digits =
      std::min(word.find_first_not_of("0123456789."), word.size());
  std::size_t bracket = std::min(word.find('['), word.size());
  if (digits > bracket)
    return std::nullopt;
  std::string_view number = word.substr(0, digits),
                   name = word.substr(digits, bracket - digits),
                   list = word.substr(bracket);
  const Record *record = std::ranges::find(kRecords, name, &Record::name);
  if (record == std::end(kRecords))
    return std::nullopt;
  CalibrationStrategy strategy{record->kind, {record->defaultNumber}};
  auto fail = [&](std::string why = "") {
    problem = std::move(why);
    return std::nullopt;
  };
  std::string shown = "'" + lower + "'";
  if (record->hasList()) {
    if (!number.empty() || list.size() < 2 || !list.ends_with(']') ||
        !readList(list.substr(1, list.size() - 2), *record, strategy.parameters,
                  problem))
      return problem.empty()
                 ? fail(shown + " is not " + std::string(record->form))
                 : std::nullopt;
  } else if (!list.empty() || (!number.empty() && !record->hasNumber())) {
    return std::nullopt;
  } else if (number.empty()) {
    if (record->isRequired())
      return fail(shown + " is not a strategy: write it as " +
                  numberText(record->defaultNumber) + std::string(name));
    return strategy;
  } else if (!readNumber(number, strategy.parameters[0]) ||
             (record->isWhole() && number.find('.') != number.npos)) {
    return std::nullopt;
  }
  for (std::size_t i = 0; i < (record->hasList() ? record->listSize() : 1); ++i)
    if (!record->bounds.hold(strategy.parameters[i], i))
      return fail(boundsProblem(lower, *record, strategy.parameters[i]));
  return strategy;
}

std::string CalibrationStrategy::forms() {
  std::string text;
  for (const Record &record : kRecords) {
    bool isLast = &record == std::end(kRecords) - 1;
    text += text.empty() ? "" : isLast ? " or " : ", ";
    text += record.form;
  }
  return text + " with a whole N and any other numbers";
}

std::string CalibrationStrategy::str() const {
  const Record &record = recordOf(kind);
  std::string name(record.name());
  if (record.hasList()) {
    for (std::size_t i = 0; i < record.listSize(); ++i)
      name += (i ? "," : "[") + numberText(parameters[i]);
    return name + "]";
  }
  if (!record.hasNumber() ||
      (parameters[0] == record.defaultNumber && !record.isRequired()))
    return name;
  return numberText(parameters[0]) + name;
}

StrategyNeeds CalibrationStrategy::needs() const {
  return recordOf(kind).needs;
}

} // namespace yarrow
