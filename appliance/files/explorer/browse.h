// Looking at the files of a place and writing them. Everything here blocks; errors are Kind::invalid for a path that
// leads out, through a link or to .git, and not_found.
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

inline constexpr std::size_t most_file_bytes = 1u << 20, most_nodes = 20'000;

struct Node {
  bool is_folder = false;
  std::string name, path;  // relative to the place; empty for the place itself
  // Folders first, then by name without regard to case, then by bytes. Nothing: not looked into.
  std::optional<std::vector<Node>> children;
};

struct Tree {
  Node root;
  bool is_cut = false;  // there are more than most_nodes
};
// What is in the folder `path`, `depth` levels deep. What is built, fetched or git's own is left out, and so are links,
// devices and names that are not UTF-8.
web::Result<Tree> tree(const Place&, std::string_view path, int depth);

struct File {
  std::string path, content;
  std::chrono::sys_time<std::chrono::milliseconds> modified;
};
// A regular file of at most most_file_bytes bytes of UTF-8 without NUL.
web::Result<File> read(const Place&, std::string_view path);

// Replaces the file whole, or not at all, durably, and keeps its mode; makes missing folders. What git reads as its own
// configuration is refused. The path as it was understood.
web::Result<std::string> write(const Place&, std::string_view path, std::string_view content);

struct Moved {
  std::string from, to;  // as they were understood
};
// Renames a file or folder, durably; makes missing folders. Neither path may name what git reads as its own
// configuration. `overwrite`: a file may take a file's place; else Kind::conflict, as for every folder.
web::Result<Moved> move(const Place&, std::string_view from, std::string_view to, bool overwrite);
// Removes a file or an empty folder, with the rules of writing. The path as it was understood.
web::Result<std::string> remove(const Place&, std::string_view path);

// A path as the explorer writes it ("a/b"), checked by the rules of reading; empty for the place itself.
web::Result<std::string> normalised(std::string_view path);

}  // namespace explorer
