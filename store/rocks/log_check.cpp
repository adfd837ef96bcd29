#include "store/rocks/log_check.h"

#include <algorithm>
#include <array>
#include <boost/endian/conversion.hpp>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <limits>
#include <memory>
#include <string_view>
#include <system_error>

#include "store/rocks/crc32c.h"

namespace store {
namespace {

constexpr std::size_t block_size = 32'768, header_size = 7, sector_size = 512, least_zeros = 16;
constexpr std::size_t least_zeros_to_begin_with = 2;  // one in 65,536 checksums begins with as many
enum Type : unsigned char { full = 1, first = 2, middle = 3, last = 4 };

struct Record {
  std::uint32_t crc;
  std::size_t length;
  unsigned char type;
};

// The beginning of a write's payload.
struct Head {
  static constexpr std::size_t size = 22;
  Sequence sequence = 0, next = 0;
  Sequence on_disk = std::numeric_limits<Sequence>::max();  // without a mark: everything
};

unsigned byte_at(std::string_view bytes, std::size_t at) { return static_cast<unsigned char>(bytes[at]); }

Record header_at(std::string_view block, std::size_t at) {
  const auto masked =
      byte_at(block, at) | byte_at(block, at + 1) << 8 | byte_at(block, at + 2) << 16 | byte_at(block, at + 3) << 24;
  return {unmask_crc32c(masked), byte_at(block, at + 4) | byte_at(block, at + 5) << 8,
          static_cast<unsigned char>(block[at + 6])};
}

template <class Number>
Number number_at(std::string_view bytes, std::size_t at) {
  Number number = 0;
  std::memcpy(&number, bytes.data() + at, sizeof number);
  return boost::endian::little_to_native(number);
}

// `begin`: as much of a write's payload as there is, at most Head::size bytes.
Head head_of(std::string_view begin) {
  constexpr char log_data[] = {3, sizeof(Sequence)};
  Head head;
  if (begin.size() >= 12) {
    head.sequence = number_at<Sequence>(begin, 0);
    head.next = head.sequence + number_at<std::uint32_t>(begin, 8);
  }
  if (begin.size() >= Head::size && begin.substr(12, 2) == std::string_view(log_data, 2))
    head.on_disk = number_at<Sequence>(begin, 14);
  return head;
}

// Whether there is a complete record at `at` that matches its checksum.
bool is_valid_record(std::string_view block, std::size_t at) {
  if (at + header_size > block.size()) return false;
  const auto record = header_at(block, at);
  return record.type >= full && record.type <= last && at + header_size + record.length <= block.size() &&
         crc32c(block.substr(at + header_size - 1, 1 + record.length)) == record.crc;
}

bool all_zero(std::string_view bytes) {
  return std::all_of(bytes.begin(), bytes.end(), [](char byte) { return byte == 0; });
}

class Log {
 public:
  Log(const std::filesystem::path& path, std::optional<Sequence> next)
      : path_(path), next_(next), size_(std::filesystem::file_size(path)), file_(path, std::ios::binary) {
    if (!file_) throw std::filesystem::filesystem_error("read", path, std::error_code(errno, std::generic_category()));
  }

  LogState check() {
    auto state = examine();
    state.end = size_;
    state.first = first_;
    state.next = next_;
    state.on_disk = on_disk_;
    return state;
  }

 private:
  static LogState damaged(std::uint64_t at, std::string what) {
    return {.kind = LogState::Kind::damaged, .at = at, .what = std::move(what)};
  }
  static LogState torn(std::uint64_t at, bool is_followed = false) {
    return {.kind = LogState::Kind::torn, .at = at, .is_followed = is_followed};
  }

  LogState examine() {
    std::uint64_t write_begins = 0;  // the write that the next record belongs to
    bool within_write = false;
    std::string head;
    for (std::uint64_t start = 0; start < size_; start += block_size) {
      const auto block = read(start);
      for (std::size_t at = 0; at < block.size();) {
        if (!within_write) write_begins = start + at;
        if (block.size() == block_size && block_size - at < header_size) {
          if (!all_zero(block.substr(at))) return damaged(start + at, "the end of a block is not empty");
          break;
        }
        if (const auto problem = problem_at(block, at)) {
          exclude_trailing_zeros(start + at);
          if (size_ > start + at) return classify(*problem, write_begins, start, at);
          return within_write ? torn(write_begins) : LogState();
        }
        const auto record = header_at(block, at);
        if (within_write != (record.type == middle || record.type == last))
          return damaged(start + at, "a part of a write is missing");
        if (!within_write) head.clear();
        head.append(block.substr(at + header_size, std::min(record.length, Head::size - head.size())));
        within_write = record.type == first || record.type == middle;
        if (!within_write) record_whole(head_of(head));
        at += header_size + record.length;
      }
    }
    return within_write ? torn(write_begins) : LogState();
  }

