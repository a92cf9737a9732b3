//===- VersionTest.cpp - Which ONNX Runtimes load the provider ------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "api/onnxruntime/Abi.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <dlfcn.h>
#include <string>
#include <sys/mman.h>
#include <unistd.h>
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
constexpr ApiBase kBase{getApi, getVersion};

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
std::string refusal(const ApiBase &base, std::size_t &count) {
  Library library;
  EXPECT_TRUE(library.handle) << dlerror();
  Create *create = library.find<Create>("CreateEpFactories");
  Release *release = library.find<Release>("ReleaseEpFactory");
  if (!create || !release)
    return "no functions";
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

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

/// The last place of a table in a version, as ONNX Runtime states it for those
/// that are out: these never change.
constexpr std::size_t kLastApi23 = 389, kLastApi24 = 413;
constexpr std::size_t kLastEp23 = 15, kLastEp24 = 49, kLastEp25 = 72;
constexpr std::size_t kLastEditor23 = 19;

struct Places {
  std::size_t first, last;
};
constexpr Places api{0, kLastApi23}, api24{kLastApi23 + 1, kLastApi24};
constexpr Places ep{0, kLastEp23}, ep25{kLastEp24 + 1, kLastEp25};
constexpr Places editor{0, kLastEditor23};

/// A function of a later version than the needed one is in a table that an
/// earlier version does not have.
#define FUNCTION(table, place, name, result, parameters)                       \
  static_assert(place >= table.first && place <= table.last,                   \
                #name " is not in the version of its table");
#include "api/onnxruntime/Functions.def"

/// Functions that end where memory ends: reading one more is a fault.
class TableAtAnEnd {
public:
  explicit TableAtAnEnd(std::size_t last) {
    std::size_t page = std::size_t(sysconf(_SC_PAGESIZE));
    std::size_t sizeBytes = (last + 1) * sizeof(Function);
    std::size_t used = (sizeBytes + page - 1) / page * page;
    mappedBytes = used + page;
    void *memory = mmap(nullptr, mappedBytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
      return;
    start = static_cast<std::byte *>(memory);
    mprotect(start + used, page, PROT_NONE);
    functions = reinterpret_cast<Function *>(start + used - sizeBytes);
  }
  TableAtAnEnd(const TableAtAnEnd &) = delete;
  TableAtAnEnd &operator=(const TableAtAnEnd &) = delete;
  ~TableAtAnEnd() {
    if (start)
      munmap(start, mappedBytes);
  }

  Function *functions = nullptr;

private:
  std::byte *start = nullptr;
  std::size_t mappedBytes = 0;
};

/// A table that a function without parameters gives.
template <int Number> struct Given {
  static inline const Table *table = nullptr;
  static const Table *get() { return table; }
};

TEST(Version, NothingIsReadAfterTheEndOfATable) {
  TableAtAnEnd apiTable(kLastApi23), epTable(kLastEp23);
  TableAtAnEnd editorTable(kLastEditor23);
  ASSERT_TRUE(apiTable.functions && epTable.functions && editorTable.functions);
  Given<0>::table = reinterpret_cast<const Table *>(apiTable.functions);
  Given<1>::table = reinterpret_cast<const Table *>(epTable.functions);
  Given<2>::table = reinterpret_cast<const Table *>(editorTable.functions);
  apiTable.functions[0] = reinterpret_cast<Function>(createStatus);
  apiTable.functions[317] = reinterpret_cast<Function>(Given<1>::get);
  apiTable.functions[291] = reinterpret_cast<Function>(Given<2>::get);
  std::size_t count;
  ApiBase base{[](std::uint32_t version) {
                 return version <= kNeededVersion ? Given<0>::table : nullptr;
               },
               getVersion};
  EXPECT_EQ(refusal(base, count), "");
  EXPECT_EQ(count, 1u);
}

//===----------------------------------------------------------------------===//
// Versions
//===----------------------------------------------------------------------===//

TEST(Version, EarlierOnesAreRefused) {
  functions[0] = reinterpret_cast<Function>(createStatus);
  for (std::uint32_t version : {1u, 17u, 22u}) {
    lastVersion = version;
    std::size_t count;
    EXPECT_EQ(refusal(kBase, count),
              "the Yarrow provider needs ONNX Runtime 1.23 or "
              "later, and this is ONNX Runtime 1.22.3");
    EXPECT_EQ(count, 0u);
  }
}

TEST(Version, OneWithoutProvidersIsRefused) {
  functions[0] = reinterpret_cast<Function>(createStatus);
  functions[291] = functions[317] = reinterpret_cast<Function>(none);
  lastVersion = 23;
  std::size_t count;
  EXPECT_NE(
      refusal(kBase, count).find("without providers in libraries of their own"),
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
    EXPECT_EQ(refusal(kBase, count), "");
    EXPECT_EQ(count, 1u);
  }
}

} // namespace
