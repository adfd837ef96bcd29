// An anonymous temporary file for content that is received before it is known where it goes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>

#include "appliance/foundation/descriptor.h"
#include "web/result.h"

namespace files {

// Has no name, so that nothing is left of it, whatever ends the process. Blocks; not thread-safe.
class Spool {
 public:
  // On the file system of `folder`. Kind::unavailable when the disk is full.
  static web::Result<Spool> make(const std::filesystem::path& folder);

  web::Result<void> append(std::string_view bytes);
  std::uint64_t size() const { return size_; }
  const Descriptor& file() const { return file_; }

 private:
  explicit Spool(Descriptor file) : file_(std::move(file)) {}

  Descriptor file_;
  std::uint64_t size_ = 0;
};

}  // namespace files
