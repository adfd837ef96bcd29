// The files of a copy of a store, as they arrive.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "appliance/foundation/descriptor.h"

namespace standby {

// All throw std::filesystem::filesystem_error, and std::runtime_error for what is no such copy.
class BaseFolder {
 public:
  // Makes the folder anew.
  explicit BaseFolder(std::filesystem::path path);
  const std::filesystem::path& path() const { return path_; }

  void begin_file(const std::string& name);
  // As in Kind::piece: its place, and bytes. Without bytes: the end of the file, which is then on disk.
  void add_piece(std::string_view content);

 private:
  [[noreturn]] void fail() const;

  const std::filesystem::path path_;
  files::Descriptor file_;
};

// The entries of the folder are on disk when it returns.
void sync_folder(const std::filesystem::path& folder);

}  // namespace standby
