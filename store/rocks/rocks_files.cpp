#include "store/rocks/rocks_files.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace store {
namespace {

namespace rocks = rocksdb;

constexpr std::string_view archive_suffix = "/archive/";  // of RocksDB

// The number of a log by its file's name, "000012.log".
std::optional<std::uint64_t> log_number(std::string_view name) {
  std::uint64_t number = 0;
  const auto* const first = name.data();
  const auto [end, error] = std::from_chars(first, first + name.size(), number);
  if (error != std::errc() || name.substr(static_cast<std::size_t>(end - first)) != ".log") return {};
  return number;
}

}  // namespace

struct StoreFiles::File : rocks::FSWritableFileOwnerWrapper {
  File(std::unique_ptr<rocks::FSWritableFile>&& file, Switch on)
      : rocks::FSWritableFileOwnerWrapper(std::move(file)), syncs(std::move(on)) {}
  rocks::IOStatus Sync(const rocks::IOOptions& options, rocks::IODebugContext* debug) override {
    return *syncs ? target()->Sync(options, debug) : rocks::IOStatus::OK();
  }
  rocks::IOStatus Fsync(const rocks::IOOptions& options, rocks::IODebugContext* debug) override {
    return *syncs ? target()->Fsync(options, debug) : rocks::IOStatus::OK();
  }
  rocks::IOStatus RangeSync(std::uint64_t from, std::uint64_t size, const rocks::IOOptions& options,
                            rocks::IODebugContext* debug) override {
    return *syncs ? target()->RangeSync(from, size, options, debug) : rocks::IOStatus::OK();
  }
  Switch syncs;
};
struct StoreFiles::Log final : File {
  Log(std::unique_ptr<rocks::FSWritableFile>&& file, Switch on, std::shared_ptr<WalPreallocation> own,
      std::shared_ptr<LogFiller> by)
      : File(std::move(file), std::move(on)), preallocation(std::move(own)), filler(std::move(by)) {}
  rocks::IOStatus Append(const rocks::Slice& data, const rocks::IOOptions& options,
                         rocks::IODebugContext* debug) override {
    return append(data, options, debug);
  }
  rocks::IOStatus Append(const rocks::Slice& data, const rocks::IOOptions& options,
                         const rocks::DataVerificationInfo& info, rocks::IODebugContext* debug) override {
    return append(data, options, info, debug);
  }
  rocks::IOStatus Sync(const rocks::IOOptions& options, rocks::IODebugContext* debug) override {
    auto status = File::Sync(options, debug);
    if (status.ok() && *syncs && preallocation->is_short()) filler->fill(preallocation);
    return status;
  }
  rocks::IOStatus Close(const rocks::IOOptions& options, rocks::IODebugContext* debug) override {
    preallocation->close();
    return target()->Close(options, debug);
  }

  template <class... Options>
  rocks::IOStatus append(const rocks::Slice& data, const Options&... options) {
    preallocation->claim(data.size());
    auto status = target()->Append(data, options...);
    if (status.ok()) preallocation->appended();
    return status;
  }

  std::shared_ptr<WalPreallocation> preallocation;
  std::shared_ptr<LogFiller> filler;
};
struct StoreFiles::Directory final : rocks::FSDirectoryWrapper {
  Directory(std::unique_ptr<rocks::FSDirectory>&& directory, Switch on)
      : rocks::FSDirectoryWrapper(std::move(directory)), syncs(std::move(on)) {}
  rocks::IOStatus Fsync(const rocks::IOOptions& options, rocks::IODebugContext* debug) override {
    return *syncs ? rocks::FSDirectoryWrapper::Fsync(options, debug) : rocks::IOStatus::OK();
  }
  rocks::IOStatus FsyncWithDirOptions(const rocks::IOOptions& options, rocks::IODebugContext* debug,
                                      const rocks::DirFsyncOptions& reason) override {
    return *syncs ? rocks::FSDirectoryWrapper::FsyncWithDirOptions(options, debug, reason) : rocks::IOStatus::OK();
  }
  Switch syncs;
};

