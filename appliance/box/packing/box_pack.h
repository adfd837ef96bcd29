// A box in one file: its backup as an archive with a signed manifest.
//
//   agentbox.json          what it is (header.h)
//   images/agents.tar      the image of the agents, as `docker save` writes it; only on wish
//   agents/<id>/workspace/, skills/, store/, store.schema, agentbox.toml.sealed, master.key
//                          as in a backup (backup_folder.h)
//   manifest.mtree, manifest.sig
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "appliance/box/packing/tree.h"
#include "store/codec.h"

namespace packing {

// Called while a file is written or read, with the bytes that are done of all.
using Report = std::function<void(std::uint64_t done, std::uint64_t all)>;

struct WrittenBox {
  LeftOut left_out;
  std::uint64_t kept = 0;  // bytes that an interrupted call had written
};
// Writes the backup in `from`, of the time `made_at`, to a new file, which is complete once it has its name. The draft
// of an interrupted call beside it, FILE.part, is continued. Throws agentbox::UsageError.
WrittenBox write_box(const std::filesystem::path& from, store::Time made_at, const std::filesystem::path& file,
                     const std::string& master_key, const Report&);

struct CheckedBox {
  std::string made_at, version;
  std::uint64_t bytes = 0, entries = 0;  // bytes: without holes
  std::string master_key;                // of the box
  bool holds_key = false;                // the pack itself has the master key
  bool is_key_given = false;             // and somebody else vouches for it
};
// Reads all of the file and writes nothing: every entry, the manifest and its signature. `key`: the master key, else
// the pack's own. Throws agentbox::UsageError if anything is wrong, or no key is known.
CheckedBox check_box(const std::filesystem::path& file, const std::optional<std::string>& key, const Report&);
// Extracts a file that was checked, as a backup, to a folder that is empty, and checks it again meanwhile.
void extract_box(const std::filesystem::path& file, const CheckedBox&, const std::filesystem::path& to, const Report&);

}  // namespace packing
