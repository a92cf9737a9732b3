//===- MappedFile.cpp - A file's bytes, read only -------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// mmap of a regular file, or a copy, with the system's reason when it fails.
//
//===----------------------------------------------------------------------===//
#include "support/MappedFile.h"
#include "support/MappingGuard.h"
#include "support/ReadFiles.h"
#include "support/diagnostics/Files.h"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <mutex>
#include <optional>
#include <set>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace yarrow {

struct MappedFile::State {
  int fd = -1;
  struct stat info = {}; ///< As the file was opened.
  std::optional<GuardedRange> range;
  std::vector<std::byte> copied;

  ~State() {
    if (fd >= 0)
      close(fd);
  }
};

namespace {
/// What is known of all files of the process.
struct Files {
  std::mutex mutex;
  std::set<const MappedFile *> open;
  std::map<FileIdentity, std::string> read;
  struct Damage {
    std::string path, reason;
    bool isReported = false;
  };
  std::vector<Damage> damages;

  void add(const MappedFile *file, FileIdentity identity) {
    std::lock_guard lock(mutex);
    open.insert(file);
    read.try_emplace(identity, file->path());
  }
  /// Under the mutex.
  void note(const MappedFile &file) {
    std::string reason = file.damage();
    auto isSame = [&](const Damage &d) { return d.path == file.path(); };
    if (!reason.empty() && std::none_of(damages.begin(), damages.end(), isSame))
      damages.push_back({file.path(), std::move(reason)});
  }
  void remove(const MappedFile *file) {
    std::lock_guard lock(mutex);
    note(*file);
    open.erase(file);
  }
};

/// Never destroyed: files may outlive every other object.
Files &files() {
  static Files *all = new Files;
  return *all;
}

/// What lies where \p path was sought, and has nearly its name: "" if nothing
/// does. `aipu` is begun, `ogits.npy` a slip.
std::string nearestFile(const std::string &path) {
  constexpr std::size_t kMostEntries = 4096;
  namespace fs = std::filesystem;
  fs::path sought(path), folder = sought.parent_path();
  std::string name = sought.filename().string();
  if (name.empty())
    return "";
  std::vector<std::string> names, begun;
  std::error_code error;
  for (fs::directory_iterator entry(folder.empty() ? "." : folder, error), end;
       !error && entry != end && names.size() < kMostEntries;
       entry.increment(error)) {
    names.push_back(entry->path().filename().string());
    if (names.back().starts_with(name + "."))
      begun.push_back(names.back());
  }
  std::ranges::sort(names); // as the system has them in no order
  std::string near = begun.size() == 1 ? begun[0] : nearestName(name, names);
  return near.empty() ? "" : (folder / near).string();
}

std::shared_ptr<const MappedFile> fail(const std::string &path,
                                       const std::string &reason,
                                       DiagnosticEngine &diags,
                                       const std::string &hint = "") {
  diags.report(diag::FileUnreadable, {path}, "cannot read the file")
      .found(reason)
      .hint(hint);
  return nullptr;
}

std::string systemReason() { return std::generic_category().message(errno); }

constexpr const char *shorter = "the file became shorter while it was read";
} // namespace

MappedFile::MappedFile(std::string path, std::unique_ptr<State> state)
    : filePath(std::move(path)), state(std::move(state)),
      sizeBytes(std::size_t(this->state->info.st_size)) {}

MappedFile::~MappedFile() {
  files().remove(this);
  if (!state->range)
    return;
  state->range.reset();
  munmap(const_cast<std::byte *>(data), sizeBytes);
}

void MappedFile::release(std::span<const std::byte> part) {
  if (!isGuarded(part.data(), part.size()))
    return; // a copy would be lost
  // Only pages that lie in the part altogether: others may be in use.
  static const auto pageBytes = uintptr_t(sysconf(_SC_PAGESIZE));
  auto begin = reinterpret_cast<uintptr_t>(part.data());
  uintptr_t end = (begin + part.size()) / pageBytes * pageBytes;
  begin = (begin + pageBytes - 1) / pageBytes * pageBytes;
  if (begin < end) // a hint: that it fails does no harm
    (void)madvise(reinterpret_cast<void *>(begin), end - begin, MADV_DONTNEED);
}

