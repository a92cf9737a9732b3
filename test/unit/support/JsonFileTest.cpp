//===- JsonFileTest.cpp - Problems of JSON files --------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "support/JsonFile.h"
#include "support/JsonPlaces.h"
#include "support/diagnostics/Files.h"

#include <gtest/gtest.h>

using namespace yarrow;

TEST(JsonFile, ReadsWithComments) {
  DiagnosticEngine diags;
  auto json =
      parseJson("{\"a\": [1, 2], // two\n \"b\": {\"a\": 1}}", "x", diags);
  ASSERT_TRUE(json);
  EXPECT_EQ((*json)["a"][1], 2);
  EXPECT_TRUE(diags.all().empty());
}

TEST(JsonFile, ReportsTheLine) {
  DiagnosticEngine diags;
  EXPECT_FALSE(parseJson("{\n\"a\": 1,\n\"b\" 2}", "x.json", diags));
  ASSERT_EQ(diags.numErrors(), 1u);
  EXPECT_EQ(diags.all()[0].id, diag::JsonSyntax);
  EXPECT_EQ(diags.all()[0].place.line, 3u);
}

TEST(JsonFile, RefusesKeysGivenTwice) {
  DiagnosticEngine diags;
  EXPECT_FALSE(parseJson("{\"a\": 1, \"b\": {\"c\": 1, \"c\": 2}, \"a\": 3}",
                         "x", diags));
  EXPECT_EQ(diags.numErrors(), 2u);
}

TEST(JsonFile, SurvivesBrokenText) {
  for (const std::string &text :
       {std::string(), std::string("{"), std::string("[1e999]"),
        std::string("\xff\xfe"), std::string(100000, '['),
        std::string("{\"\\ud800\": 1}"), std::string("1 2"),
        std::string(1, '\0')}) {
    DiagnosticEngine diags;
    EXPECT_FALSE(parseJson(text, "x", diags)) << text.substr(0, 20);
    EXPECT_EQ(diags.numErrors(), 1u) << text.substr(0, 20);
  }
}

TEST(JsonFile, ReportsAFileThatIsNotThere) {
  DiagnosticEngine diags;
  EXPECT_FALSE(readJsonFile("/nonexistent/x.json", diags));
  EXPECT_FALSE(readJsonFile("/", diags));
  EXPECT_FALSE(readJsonFile("/dev/zero", diags));
  ASSERT_EQ(diags.numErrors(), 3u);
  EXPECT_EQ(diags.all()[0].foundText, "No such file or directory");
  EXPECT_EQ(diags.all()[1].foundText, "it is a directory");
  EXPECT_EQ(diags.all()[2].foundText, "it is not a regular file");
}

TEST(JsonPlaces, OfMembers) {
  const char *text = R"({ // a comment with "quotes": and {
  "a": { "x": 1, "y\\n\"z": [1, {"w": 2}, "no: key"],
    /* "b": 3,
    */ "w": {"deep": null} },
  "b": "{\"c\": 1}", "": {}
})";
  JsonPlaces places(text, "file.json");
  auto at = [&](const std::vector<std::string> &keys) {
    Place place = places.of(keys);
    return std::pair(place.line, place.column);
  };
  EXPECT_EQ(at({"a"}), std::pair(2u, 3u));
  EXPECT_EQ(at({"a", "x"}), std::pair(2u, 10u));
  EXPECT_EQ(at({"a", "y\\n\"z"}), std::pair(2u, 18u));
  EXPECT_EQ(at({"a", "w"}), std::pair(4u, 8u));
  EXPECT_EQ(at({"a", "w", "deep"}), std::pair(4u, 14u));
  EXPECT_EQ(at({"b"}), std::pair(5u, 3u));
  EXPECT_EQ(at({""}), std::pair(5u, 22u));
  EXPECT_EQ(at({"c"}).first, 0u);
  EXPECT_EQ(at({"a", "b"}).first, 0u);
  EXPECT_EQ(places.of({"nowhere"}).file, "file.json");
}
