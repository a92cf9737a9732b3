//===- Certificate.cpp - What was shown of an executable ------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "prove/Certificate.h"

#include "support/Format.h"
#include <algorithm>
#include <nlohmann/json.hpp>

using namespace yarrow;
using namespace yarrow::prove;
using Json = nlohmann::ordered_json;

namespace {

/// Keys of the JSON and the numbers behind them: written and read alike.
template <typename Counts, typename Visit>
void forEachCount(Counts &c, const Visit &visit)
  requires std::is_same_v<std::remove_const_t<Counts>, StreamCounts>
{
  visit("programs", c.programs);
  visit("paths", c.paths);
  visit("groups", c.groups);
  visit("commands", c.commands);
  visit("tec_steps", c.tecSteps);
  visit("waits", c.waits);
  visit("read_bytes", c.readBytes);
  visit("written_bytes", c.writtenBytes);
  visit("weight_streams", c.weightStreams);
  visit("stream_bytes", c.streamBytes);
  visit("decoded_bytes", c.decodedBytes);
}

template <typename Counts, typename Visit>
void forEachCount(Counts &c, const Visit &visit)
  requires std::is_same_v<std::remove_const_t<Counts>, StageCounts>
{
  visit("commands", c.commands);
  visit("bounded_commands", c.boundedCommands);
  visit("stated_commands", c.statedCommands);
  visit("stages", c.stages);
  visit("sums", c.sums);
  visit("largest_sum", c.largestSum);
}

template <typename Counts> Json toJson(const Counts &counts) {
  Json json = Json::object();
  forEachCount(counts,
               [&](const char *key, const auto &count) { json[key] = count; });
  return json;
}

template <typename Counts> void fromJson(const Json &json, Counts &counts) {
  forEachCount(counts, [&](const char *key, auto &count) {
    json.at(key).get_to(count);
  });
}

} // namespace

void Certificate::addNotShown(std::string_view what, std::string_view why,
                              std::string_view layer) {
  auto entry =
      std::find_if(notShown.begin(), notShown.end(), [&](const NotShown &n) {
        return n.what == what && n.why == why;
      });
  if (entry == notShown.end())
    entry = notShown.insert(entry, {std::string(what), std::string(why)});
  if (!layer.empty() && std::find(entry->layers.begin(), entry->layers.end(),
                                  layer) == entry->layers.end())
    entry->layers.emplace_back(layer);
}

std::string Certificate::json() const {
  Json rows = Json::array();
  for (const NotShown &entry : notShown)
    rows.push_back(
        {{"what", entry.what}, {"why", entry.why}, {"layers", entry.layers}});
  Json json = {{"yarrow_certificate", kVersion},
               {"executable", executable},
               {"digest", digest},
               {"target", target},
               {"model", model},
               {"holds", holds},
               {"problems", problems},
               {"command_stream", toJson(stream)},
               {"output_stages", toJson(stages)},
               {"not_shown", rows}};
  return json.dump(2) + "\n";
}

std::optional<Certificate> Certificate::parse(std::string_view text) {
  Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object() || json.value("yarrow_certificate", Json()) != kVersion)
    return std::nullopt;
  Certificate c;
  auto isText = [&](const char *key, std::string &to) {
    auto it = json.find(key);
    if (it == json.end() || !it->is_string())
      return false;
    to = it->get<std::string>();
    return true;
  };
  auto areCounts = [&](const char *key, auto &counts) {
    auto it = json.find(key);
    bool isWhole = it != json.end() && it->is_object();
    forEachCount(counts, [&](const char *name, auto &) {
      isWhole =
          isWhole && it->contains(name) && it->at(name).is_number_integer();
    });
    if (isWhole)
      fromJson(*it, counts);
    return isWhole;
  };
  auto holds = json.find("holds"), problems = json.find("problems"),
       rows = json.find("not_shown");
  if (!isText("executable", c.executable) || !isText("digest", c.digest) ||
      !isText("target", c.target) || !isText("model", c.model) ||
      holds == json.end() || !holds->is_boolean() || problems == json.end() ||
      !problems->is_number_unsigned() || rows == json.end() ||
      !rows->is_array() || !areCounts("command_stream", c.stream) ||
      !areCounts("output_stages", c.stages))
    return std::nullopt;
  c.holds = holds->get<bool>();
  c.problems = problems->get<uint64_t>();
  for (const Json &row : *rows) {
    auto areTexts = [&](const Json &list) {
      return list.is_array() &&
             std::all_of(list.begin(), list.end(),
                         [](const Json &text) { return text.is_string(); });
    };
    if (!row.is_object() || !row.value("what", Json()).is_string() ||
        !row.value("why", Json()).is_string() ||
        !areTexts(row.value("layers", Json())))
      return std::nullopt;
    c.notShown.push_back({row["what"].get<std::string>(),
                          row["why"].get<std::string>(),
                          row["layers"].get<std::vector<std::string>>()});
  }
  return c;
}

std::string Certificate::text() const {
  auto count = [](uint64_t n) { return formatCount(n); };
  std::string text;
  text += holds ? "holds, for every order that the waits allow:\n"
                : "does not hold: " + count(problems) +
                      (problems == 1 ? " problem\n" : " problems\n");
  text += "  command stream  " + count(stream.commands) + " commands, " +
          count(stream.tecSteps) + " TEC steps, " + count(stream.waits) +
          " waits, " + count(stream.groups) +
          (stream.groups == 1 ? " group" : " groups");
  if (stream.programs > 1)
    text += " of " + count(stream.programs) + " programs";
  if (stream.paths > stream.programs)
    text += ", on " + count(stream.paths) + " paths";
  text += "\n                  " + count(stream.readBytes) + " bytes read, " +
          count(stream.writtenBytes) + " written: each read has one writer\n";
  if (stream.weightStreams != 0)
    text += "  weight streams  " + count(stream.weightStreams) + ", " +
            count(stream.streamBytes) + " bytes, which decode to " +
            count(stream.decodedBytes) + "\n";
  if (stages.commands != 0) {
    text += "  sums            " + count(stages.boundedCommands) + " of " +
            count(stages.commands) +
            " commands cannot overflow, whatever the input\n";
    text += "  constants       " + count(stages.statedCommands) +
            " commands have those of the IR\n";
    text += "  output stages   " + count(stages.stages) + " different, " +
            count(stages.sums) + " sums tried\n";
  }
  for (const NotShown &entry : notShown)
    text += "  not shown       " + entry.what +
            (entry.layers.empty() ? ""
             : entry.layers.size() == 1
                 ? " of layer '" + entry.layers[0] + "'"
                 : " of " + count(entry.layers.size()) + " layers") +
            ": " + entry.why + "\n";
  return text;
}
