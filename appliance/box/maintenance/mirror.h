// Copies folders while other programs may write in them.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "appliance/foundation/descriptor.h"

namespace maintenance {

// Makes `to` a copy of `from`: unchanged files (by size and time) are not copied again, removed ones are removed.
// `from` may be hostile: links are copied and never followed, pipes are never opened, long paths do not fail and sparse
// files do not fill the disk. Pipes, sockets, devices, and entries that vanish or change their type meanwhile are left
// out; so are folders nested more than 200 deep, and entries that cannot be opened: their owner has closed them, or
// holds a lease on them after two seconds of retries for all of `from`. Of the latter an earlier copy is kept, in `to`
// or from `before`. Throws std::filesystem::filesystem_error if `to` cannot be written.
//
// `before`: an earlier copy, perhaps, of which unchanged files are linked instead of copied again.
struct Mirrored {
  std::size_t deep_folders = 0;       // nested more than 200 deep
  std::size_t refused = 0;            // entries that could not be opened
  std::vector<std::string> refusals;  // the first ten of them, relative to `from`, with the reason
};
Mirrored mirror(const files::Descriptor& from, const std::filesystem::path& to,
                const std::filesystem::path& before = {});
// What was left out as sentences, for messages and logs; at most twelve.
std::vector<std::string> sentences(const Mirrored&);

}  // namespace maintenance