bool MappedFile::map() {
  void *address =
      mmap(nullptr, sizeBytes, PROT_READ, MAP_PRIVATE, state->fd, 0);
  if (address == MAP_FAILED)
    return false;
  data = static_cast<const std::byte *>(address);
  state->range.emplace(data, sizeBytes);
  return true;
}

/// A file that ends early leaves zeros, and shows in damage().
bool MappedFile::copy() {
  state->copied.resize(sizeBytes);
  data = state->copied.data();
  for (std::size_t done = 0; done < sizeBytes;) {
    ssize_t count = pread(state->fd, state->copied.data() + done,
                          sizeBytes - done, off_t(done));
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0)
      return false;
    if (count == 0)
      break;
    done += std::size_t(count);
  }
  return true;
}

bool MappedFile::hasChanged() const {
  const struct stat &was = state->info;
  struct stat is;
  return fstat(state->fd, &is) != 0 || is.st_size != was.st_size ||
         is.st_mtim.tv_sec != was.st_mtim.tv_sec ||
         is.st_mtim.tv_nsec != was.st_mtim.tv_nsec;
}

std::string MappedFile::damage() const {
  struct stat is;
  bool isShorter = state->fd >= 0 && fstat(state->fd, &is) == 0 &&
                   is.st_size < state->info.st_size;
  if (isShorter)
    return shorter;
  if (state->range && state->range->isDamaged())
    return "a part of the file could not be read";
  if (state->fd >= 0 && hasChanged())
    return "the file was changed while it was read";
  return "";
}

std::shared_ptr<const MappedFile> MappedFile::open(const std::string &path,
                                                   DiagnosticEngine &diags) {
  auto state = std::make_unique<State>();
  // O_NONBLOCK: opening a pipe that nobody writes must not hang.
  state->fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (state->fd < 0) {
    bool isMissing = errno == ENOENT;
    std::string reason = systemReason(),
                near = isMissing ? nearestFile(path) : "";
    return fail(path, reason, diags,
                near.empty() ? "" : didYouMean("'" + near + "'"));
  }
  struct stat &info = state->info;
  if (fstat(state->fd, &info) != 0 || !S_ISREG(info.st_mode)) {
    bool isFolder = S_ISDIR(info.st_mode);
    return fail(path,
                isFolder ? "it is a directory" : "it is not a regular file",
                diags, isFolder ? "name a file in it" : "");
  }
  std::shared_ptr<MappedFile> file(new MappedFile(path, std::move(state)));
  FileIdentity identity = {uint64_t(file->state->info.st_dev),
                           uint64_t(file->state->info.st_ino)};
  // An empty mapping is an error to mmap, but not to us.
  if (file->sizeBytes) {
    if (!(areMappingsGuarded() ? file->map() : file->copy()))
      return fail(path, systemReason(), diags);
    if (!file->state->range) {
      // A copy cannot change any more, and needs no descriptor.
      std::string reason = file->damage();
      close(std::exchange(file->state->fd, -1));
      if (!reason.empty())
        return fail(path, reason, diags);
    }
  }
  // Last: from here on other threads may ask for its damage.
  files().add(file.get(), identity);
  return file;
}

std::shared_ptr<const MappedFile>
MappedFile::ofMemory(std::string path, std::span<const std::byte> content) {
  auto state = std::make_unique<State>();
  state->copied.assign(content.begin(), content.end());
  state->info.st_size = off_t(content.size());
  const std::byte *data = state->copied.data();
  std::shared_ptr<MappedFile> file(
      new MappedFile(std::move(path), std::move(state)));
  file->data = data;
  return file;
}

bool checkReadFiles(DiagnosticEngine &diags) {
  Files &all = files();
  std::lock_guard lock(all.mutex);
  for (const MappedFile *file : all.open)
    all.note(*file);
  for (Files::Damage &d : all.damages) {
    if (!d.isReported)
      fail(d.path, d.reason, diags);
    d.isReported = true;
  }
  return all.damages.empty();
}

void forgetDamagedFiles() {
  std::lock_guard lock(files().mutex);
  files().damages.clear();
}

void forgetReadFiles() {
  std::lock_guard lock(files().mutex);
  files().read.clear();
}

std::map<FileIdentity, std::string> readFiles() {
  std::lock_guard lock(files().mutex);
  return files().read;
}

} // namespace yarrow
