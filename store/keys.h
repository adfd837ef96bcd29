// The bytes of record and index keys: see table.h for the layout.
#pragma once

#include <boost/endian/conversion.hpp>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace store::keys {

// 8 bytes, big-endian: orders as the owner's number.
std::string owner(std::int64_t owner);
// First key of an owner's records, and the first one after them.
inline std::string after_owner(std::int64_t id) { return owner(id + 1); }

inline std::string record(std::string_view id) { return std::string(id); }
std::string record(std::int64_t id);  // sign bit flipped, so that it orders as a number
std::string owned(std::int64_t owner, std::string_view id);
// The parts of a key that owned() made.
std::int64_t owner_in(std::string_view key);
std::string_view id_in(std::string_view key);
// Inline: every read and every write of a tenant asks.
inline bool belongs_to(std::int64_t owner, std::string_view key) {
  std::uint64_t first = 0;
  if (key.size() < sizeof first) return false;
  std::memcpy(&first, key.data(), sizeof first);
  return static_cast<std::int64_t>(boost::endian::big_to_native(first)) == owner;
}

// Every entry of one value of an index starts with this; a unique index's key is exactly this.
std::string index_entry(std::uint8_t table, std::uint8_t index, std::string_view scope, std::string_view value);
// The same without the end mark, for ranges: orders before every entry whose value is `value` or greater.
std::string index_from(std::uint8_t table, std::uint8_t index, std::string_view scope, std::string_view value);
// The first key that does not start with `prefix`.
std::string after_prefix(std::string prefix);

}  // namespace store::keys
