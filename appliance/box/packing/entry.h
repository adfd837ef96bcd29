// One entry of a pack: a file, a folder or a symbolic link.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace packing {

enum class EntryType { file, folder, link };

struct Entry {
  std::string path;  // relative, of plain names: "agents/ag_1/workspace/notes.md"
  EntryType type = EntryType::file;
  mode_t mode = 0600;         // permissions only
  std::int64_t modified = 0;  // seconds since the epoch
  std::uint64_t size = 0;     // file: with its holes
  std::string target;         // link
};

// Whether the path is relative and has no empty, "." or ".." part.
bool is_plain_path(std::string_view path);
std::vector<std::string_view> parts_of(std::string_view path);

// Whether a link stays under the folder of its `depth`th ancestor: relative, and upwards only at its beginning and by
// at most `depth` folders. Links that it leads through are held to the same rule, so that none leads out.
bool stays_within(std::string_view target, std::size_t depth);

// The agent's folder that the path is in, "agents/<id>/workspace" or "agents/<id>/volumes"; else its first part.
std::string_view root_of(std::string_view path);

}  // namespace packing
