#include "store/log_check.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <fstream>
#include <memory>
#include <optional>
#include <string_view>
#include <system_error>
#include <vector>

#include "store/crc32c.h"

namespace store {
namespace {

constexpr std::size_t block_size = 32'768, header_size = 7, sector_size = 512;
enum Type : unsigned char { full = 1, first = 2, middle = 3, last = 4 };

struct Record {
  std::uint32_t crc;
  std::size_t length;
  unsigned char type;
};

unsigned byte_at(std::string_view bytes, std::size_t at) { return static_cast<unsigned char>(bytes[at]); }

Record header_at(std::string_view block, std::size_t at) {
  const auto masked =
      byte_at(block, at) | byte_at(block, at + 1) << 8 | byte_at(block, at + 2) << 16 | byte_at(block, at + 3) << 24;
  return {unmask_crc32c(masked), byte_at(block, at + 4) | byte_at(block, at + 5) << 8,
          static_cast<unsigned char>(block[at + 6])};
}

// Whether a record that is whole and matches its checksum stands at `at`.
bool stands(std::string_view block, std::size_t at) {
  if (at + header_size > block.size()) return false;
  const auto record = header_at(block, at);
  return record.type >= full && record.type <= last && at + header_size + record.length <= block.size() &&
         crc32c(block.substr(at + header_size - 1, 1 + record.length)) == record.crc;
}

bool begins_a_write(std::string_view block, std::size_t at) {
  if (at + header_size > block.size()) return false;
  const auto type = byte_at(block, at + 6);
  return (type == full || type == first) && stands(block, at);
}

bool all_zero(std::string_view bytes) {
  return std::all_of(bytes.begin(), bytes.end(), [](char byte) { return byte == 0; });
}

class Log {
 public:
  explicit Log(const std::filesystem::path& path)
      : path_(path), size_(std::filesystem::file_size(path)), file_(path, std::ios::binary) {
    if (!file_) throw std::filesystem::filesystem_error("read", path, std::error_code(errno, std::generic_category()));
  }

  LogState check() {
    std::uint64_t write_begins = 0;  // the write that the next record belongs to
    bool within_write = false;
    for (std::uint64_t start = 0; start < size_; start += block_size) {
      const auto block = read(start);
      for (std::size_t at = 0; at < block.size();) {
        if (!within_write) write_begins = start + at;
        if (block.size() == block_size && block_size - at < header_size) {
          if (!all_zero(block.substr(at))) return damaged(start + at, "the end of a block is not empty");
          break;
        }
        if (const auto trouble = trouble_at(block, at)) return judge(*trouble, write_begins, start, at);
        const auto record = header_at(block, at);
        if (within_write != (record.type == middle || record.type == last))
          return damaged(start + at, "a part of a write is missing");
        within_write = record.type == first || record.type == middle;
        at += header_size + record.length;
      }
    }
    if (within_write) return {LogState::Kind::torn, write_begins, {}};
    return {};
  }

 private:
  static LogState damaged(std::uint64_t at, std::string what) { return {LogState::Kind::damaged, at, std::move(what)}; }

  // The view is valid until the next call.
  std::string_view read(std::uint64_t start) {
    const auto length = static_cast<std::size_t>(std::min<std::uint64_t>(block_size, size_ - start));
    file_.seekg(static_cast<std::streamoff>(start));
    if (!file_.read(buffer_.data(), static_cast<std::streamsize>(length)))
      throw std::filesystem::filesystem_error("read", path_, std::make_error_code(std::errc::io_error));
    return {buffer_.data(), length};
  }

  static std::optional<std::string> trouble_at(std::string_view block, std::size_t at) {
    if (at + header_size > block.size()) return "it ends within a record";
    const auto record = header_at(block, at);
    if (at + header_size + record.length > block.size()) return "a record is longer than what follows it";
    if (!stands(block, at)) return "a record does not match its checksum";
    return {};
  }

  LogState judge(const std::string& trouble, std::uint64_t write_begins, std::uint64_t start, std::size_t at) {
    if (another_write_follows(start, at)) return damaged(start + at, trouble);
    if (has_zero_sector(write_begins)) return {LogState::Kind::torn, write_begins, {}};
    const auto block = read(start);
    const bool reaches_end =
        block.size() < block_size &&
        (at + header_size > block.size() || at + header_size + header_at(block, at).length > block.size());
    if (reaches_end && !is_whole_but_for_its_length(block, at)) return {LogState::Kind::torn, write_begins, {}};
    return damaged(start + at, trouble);
  }

  // Writes reach the disk in order, those that no sync has followed, too: file systems let a file grow when what it
  // then holds is written (ext4's ordered mode, XFS). So one that stands behind the trouble means that what is troubled
  // was on disk, and may have been acknowledged. Where this is not so, refusing is the lesser evil.
  bool another_write_follows(std::uint64_t start, std::size_t at) {
    const auto block = read(start);
    for (auto next = at + 1; next + header_size <= block.size(); ++next)
      if (begins_a_write(block, next)) return true;
    for (auto next = start + block_size; next < size_; next += block_size) {
      const auto later = read(next);
      std::size_t position = 0;
      while (stands(later, position)) {
        if (begins_a_write(later, position)) return true;
        position += header_size + header_at(later, position).length;
      }
    }
    return false;
  }

  // Space the file was given but the write never filled. Records are JSON and keys: they have no such run of zeros.
  bool has_zero_sector(std::uint64_t from) {
    for (auto start = from / block_size * block_size; start < size_; start += block_size) {
      const auto block = read(start);
      for (std::size_t sector = 0; sector < block.size(); sector += sector_size) {
        const auto begin = static_cast<std::size_t>(std::max(start + sector, from) - start);
        const auto end = std::min(sector + sector_size, block.size());
        if (begin < end && (end - begin == sector_size || end == block.size()) &&
            all_zero(block.substr(begin, end - begin)) && end - begin >= 16)
          return true;
      }
    }
    return false;
  }

  // A length that was changed makes a whole record look cut: its checksum still holds for some shorter length.
  static bool is_whole_but_for_its_length(std::string_view block, std::size_t at) {
    if (at + header_size > block.size()) return false;
    const auto record = header_at(block, at);
    auto crc = crc32c(block.substr(at + header_size - 1, 1));
    for (auto end = at + header_size;; ++end) {
      if (crc == record.crc) return true;
      if (end == block.size()) return false;
      crc = crc32c(block.substr(end, 1), crc);
    }
  }

  const std::filesystem::path path_;
  const std::uint64_t size_;
  std::ifstream file_;
  std::array<char, block_size> buffer_{};
};

}  // namespace

LogState check_log(const std::filesystem::path& file) { return std::make_unique<Log>(file)->check(); }

}  // namespace store
