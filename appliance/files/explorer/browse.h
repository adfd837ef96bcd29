// Lists, reads and writes the files of a place. Everything here blocks. Errors are Kind::invalid for a path that leads
// outside, through a link or to .git, and not_found.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "appliance/files/explorer/place.h"
#include "web/result.h"

namespace explorer {

inline constexpr std::size_t max_file_bytes = 1u << 20, max_nodes = 20'000;

struct Node {
  bool is_folder = false;
  std::string name, path;  // relative to the place; empty for the place itself
  // Folders first, then by name ignoring case, then by bytes. nullopt: the folder was not read.
  std::optional<std::vector<Node>> children;
};

struct Tree {
  Node root;
  bool is_truncated = false;  // there are more than max_nodes entries
};
// The contents of the folder `path`, `depth` levels deep. Omits names that are not shown (names.h), links and devices.
web::Result<Tree> tree(const Place&, std::string_view path, int depth);

struct File {
  std::string path, content;
  std::chrono::sys_time<std::chrono::milliseconds> modified;
};
// A regular file of at most max_file_bytes bytes of UTF-8 without NUL.
web::Result<File> read(const Place&, std::string_view path);

// Replaces the file atomically and durably and keeps its mode; creates missing folders. Files that git reads as its own
// configuration are refused. Returns the normalized path.
web::Result<std::string> write(const Place&, std::string_view path, std::string_view content);

struct Moved {
  std::string from, to;  // normalized
};
// Renames a file or folder durably; creates missing folders. Neither path may name a file that git reads as its own
// configuration. With `overwrite` a file may replace a file; every other existing target is Kind::conflict.
web::Result<Moved> move(const Place&, std::string_view from, std::string_view to, bool overwrite);
// Removes a file or an empty folder, with the same restrictions as write. Returns the normalized path.
web::Result<std::string> remove(const Place&, std::string_view path);

// Makes a folder, with missing folders above it. Kind::conflict if there is a file or folder of this name. Returns the
// normalized path.
web::Result<std::string> make_folder(const Place&, std::string_view path);

// The path in the explorer's form ("a/b"), checked as for reading; empty for the place itself.
web::Result<std::string> normalised(const Place&, std::string_view path);

}  // namespace explorer
