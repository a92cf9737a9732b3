//===- CodesTest.cpp - Header, library and records agree ------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "api/nnapi/include/yarrow/NeuralNetworks.h"
#include <dlfcn.h>
#include <fstream>
#include <gtest/gtest.h>
#include <regex>
#include <set>
#include <sstream>

// The header's numbers are those of the records, for every one of them.
#define SCALAR(CODE, NAME, ELEMENT, LEVEL)                                     \
  static_assert(ANEURALNETWORKS_##NAME == CODE);
#define TENSOR(CODE, NAME, ELEMENT, STORAGE, LEVEL)                            \
  static_assert(ANEURALNETWORKS_##NAME == CODE);
#include "parser/nnapi/OperandTypes.def"
#define OPERATION(CODE, NAME, LEVEL, FUNCTION, NODE, BECOMES)                  \
  static_assert(ANEURALNETWORKS_##NAME == CODE);
#include "parser/nnapi/Operations.def"

static std::string textOf(const std::string &path) {
  std::ifstream stream(path);
  EXPECT_TRUE(stream) << path;
  std::ostringstream text;
  text << stream.rdbuf();
  return std::regex_replace(text.str(), std::regex(R"(/\*([^*]|\*(?!/))*\*/)"),
                            "");
}

static std::set<std::string> findAll(const std::string &text,
                                     const std::regex &pattern) {
  std::set<std::string> found;
  for (std::sregex_iterator it(text.begin(), text.end(), pattern), end;
       it != end; ++it)
    found.insert((*it)[1]);
  return found;
}

static const std::set<std::string> kRecorded = {
#define FUNCTION(GROUP, NAME, LEVEL) #NAME,
#include "api/nnapi/Functions.def"
};

TEST(NnapiCodes, HeaderDeclaresTheRecordedFunctions) {
  EXPECT_EQ(kRecorded.size(), 75u);
  EXPECT_EQ(findAll(textOf(YARROW_NNAPI_HEADER),
                    std::regex(R"((ANeuralNetworks\w*_\w+)\()")),
            kRecorded);
}

TEST(NnapiCodes, HeaderHasNoOperationThatIsNotRecorded) {
  std::string text = textOf(std::regex_replace(std::string(YARROW_NNAPI_HEADER),
                                               std::regex("\\.h$"), "Types.h"));
  std::size_t end = text.find("} OperationCode;");
  ASSERT_NE(end, std::string::npos);
  std::size_t begin = text.rfind("typedef enum {", end);
  std::set<std::string> recorded = {
#define OPERATION(CODE, NAME, LEVEL, FUNCTION, NODE, BECOMES) #NAME,
#include "parser/nnapi/Operations.def"
  };
  EXPECT_EQ(findAll(text.substr(begin, end - begin),
                    std::regex(R"(ANEURALNETWORKS_(\w+) =)")),
            recorded);
}

TEST(NnapiCodes, LibraryExportsTheRecordedFunctions) {
  void *library = dlopen("libneuralnetworks.so", RTLD_NOW | RTLD_NOLOAD);
  ASSERT_TRUE(library) << dlerror();
  for (const std::string &name : kRecorded)
    EXPECT_TRUE(dlsym(library, name.c_str())) << name;
  EXPECT_EQ(dlsym(library, "_ZN6yarrow5nnapi17resultOfExceptionEv"), nullptr)
      << "names of C++ stay inside";
  dlclose(library);
}

TEST(NnapiCodes, LevelsAreThoseOfTheFirstFunctionsThatClientsLookFor) {
  // What clients infer the level of the platform from.
  struct {
    const char *name;
    int level;
  } signs[] = {{"ANeuralNetworksMemory_createFromFd", 27},
               {"ANeuralNetworksModel_relaxComputationFloat32toFloat16", 28},
               {"ANeuralNetworks_getDeviceCount", 29},
               {"ANeuralNetworksCompilation_setTimeout", 30},
               {"ANeuralNetworks_getRuntimeFeatureLevel", 31}};
  for (const auto &sign : signs) {
    int level = 0;
#define FUNCTION(GROUP, NAME, LEVEL)                                           \
  if (std::string(#NAME) == sign.name)                                         \
    level = LEVEL;
#include "api/nnapi/Functions.def"
    EXPECT_EQ(level, sign.level) << sign.name;
  }
}
