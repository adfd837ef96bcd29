// Free disk space that is left to the store: what agents, uploads, streams, videos and backups write stops before it.
// Refusals are 503 as on a full disk, which clients retry, not 507, which they treat as any unknown 5xx.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>

#include "web/result.h"

namespace agentbox {

// Thread-safe. Blocks for one statvfs.
class DiskReserve {
 public:
  // On the disk of `folder`. `setting`: DISK_RESERVE, a size or "auto": 1 GiB or 5 percent of the disk, whichever is
  // more, but at most 10 percent.
  DiskReserve(std::filesystem::path folder, std::string_view setting);

  std::uint64_t bytes() const { return bytes_; }
  // What may still be written before the reserve begins. Without a limit where the disk does not say.
  std::uint64_t room() const;
  // Of kind unavailable (503), with the code DISK_RESERVE_REACHED, unless there is room for so many more bytes.
  web::Result<void> admit(std::uint64_t more = 0) const { return admit_to(folder_, bytes_, more); }

  // The same for what is to be written at `to`, which need not exist: other disks have no reserve.
  web::Result<void> admit_at(const std::filesystem::path& to, std::uint64_t more) const;

  // The same for a folder on another disk, and with a reserve that was decided elsewhere.
  static web::Result<void> admit_to(const std::filesystem::path& folder, std::uint64_t reserve, std::uint64_t more);

 private:
  const std::filesystem::path folder_;
  const std::uint64_t bytes_;
};

}  // namespace agentbox
