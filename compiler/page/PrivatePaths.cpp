//===- PrivatePaths.cpp - A report without folders of this machine --------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/page/PrivatePaths.h"

#include <nlohmann/json.hpp>

#include <filesystem>
#include <functional>
#include <set>

using namespace yarrow;
namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

namespace {

/// Names of layers begin with a slash as well, so that only what is known to be
/// a folder goes.
class FolderRemover {
public:
  void learn(const std::string &path) {
    if (!fs::path(path).is_absolute())
      return;
    fs::path folder = fs::path(path).parent_path();
    if (folder != folder.root_path())
      folders.insert(folder.string() + "/");
  }

  void learnFrom(const Json &json) {
    if (json.is_string())
      learn(json.get_ref<const std::string &>());
    else if (json.is_structured())
      for (const Json &item : json)
        learnFrom(item);
  }

  std::string apply(std::string text) const {
    for (const std::string &folder : folders)
      for (std::size_t at = 0;
           (at = text.find(folder, at)) != std::string::npos;)
        text.erase(at, folder.size());
    return text;
  }

  void applyTo(Json &json) const {
    if (json.is_string())
      json = apply(json.get<std::string>());
    else if (json.is_structured())
      for (Json &item : json)
        applyTo(item);
  }

private:
  /// Longer ones first: one may be the beginning of another.
  struct Longer {
    bool operator()(const std::string &a, const std::string &b) const {
      return std::pair(b.size(), a) < std::pair(a.size(), b);
    }
  };
  std::set<std::string, Longer> folders;
};

} // namespace

std::string yarrow::withoutFolders(Json &report, std::string label) {
  FolderRemover remover;
  remover.learn(label);
  if (auto files = report.find("files"); files != report.end())
    remover.learnFrom(*files);
  auto diagnostics = report.find("diagnostics");
  if (diagnostics != report.end() && diagnostics->is_array())
    for (const Json &diagnostic : *diagnostics)
      if (auto file = diagnostic.find("file");
          file != diagnostic.end() && file->is_string())
        remover.learn(file->get<std::string>());
  std::error_code ignored;
  if (fs::path here = fs::current_path(ignored); !ignored)
    remover.learn((here / "file").string());
  if (auto files = report.find("files"); files != report.end())
    remover.applyTo(*files);
  if (diagnostics != report.end())
    remover.applyTo(*diagnostics);
  return remover.apply(std::move(label));
}
