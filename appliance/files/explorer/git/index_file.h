// Reads the index file: the data that git has cached about each file. libgit2 takes an order of magnitude longer, and
// exposes neither the cached trees of folders nor the time of writing.
#pragma once

#include <sys/stat.h>

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace git {

// As git writes it.
using ObjectId = std::array<unsigned char, 20>;

class IndexFile {
 public:
  struct File {
    std::string_view name;  // within its folder
    std::uint32_t changed_seconds, changed_nanoseconds, modified_seconds, modified_nanoseconds;
    std::uint32_t inode, mode, user, group, size;
    ObjectId id;
  };
  struct Folder {
    std::string_view path;                  // "" or ending in '/'
    std::vector<File> files;                // by name
    std::vector<std::string_view> folders;  // names, sorted
    std::optional<ObjectId> tree;           // the cached tree of the folder, if valid
  };

  // nullopt if the file is absent or damaged, or has a format or entries (conflicts, sparse and split checkouts, files
  // marked as unchanged or absent) that are left to libgit2.
  static std::optional<IndexFile> read(const std::filesystem::path&);

  // By path, starting with the working copy itself.
  const std::map<std::string_view, Folder>& folders() const { return folders_; }
  std::size_t file_count() const { return file_count_; }
  // When it was written, in seconds: cached data of files modified in the same second or later proves nothing.
  std::int64_t written_seconds() const { return written_seconds_; }

 private:
  class Reader;

  std::string bytes_;  // the views refer to it
  std::map<std::string_view, Folder> folders_;
  std::size_t file_count_ = 0;
  std::int64_t written_seconds_ = 0;
};

}  // namespace git
