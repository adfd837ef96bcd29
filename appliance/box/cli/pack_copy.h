// The folder FILE.copy beside the file of a pack, in which the box is copied first. If a call is interrupted while it
// copies, the next one copies what is missing; while it packs, the next one packs the same copy.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "appliance/foundation/data_folder.h"
#include "appliance/foundation/descriptor.h"
#include "store/codec.h"

namespace agentbox::cli {

class PackCopy {
 public:
  // `wanted` distinguishes the copy from one that another call wants. Throws UsageError for a folder or draft that is
  // not of a pack, and while another call works on it.
  PackCopy(const std::filesystem::path& file, std::string wanted);

  const DataFolder& folder() const { return folder_; }
  std::filesystem::path images() const { return folder_.path() / "images"; }

  // When a copy of the same was completed that nobody has changed since, unless the call was interrupted too long ago.
  std::optional<store::Time> completed() const;
  void begin() const;
  store::Time complete() const;
  void remove() const;

 private:
  std::filesystem::path own_mark() const { return folder_.path() / "pack"; }
  std::filesystem::path complete_mark() const { return folder_.path() / "complete"; }
  // What was wanted, and what the copy consists of: the names, sizes and times of its files.
  std::string complete_text() const;

  const DataFolder folder_;
  const std::filesystem::path draft_;
  const std::string wanted_;
  files::Descriptor lock_;
};

}  // namespace agentbox::cli
