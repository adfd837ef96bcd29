// The index as it lies on the disk: what git knew of each file when it last looked. libgit2 takes an order of magnitude
// longer to read it, and shows neither what is remembered of whole folders nor when it was written.
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
    std::optional<ObjectId> tree;           // of all that is in it, where git remembers it
  };

  // Nothing when it is not one we can vouch for: absent, damaged, in a form or with entries (conflicts, sparse and
  // split checkouts, files marked as unchanged or not there) that only libgit2 should judge.
  static std::optional<IndexFile> read(const std::filesystem::path&);

  // By path, which begins with the working copy itself.
  const std::map<std::string_view, Folder>& folders() const { return folders_; }
  std::size_t file_count() const { return file_count_; }
  // When it was written, in seconds: what a file is remembered of since then, or the same second, proves nothing.
  std::int64_t written_seconds() const { return written_seconds_; }

 private:
  class Reader;

  std::string bytes_;  // what the views are of
  std::map<std::string_view, Folder> folders_;
  std::size_t file_count_ = 0;
  std::int64_t written_seconds_ = 0;
};

}  // namespace git
