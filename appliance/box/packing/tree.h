// Folders into an archive, and out of it.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "appliance/box/packing/archive_reader.h"
#include "appliance/box/packing/archive_writer.h"

namespace packing {

// What an archive does not hold, as sentences.
using LeftOut = std::vector<std::string>;

// Adds the folder, or file, and everything in it as `name`, in the order of the names. The folder may be hostile and
// may change meanwhile: links are added and never followed; those that lead out of `name`, or out of the workspace that
// it is in, are left out, and so are pipes, sockets, devices, folders nested more than 200 deep, and files of a
// workspace that cannot be opened. Nothing for a
// folder that is missing. Throws agentbox::UsageError.
void add_tree(ArchiveWriter&, const std::filesystem::path& folder, const std::string& name, LeftOut&);

// Bytes of the regular files in a folder, without holes.
std::uint64_t bytes_in(const std::filesystem::path& folder);

// Writes entries under a folder. Whatever is there already is neither followed nor overwritten.
class Extraction {
 public:
  explicit Extraction(const std::filesystem::path& folder);
  // The entry that `archive` is at, at this path under the folder. Throws agentbox::UsageError.
  void write(const Entry&, std::string_view path, ArchiveReader& archive);

 private:
  const files::Descriptor& folder_of(std::string_view path);
  void write_file(const files::Descriptor& folder, const std::string& name, const Entry&, ArchiveReader&);

  struct Level {
    std::string name;
    files::Descriptor folder;
  };
  const std::filesystem::path path_;
  files::Descriptor top_;
  std::vector<Level> levels_;  // the open folders on the way to the last entry
};

}  // namespace packing
