#include "appliance/hosting/schedule/tzif.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "appliance/hosting/schedule/posix_rule.h"

namespace schedule {

namespace {

using namespace std::chrono;

constexpr year last_year_written_out(2500);
constexpr hours largest_offset(26);  // RFC 9636, 3.2
constexpr sys_seconds latest_change = sys_days(year::max() / December / 31);

// A cursor over the bytes. Beyond their end it reads zeros and has failed.
class Bytes {
 public:
  explicit Bytes(std::string_view bytes) : left_(bytes) {}
  bool failed() const { return failed_; }
  std::string_view take(std::uint64_t count) {
    failed_ |= count > left_.size();
    if (failed_) return {};
    const auto taken = left_.substr(0, count);
    left_.remove_prefix(count);
    return taken;
  }
  template <std::size_t Size>
  std::uint64_t big_endian() {
    std::uint64_t value = 0;
    for (const char byte : take(Size)) value = value << 8 | static_cast<unsigned char>(byte);
    return value;
  }
  std::string_view rest() const { return left_; }

 private:
  std::string_view left_;
  bool failed_ = false;
};

struct Header {
  char version = 0;
  std::uint64_t is_ut, is_standard, leaps, times, types, characters;
  // Of the block that follows, with times of this many bytes.
  std::uint64_t size(std::uint64_t time) const {
    return times * (time + 1) + types * 6 + characters + leaps * (time + 4) + is_standard + is_ut;
  }
};

std::optional<Header> read_header(Bytes& in) {
  if (in.take(4) != "TZif") return std::nullopt;
  const auto version = in.take(1);
  in.take(15);
  Header header{.version = version.empty() ? '\0' : version.front(),
                .is_ut = in.big_endian<4>(),
                .is_standard = in.big_endian<4>(),
                .leaps = in.big_endian<4>(),
                .times = in.big_endian<4>(),
                .types = in.big_endian<4>(),
                .characters = in.big_endian<4>()};
  if (in.failed() || header.version < '2') return std::nullopt;
  return header;
}

// Only what moves the clock: a change of the zone's abbreviation alone is none.
void append(std::vector<OffsetChange>& changes, OffsetChange change) {
  if (changes.back().offset != change.offset && changes.back().at < change.at) changes.push_back(change);
}

struct Table {
  std::vector<OffsetChange> changes;
  sys_seconds end = sys_seconds::min();  // its last entry: the rule holds after it
};

std::optional<Table> read_table(Bytes& in, const Header& header) {
  Bytes times(in.take(header.times * 8)), kinds(in.take(header.times)), types(in.take(header.types * 6));
  in.take(header.characters + header.is_standard + header.is_ut);
  if (in.failed() || header.types == 0 || header.leaps != 0) return std::nullopt;
  std::vector<seconds> offsets;
  for (std::uint64_t type = 0; type < header.types; ++type) {
    offsets.emplace_back(static_cast<std::int32_t>(types.big_endian<4>()));
    if (offsets.back() <= -largest_offset || offsets.back() >= largest_offset) return std::nullopt;
    types.take(2);
  }
  Table table{.changes = {{sys_seconds::min(), offsets.front()}}};
  for (std::uint64_t at = 0; at < header.times; ++at) {
    table.end = sys_seconds(seconds(static_cast<std::int64_t>(times.big_endian<8>())));
    const auto type = kinds.big_endian<1>();
    if (table.end > latest_change || type >= offsets.size()) return std::nullopt;
    append(table.changes, {table.end, offsets[type]});
  }
  return table;
}

void write_out(const PosixRule& rule, Table& table) {
  auto next = year_month_day(floor<days>(std::max(table.end, sys_seconds{}))).year();
  for (; next <= last_year_written_out; ++next)
    for (const auto& change : rule.changes(next))
      if (change.at > table.end) append(table.changes, change);
}

}  // namespace

std::optional<std::vector<OffsetChange>> read_tzif(std::string_view bytes) {
  Bytes in(bytes);
  const auto old = read_header(in);
  if (!old) return std::nullopt;
  in.take(old->size(4));
  const auto header = read_header(in);
  if (!header) return std::nullopt;
  auto table = read_table(in, *header);
  if (!table) return std::nullopt;
  const auto footer = in.rest();
  if (!footer.starts_with('\n') || footer.size() < 2 || !footer.ends_with('\n')) return std::nullopt;
  const auto text = footer.substr(1, footer.size() - 2);
  if (!text.empty()) {
    const auto rule = PosixRule::parse(text);
    if (!rule) return std::nullopt;
    write_out(*rule, *table);
  }
  return std::move(table->changes);
}

}  // namespace schedule
