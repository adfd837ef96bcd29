// Distinguishes a torn write-ahead log, which a crash leaves and which is harmless, from a damaged one. RocksDB alone
// cannot: it takes a corrupted length near the end of a log for the torn end of a write.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace store {

// Number of a record that was put or erased, as RocksDB counts them: a write of n records takes n numbers.
using Sequence = std::uint64_t;

struct LogState {
  enum class Kind {
    whole,
    torn,    // the writes from `at` on did not fully reach the disk, and were never reported as durable
    damaged  // bytes of acknowledged writes are not what was written
  };
  Kind kind = Kind::whole;
  std::uint64_t at = 0;               // torn: where the unfinished write begins; damaged: the damaged record
  std::uint64_t end = 0;              // whole or torn: behind it are only zeros, if anything (WalPreallocation)
  std::string what{};                 // damaged: why, in a few words
  std::optional<Sequence> first{};    // number of the first write, if it is whole
  std::optional<Sequence> next{};     // number that follows the last whole write, if known
  std::optional<Sequence> on_disk{};  // the highest on_disk_mark of the whole writes
  bool is_followed = false;           // torn: other writes follow the missing one
};

// Begins every write: all writes up to and including `newest` were on disk then. Writes without a mark are taken to say
// that everything before them was. Bytes: the number, little-endian.
std::string on_disk_mark(Sequence newest);

// Ends every write, as "log data" of its own: a write whose end was written does not end with a zero, even if
// one of its bits has changed.
inline constexpr char end_mark = '\xff';

// Reads one log file of RocksDB in blocks of 32 KB. Every change of one bit is found, except for one in 30 million in
// a write that no later mark covers. A log ends with the file, or where nothing but zeros follows. Writes count as
// torn from the first one that is cut off or has a sector of zeros, unless the mark of a later write says that it was
// on disk, or its number is unknown. The log may be appended to meanwhile, and its preallocated zeros cut off. `next`:
// the number of the file's first write, if known. Throws std::filesystem::filesystem_error when the file cannot be
// read.
//
// Bytes: blocks of 32,768 bytes hold records of masked CRC-32C (4 bytes, little-endian, over type and payload), length
// (2), type (1: 1 whole, 2 first, 3 middle, 4 last part of a write) and payload; fewer than 7 bytes at the end of a
// block are zero. A write's payload begins with its number (8 bytes, little-endian), the count of its records (4), and
// its mark as "log data": 3, its length (1), itself.
LogState check_log(const std::filesystem::path& file, std::optional<Sequence> next = {});

}  // namespace store
