// The agent's files, confined to one folder (files::Root).
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "appliance/agent/storage.h"
#include "appliance/files/explorer/place.h"
#include "appliance/files/root.h"
#include "store/clock.h"
#include "web/result.h"

namespace explorer {
class Pattern;
}

namespace agent_process {

// Blocks; thread-safe. Errors are Kind::invalid or not_found with a sentence for the model.
class Workspace {
 public:
  static constexpr std::size_t max_file_bytes = 1u << 20, max_entries = 500;

  struct Entry {
    std::string path;  // relative to the workspace; folders end in '/'
    std::uint64_t size = 0;
  };
  struct Listing {
    std::vector<Entry> entries;  // depth first, by name; without links, devices and reserved names
    bool truncated = false;      // there are more than max_entries, or folders more than eight levels down
  };

  // Creates the folder and its state folder if missing, and removes files left by interrupted writes. Throws
  // std::runtime_error with a sentence.
  explicit Workspace(std::filesystem::path root, StorageLimit limit = {});

  const std::filesystem::path& root() const { return path_; }
  std::filesystem::path state(std::string_view name) const;
  std::filesystem::path state_folder_path() const { return state({}); }
  bool is_writable() const;

  // A regular file of at most max_file_bytes bytes of UTF-8.
  web::Result<std::string> read(std::string_view path) const;
  // A regular file of at most `max_bytes` bytes.
  web::Result<std::string> read_bytes(std::string_view path, std::size_t max_bytes) const;
  // Replaces the file atomically and durably; creates missing folders. Folders, links and devices are refused, and so
  // is everything in skills/, which is the owner's (skills/installed.h), and what StorageLimit does not admit.
  web::Result<void> write(std::string_view path, std::string_view content) const;
  web::Result<Listing> list(std::string_view path) const;
  // The files below the folder whose path relative to the workspace matches; at any depth that paths may have.
  web::Result<Listing> find(std::string_view path, const explorer::Pattern&) const;
  // The files that were written or got their names since then, by path; at most 100, without reserved names.
  std::vector<std::string> changed_since(store::Time) const;
  bool exists(std::string_view path) const;
  // Moves a file or folder, durably; creates missing folders. Neither path may be in skills/. Kind::conflict if there
  // is something at `to`.
  web::Result<void> move(std::string_view from, std::string_view to) const;
  // Removes a file or an empty folder, durably; not in skills/.
  web::Result<void> remove(std::string_view path) const;
  // For the explorer's functions.
  explorer::Place place() const;
  // The names of the folders in this one, sorted; none if it cannot be read.
  std::vector<std::string> folders(std::string_view path) const;

 private:
  std::filesystem::path path_;
  StorageLimit limit_;
  files::Root root_;
  files::Descriptor state_;
};

}  // namespace agent_process
