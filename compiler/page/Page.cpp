//===- Page.cpp - A build as one HTML page --------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/page/Page.h"
#include "compiler/page/PageFindings.h"
#include "compiler/page/PageJson.h"
#include "compiler/page/PrivatePaths.h"
#include "support/EmbedFile.h"
#include "support/Svg.h"

#include <cassert>
#include <filesystem>
#include <iterator>
#include <string_view>

using namespace yarrow;
using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

#define EMBED(SYMBOL, FILE)                                                    \
  YARROW_EMBED_FILE(yarrow_page_##SYMBOL, YARROW_PAGE_FOLDER "/" FILE)

#define PAGE_FILES(FILE)                                                       \
  FILE(frame, "page.html")                                                     \
  FILE(style, "page.css")                                                      \
  FILE(text, "text.js")                                                        \
  FILE(data, "data.js")                                                        \
  FILE(marks, "marks.js")                                                      \
  FILE(canvas, "canvas.js")                                                    \
  FILE(download, "download.js")                                                \
  FILE(histogram, "histogram.js")                                              \
  FILE(details, "details.js")                                                  \
  FILE(node, "node.js")                                                        \
  FILE(graph, "graph.js")                                                      \
  FILE(graphview, "graphview.js")                                              \
  FILE(time, "time.js")                                                        \
  FILE(timeline, "timeline.js")                                                \
  FILE(sram, "sram.js")                                                        \
  FILE(roofline, "roofline.js")                                                \
  FILE(roofs, "roofs.js")                                                      \
  FILE(table, "table.js")                                                      \
  FILE(layers, "layers.js")                                                    \
  FILE(accuracy, "accuracy.js")                                                \
  FILE(findings, "findings.js")                                                \
  FILE(script, "page.js")

PAGE_FILES(EMBED)
#undef EMBED

namespace {
struct PageFile {
  std::string_view name, bytes;
};
} // namespace

static const PageFile pageFiles[] = {
#define ENTRY(SYMBOL, FILE)                                                    \
  {FILE,                                                                       \
   {yarrow_page_##SYMBOL,                                                      \
    std::size_t(yarrow_page_##SYMBOL##_end - yarrow_page_##SYMBOL)}},
    PAGE_FILES(ENTRY)
#undef ENTRY
};

/// In a script element nothing may look like its end. "<" stands in texts only,
/// where it can be written as an escape.
static std::string scriptData(const Json &json) {
  std::string text,
      dumped = json.dump(-1, ' ', false, Json::error_handler_t::replace);
  for (char c : dumped)
    if (c == '<')
      text += "\\u003c";
    else
      text += c;
  return text;
}

static std::string titleOf(std::span<const PageBuild> builds) {
  auto nameOf = [](const PageBuild &build) {
    std::string name;
    for (const char *key : {"model", "target"})
      if (auto it = build.report.find(key);
          it != build.report.end() && it->is_string())
        name += (name.empty() ? "" : " on ") + it->get<std::string>();
    return name.empty() ? build.label : name;
  };
  std::string title = nameOf(builds[0]);
  if (builds.size() > 1 && nameOf(builds[1]) != title)
    title += " and " + nameOf(builds[1]);
  return title;
}

/// "new/aipu.bin"
static std::string withItsFolder(const std::string &path) {
  fs::path folder = fs::path(path).parent_path().filename();
  return (folder / fs::path(path).filename()).string();
}

static Json dataOf(std::span<const PageBuild> builds) {
  Json list = Json::array();
  for (const PageBuild &build : builds) {
    Json report = build.report;
    std::string label = withoutFolders(report, build.label);
    // Two builds of one name show the folders that they are in.
    if (!list.empty() && list[0]["label"] == label)
      for (std::size_t i = 0; i < 2; ++i)
        (i ? label : list[0]["label"].get_ref<std::string &>()) =
            withItsFolder(builds[i].label);
    Json entry{{"label", std::move(label)}, {"report", packed(report)}};
    entry["picture"] =
        build.picture ? packed(pictureJson(*build.picture)) : Json();
    entry["layer_facts"] = packed(factsJson(build.facts));
    entry["findings"] = findingsJson(findingsOf(build));
    list.push_back(std::move(entry));
  }
  return {{"builds", std::move(list)}, {"thresholds", PageThresholds().json()}};
}

std::string yarrow::pageHtml(std::span<const PageBuild> builds) {
  assert((builds.size() == 1 || builds.size() == 2) && "one, or two compared");
  std::string style, script;
  for (const PageFile &file : pageFiles) {
    if (file.name.ends_with(".css"))
      style += file.bytes;
    if (file.name.ends_with(".js"))
      script += file.bytes;
  }
  const std::pair<std::string_view, std::string> parts[] = {
      {"@title@", svg::escaped(titleOf(builds))},
      {"@style@", style},
      {"@data@", scriptData(dataOf(builds))},
      {"@script@", script}};
  // In the order in which the frame has them.
  std::string page;
  std::string_view rest = pageFiles[0].bytes;
  for (const auto &[mark, text] : parts) {
    std::size_t at = rest.find(mark);
    assert(at != rest.npos && "the frame has each mark");
    page.append(rest.substr(0, at)).append(text);
    rest.remove_prefix(at + mark.size());
  }
  return page.append(rest);
}
