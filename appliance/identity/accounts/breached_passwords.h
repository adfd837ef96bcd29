// The operator's list of passwords that are known from breaches (BREACHED_PASSWORDS), which may be larger than memory:
// one upper- or lower-case SHA-1 hash in hex a line, sorted, with or without ":" and a count after it, as Have I Been
// Pwned publishes it ("ordered by hash").
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "appliance/foundation/descriptor.h"

namespace accounts {

// Immutable: callable from every thread.
class BreachedPasswords {
 public:
  // Keeps the file open. Checks small files line by line, and large ones at some thousands of places. Throws UsageError
  // for a file that is missing, empty, unsorted or no such list, with the offset.
  explicit BreachedPasswords(const std::filesystem::path&);

  // A binary search: some 40 reads of a file of 40 GB. Blocks. Throws std::runtime_error if the file cannot be read.
  // (It is read, not mapped: a mapped file that is cut short would end the process.)
  bool contains(std::string_view password) const;

 private:
  // The hash of the first line that begins at or after the offset, in upper case; empty: there is none.
  std::string hash_from(std::uint64_t offset) const;
  std::string read(std::uint64_t offset, std::size_t size) const;
  void check_order() const;

  const std::filesystem::path path_;
  files::Descriptor file_;
  std::uint64_t size_ = 0;
};

}  // namespace accounts
