//===- PageDataTest.cpp - What pages show ---------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/page/Page.h"
#include "compiler/page/PageJson.h"

#include <gtest/gtest.h>

using namespace yarrow;
using Json = nlohmann::ordered_json;

namespace {

Json unpacked(const Json &json) {
  if (json.is_object() && json.contains("columns") && json.contains("rows")) {
    Json list = Json::array();
    for (const Json &row : json["rows"]) {
      Json object = Json::object();
      for (std::size_t i = 0; i < row.size(); ++i)
        object[json["columns"][i].get<std::string>()] = unpacked(row[i]);
      list.push_back(object);
    }
    return list;
  }
  Json result = json;
  if (json.is_structured())
    for (Json &value : result)
      value = unpacked(value);
  return result;
}

TEST(PageJson, ListsPrintTheirKeysOnce) {
  Json json = Json::parse(R"([{"a":1,"b":[{"c":2},{"c":3}]},{"a":4,"b":[]}])");
  Json small = packed(json);
  EXPECT_EQ(small.dump(),
            R"({"columns":["a","b"],"rows":)"
            R"([[1,{"columns":["c"],"rows":[[2],[3]]}],[4,[]]]})");
  EXPECT_EQ(unpacked(small), json);
}

TEST(PageJson, OtherListsStayAsTheyAre) {
  for (const char *text :
       {"[]", "[1,2]", R"([{"a":1}])", R"([{"a":1},{"b":1}])",
        R"([{"a":1},{"a":1,"b":2}])", R"([{},{}])", R"([{"a":1},2])", "null"})
    EXPECT_EQ(packed(Json::parse(text)).dump(), text);
}

std::vector<PageTrack> tracksOf(std::vector<PageEvent> events) {
  return {{"te", isa::Unit::TensorEngine, std::move(events)}};
}

TEST(PageData, FewEventsStayApart) {
  auto tracks = tracksOf({{0, 4, 0, 0, 1}, {4, 8, 0, 0, 1}});
  EXPECT_EQ(mergeEvents(tracks, 2), 0u);
  EXPECT_EQ(tracks[0].events.size(), 2u);
}

TEST(PageData, NearEventsOfALayerBecomeOne) {
  // Four of layer 0 with gaps of 1, 1 and 50, and one of layer 1.
  auto tracks = tracksOf({{0, 4, 0, 0, 1},
                          {5, 8, 0, 0, 1},
                          {9, 10, 0, 0, 1},
                          {60, 64, 0, 0, 1},
                          {64, 70, 1, 0, 1}});
  EXPECT_EQ(mergeEvents(tracks, 3), 2u);
  const std::vector<PageEvent> &events = tracks[0].events;
  ASSERT_EQ(events.size(), 3u);
  EXPECT_EQ(events[0].startCycle, 0u);
  EXPECT_EQ(events[0].endCycle, 10u);
  EXPECT_EQ(events[0].count, 3u);
  EXPECT_EQ(events[1].startCycle, 60u);
  EXPECT_EQ(events[2].layer, 1);
}

TEST(PageData, EventsOfDifferentKindsStayApart) {
  auto tracks = tracksOf({{0, 4, 0, 0, 1}, {4, 8, 0, 1, 1}, {8, 9, 1, 1, 1}});
  mergeEvents(tracks, 1);
  EXPECT_EQ(tracks[0].events.size(), 3u);
}

/// Names come from files: none may end the script, or be read as HTML.
TEST(Page, NamesAreData) {
  Json report{{"model", "</script><b>&amp;"}, {"target", "X2_1204"}};
  PageBuild build[] = {{"a\xff<!--", report, std::nullopt}};
  std::string page = pageHtml(build);
  EXPECT_EQ(page.find("</script><b>"), page.npos);
  EXPECT_EQ(page.find("<!--"), page.npos);
  EXPECT_NE(page.find(R"("model":"\u003c/script>\u003cb>&amp;")"), page.npos);
  EXPECT_NE(page.find("<title>&lt;/script&gt;&lt;b&gt;&amp;amp; on X2_1204<"),
            page.npos);
}

TEST(Page, TwoOfOneNameHaveTheirFolders) {
  PageBuild builds[] = {
      {"/home/me/old/aipu.bin", {{"model", "a"}}, std::nullopt},
      {"/home/me/new/aipu.bin", {{"model", "a"}}, std::nullopt}};
  std::string page = pageHtml(builds);
  EXPECT_NE(page.find(R"("label":"old/aipu.bin")"), page.npos);
  EXPECT_NE(page.find(R"("label":"new/aipu.bin")"), page.npos);
  EXPECT_EQ(page.find("/home/me"), page.npos);
}

TEST(Page, TwoBuildsHaveBothNames) {
  PageBuild builds[] = {{"old", {{"model", "a"}}, std::nullopt},
                        {"new", {{"model", "b"}}, std::nullopt}};
  EXPECT_NE(pageHtml(builds).find("<title>a and b<"), std::string::npos);
}

} // namespace
