//===- VersionTest.cpp - Which ONNX Runtimes load the provider ------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "api/onnxruntime/Abi.h"

#include <gtest/gtest.h>

#include <dlfcn.h>
#include <string>
#include <vector>

using namespace yarrow::ort;

namespace {

/// A status is its text.
Status *createStatus(int, const char *text) {
  return reinterpret_cast<Status *>(new std::string(text));
}
const Table *none() { return nullptr; }

std::vector<Function> functions(500);
std::uint32_t lastVersion = 0;

const Table *getApi(std::uint32_t version) {
  return version <= lastVersion
             ? reinterpret_cast<const Table *>(functions.data())
             : nullptr;
}
const char *getVersion() { return "1.22.3"; }

/// Loads the library for as long as it is needed; each loads it anew.
class Library {
public:
  Library() : handle(dlopen(YARROW_ONNXRUNTIME_LIBRARY, RTLD_NOW)) {}
  ~Library() {
    if (handle)
      dlclose(handle);
  }
  template <typename Signature> Signature *find(const char *name) {
    return handle ? reinterpret_cast<Signature *>(dlsym(handle, name))
                  : nullptr;
  }
  void *handle;
};

using Create = Status *(const char *, const ApiBase *, const Logger *,
                        EpFactory **, std::size_t, std::size_t *);
using Release = Status *(EpFactory *);

/// Why the library refuses an ONNX Runtime; "" if it does not.
std::string refusal(std::size_t &count) {
  Library library;
  EXPECT_TRUE(library.handle) << dlerror();
  Create *create = library.find<Create>("CreateEpFactories");
  Release *release = library.find<Release>("ReleaseEpFactory");
  if (!create || !release)
    return "no functions";
  ApiBase base{getApi, getVersion};
  EpFactory *factories[4] = {};
  count = 77;
  Status *status = create("yarrow", &base, nullptr, factories, 4, &count);
  if (!status) {
    EXPECT_STREQ(factories[0]->getName(factories[0]),
                 "YarrowExecutionProvider");
    release(factories[0]);
    return "";
  }
  auto *text = reinterpret_cast<std::string *>(status);
  std::string copy = *text;
  delete text;
  return copy;
}

TEST(Version, EarlierOnesAreRefused) {
  functions[0] = reinterpret_cast<Function>(createStatus);
  for (std::uint32_t version : {1u, 17u, 22u}) {
    lastVersion = version;
    std::size_t count;
    EXPECT_EQ(refusal(count), "the Yarrow provider needs ONNX Runtime 1.23 or "
                              "later, and this is ONNX Runtime 1.22.3");
    EXPECT_EQ(count, 0u);
  }
}

TEST(Version, OneWithoutProvidersIsRefused) {
  functions[0] = reinterpret_cast<Function>(createStatus);
  functions[291] = functions[317] = reinterpret_cast<Function>(none);
  lastVersion = 23;
  std::size_t count;
  EXPECT_NE(refusal(count).find("without providers in libraries of their own"),
            std::string::npos);
  EXPECT_EQ(count, 0u);
}

TEST(Version, LaterOnesAreTaken) {
  functions[0] = reinterpret_cast<Function>(createStatus);
  static const std::vector<Function> some(100);
  auto table = +[]() -> const Table * {
    return reinterpret_cast<const Table *>(some.data());
  };
  functions[291] = functions[317] = reinterpret_cast<Function>(table);
  for (std::uint32_t version : {23u, 24u, 25u, 40u}) {
    lastVersion = version;
    std::size_t count;
    EXPECT_EQ(refusal(count), "");
    EXPECT_EQ(count, 1u);
  }
}

} // namespace
