// Tells a torn write-ahead log, which a crash leaves and which is harmless, from a damaged one. RocksDB alone cannot: a
// length that was changed near the end of a log looks to it like the torn end of a write.
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
    torn,    // the writes from `at` on never reached the disk whole, so nobody was told that they are durable
    damaged  // bytes of acknowledged writes are not what was written
  };
  Kind kind = Kind::whole;
  std::uint64_t at = 0;               // torn: where the unfinished write begins; damaged: the record that is
  std::uint64_t end = 0;              // whole or torn: behind it are only zeros, if anything (WalPreallocation)
  std::string what{};                 // damaged: why, in a few words
  std::optional<Sequence> first{};    // number of the first write, if it stands
  std::optional<Sequence> next{};     // what follows the last whole write has this number, where that is known
  std::optional<Sequence> on_disk{};  // the newest that a write which stands in the log says was on disk before it
  bool is_followed = false;           // torn: other writes stand behind what is missing
};

// Begins every write: which others were on disk then, up to and including `newest`. A log whose writes have no marks
// is judged as if they said that everything was. Bytes: the number, little-endian.
std::string on_disk_mark(Sequence newest);

// Ends every write, as "log data" of its own: a write whose end is there does not end with a zero, whichever of its
// bits may have changed.
inline constexpr char end_mark = '\xff';

// Reads one log file of RocksDB in blocks of 32 KB. Every change of one bit is found, but for one in 30 million in a
// write that nobody says was on disk. A log ends with the file, or where nothing but zeros follows. Writes count as
// torn from the one on that it ends within, or a sector of which is still zero, unless a write that stands behind it
// says that it was on disk, or nobody knows which one it was. A log may be written to meanwhile, and give back zeros
// behind its end. `next`: the number of the file's first write, where it is known. Throws
// std::filesystem::filesystem_error when the file cannot be read.
//
// Bytes: blocks of 32,768 bytes hold records of masked CRC-32C (4 bytes, little-endian, over type and payload), length
// (2), type (1: 1 whole, 2 first, 3 middle, 4 last part of a write) and payload; fewer than 7 bytes at the end of a
// block are zero. A write's payload begins with its number (8 bytes, little-endian), the count of its records (4), and
// its mark as "log data": 3, its length (1), itself.
LogState check_log(const std::filesystem::path& file, std::optional<Sequence> next = {});

}  // namespace store