  void exclude_trailing_zeros(std::uint64_t from) {
    auto end = from;
    for (auto start = from / block_size * block_size; start < size_; start += block_size) {
      const auto block = read(start);
      const auto last = block.find_last_not_of('\0');
      if (last != std::string_view::npos) end = std::max(end, start + last + 1);
    }
    if (size_ - end >= least_zeros || end == from) size_ = end;
  }

  void record_whole(const Head& head) {
    if (!first_) first_ = head.sequence;
    next_ = head.next;
    record_mark(head);
  }
  void record_mark(const Head& head) { on_disk_ = std::max(on_disk_.value_or(0), head.on_disk); }

  // The view is valid until the next call. It is shorter if the file has become shorter: its preallocated zeros may be
  // cut off at any time.
  std::string_view read(std::uint64_t start) {
    const auto length = static_cast<std::size_t>(std::min<std::uint64_t>(block_size, size_ - start));
    file_.clear();
    file_.seekg(static_cast<std::streamoff>(start));
    file_.read(buffer_.data(), static_cast<std::streamsize>(length));
    if (!file_ && !file_.eof())
      throw std::filesystem::filesystem_error("read", path_, std::make_error_code(std::errc::io_error));
    const auto there = static_cast<std::size_t>(file_.gcount());
    if (there < length) size_ = start + there;
    return {buffer_.data(), there};
  }

  static std::optional<std::string> problem_at(std::string_view block, std::size_t at) {
    if (at + header_size > block.size()) return "it ends within a record";
    const auto record = header_at(block, at);
    if (at + header_size + record.length > block.size()) return "a record is longer than what follows it";
    if (!is_valid_record(block, at)) return "a record does not match its checksum";
    return {};
  }

  LogState classify(const std::string& problem, std::uint64_t write_begins, std::uint64_t start, std::size_t at) {
    if (const auto follows = first_write_after(start, at)) {
      const bool was_on_disk = !next_ || on_disk_ >= *next_;
      return was_on_disk || !has_zero_sector(write_begins, *follows) ? damaged(start + at, problem)
                                                                     : torn(write_begins, true);
    }
    if (has_zero_sector(write_begins, size_)) return torn(write_begins);
    const auto block = read(start);
    const bool reaches_end =
        block.size() < block_size &&
        (at + header_size > block.size() || at + header_size + header_at(block, at).length > block.size());
    if (reaches_end && !matches_with_other_length(block, at)) return torn(write_begins);
    return damaged(start + at, problem);
  }

  // Where the first whole write after the problem begins; records the marks of all of them. A file system may keep a
  // write and not the one before it when neither was synced.
  std::optional<std::uint64_t> first_write_after(std::uint64_t start, std::size_t at) {
    std::optional<std::uint64_t> found;
    for (auto position = at + 1; start < size_; start += block_size, position = 0) {
      const auto block = read(start);
      while (position < block.size()) {
        if (!is_valid_record(block, position)) {
          ++position;
          continue;
        }
        const auto record = header_at(block, position);
        if (record.type == full || record.type == first) {
          if (!found) found = start + position;
          const auto payload = block.substr(position + header_size, record.length);
          const bool is_cut = record.type == first && payload.size() < Head::size;  // at the end of its block
          record_mark(is_cut ? Head{.on_disk = 0} : head_of(payload.substr(0, Head::size)));
        }
        position += header_size + record.length;
      }
    }
    return found;
  }

  // Whether the write that begins at `from` has space that was allocated but never written: a whole sector, the rest of
  // its first sector, or the end of the file. Records are JSON, keys and counters, which have no such runs of zeros.
  bool has_zero_sector(std::uint64_t from, std::uint64_t until) {
    for (auto start = from / block_size * block_size; start < until; start += block_size) {
      const auto block = read(start);
      for (std::size_t sector = 0; sector < block.size(); sector += sector_size) {
        const auto begin = std::max(start + sector, from), end = std::min(start + sector + sector_size, until);
        if (begin >= end || !all_zero(block.substr(begin - start, end - begin))) continue;
        const bool begins_it = begin == from && end == start + sector + sector_size && end < size_;
        const auto least = begins_it ? least_zeros_to_begin_with : end == size_ ? least_zeros : sector_size;
        if (end - begin >= least) return true;
      }
    }
    return false;
  }

  // A corrupted length makes a whole record look cut off: its checksum still matches some shorter length.
  static bool matches_with_other_length(std::string_view block, std::size_t at) {
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
  std::optional<Sequence> first_, next_, on_disk_;
  std::uint64_t size_;
  std::ifstream file_;
  std::array<char, block_size> buffer_{};
};

}  // namespace

std::string on_disk_mark(Sequence newest) {
  boost::endian::native_to_little_inplace(newest);
  std::string mark(sizeof newest, '\0');
  std::memcpy(mark.data(), &newest, sizeof newest);
  return mark;
}

LogState check_log(const std::filesystem::path& file, std::optional<Sequence> next) {
  return std::make_unique<Log>(file, next)->check();
}

}  // namespace store