rocks::IOStatus StoreFiles::NewWritableFile(const std::string& name, const rocks::FileOptions& options,
                                            std::unique_ptr<rocks::FSWritableFile>* file,
                                            rocks::IODebugContext* debug) {
  auto status = target()->NewWritableFile(name, options, file, debug);
  if (!status.ok()) return status;
  if (log_number(std::string_view(name).substr(name.rfind('/') + 1)))
    *file = std::make_unique<Log>(std::move(*file), syncs_, preallocation_of(name), filler_);
  else if (!*syncs_)
    *file = std::make_unique<File>(std::move(*file), syncs_);
  return status;
}

std::shared_ptr<WalPreallocation> StoreFiles::preallocation_of(const std::string& new_log) {
  auto preallocation = std::make_shared<WalPreallocation>(new_log);
  const std::lock_guard lock(mutex_);
  std::erase_if(preallocations_, [](const auto& entry) { return entry.second.expired(); });
  const auto folder = new_log.substr(0, new_log.rfind('/') + 1);
  for (const auto& [name, older] : preallocations_)
    if (const auto still_open = older.lock(); still_open && name.starts_with(folder)) still_open->stop_filling();
  preallocations_[new_log] = preallocation;
  return preallocation;
}

rocks::IOStatus StoreFiles::GetFileSize(const std::string& name, const rocks::IOOptions& options, std::uint64_t* size,
                                        rocks::IODebugContext* debug) {
  {
    const std::lock_guard lock(mutex_);
    const auto found = preallocations_.find(name);
    const auto preallocation = found == preallocations_.end() ? nullptr : found->second.lock();
    if (const auto end = preallocation ? preallocation->end() : std::nullopt) {
      *size = std::max<std::uint64_t>(*end, 1);  // to a backup, 0 means unlimited
      return rocks::IOStatus::OK();
    }
  }
  return target()->GetFileSize(name, options, size, debug);
}

rocks::IOStatus StoreFiles::NewDirectory(const std::string& name, const rocks::IOOptions& options,
                                         std::unique_ptr<rocks::FSDirectory>* directory, rocks::IODebugContext* debug) {
  auto status = target()->NewDirectory(name, options, directory, debug);
  if (status.ok() && !*syncs_) *directory = std::make_unique<Directory>(std::move(*directory), syncs_);
  return status;
}

std::vector<std::string> StoreFiles::older_logs(const std::string& log, const rocks::IOOptions& options,
                                                rocks::IODebugContext* debug) {
  const auto slash = log.rfind('/');
  const auto newest = slash == std::string::npos ? std::nullopt : log_number(std::string_view(log).substr(slash + 1));
  std::vector<std::string> beside, found;
  if (!newest || !target()->GetChildren(log.substr(0, slash), options, &beside, debug).ok()) return found;
  std::map<std::uint64_t, std::string> older;
  for (const auto& other : beside)
    if (const auto number = log_number(other); number && *number < *newest) older.emplace(*number, other);
  for (const auto& [number, other] : older) found.push_back(log.substr(0, slash + 1) + other);
  return found;
}

// RocksDB no longer needs a log only when it needs none of the older ones either.
rocks::IOStatus StoreFiles::DeleteFile(const std::string& name, const rocks::IOOptions& options,
                                       rocks::IODebugContext* debug) {
  for (const auto& older : older_logs(name, options, debug))
    if (auto status = target()->DeleteFile(older, options, debug);
        !status.ok() && !status.IsNotFound() && !status.IsPathNotFound())
      return status;
  return target()->DeleteFile(name, options, debug);
}

// A log that is already in the archive was moved with a newer one.
rocks::IOStatus StoreFiles::RenameFile(const std::string& from, const std::string& to, const rocks::IOOptions& options,
                                       rocks::IODebugContext* debug) {
  const auto folder = to.substr(0, to.rfind('/') + 1);
  if (!folder.ends_with(archive_suffix)) return target()->RenameFile(from, to, options, debug);
  for (const auto& older : older_logs(from, options, debug))
    if (auto status = target()->RenameFile(older, folder + older.substr(older.rfind('/') + 1), options, debug);
        !status.ok() && !status.IsNotFound() && !status.IsPathNotFound())
      return status;
  if (!target()->FileExists(from, options, debug).ok() && target()->FileExists(to, options, debug).ok())
    return rocks::IOStatus::OK();
  return target()->RenameFile(from, to, options, debug);
}

}  // namespace store
