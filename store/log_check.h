// Tells a torn write-ahead log, which a crash leaves and which is harmless, from a damaged one. RocksDB alone cannot: a
// length that was changed near the end of a log looks to it like the torn end of a write.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace store {

struct LogState {
  enum class Kind {
    whole,
    torn,    // the last write never reached the disk whole, so nobody was told that it is durable
    damaged  // bytes of acknowledged writes are not what was written
  };
  Kind kind = Kind::whole;
  std::uint64_t at = 0;  // torn: where the unfinished write begins; damaged: the record that is
  std::string what{};    // damaged: why, in a few words
};

// Reads one log file of RocksDB in blocks of 32 KB. Every change of one bit is found. A write counts as torn when it is
// the last of the file and either the file ends within it or a sector of it is still zero. Throws
// std::filesystem::filesystem_error when the file cannot be read.
//
// Bytes: blocks of 32,768 bytes hold records of masked CRC-32C (4 bytes, little-endian, over type and payload), length
// (2), type (1: 1 whole, 2 first, 3 middle, 4 last part of a write) and payload; fewer than 7 bytes at the end of a
// block are zero.
LogState check_log(const std::filesystem::path& file);

}  // namespace store
