#include "store/keys.h"

#include <boost/endian/conversion.hpp>

#include "store/table.h"

namespace store {
namespace {

std::string big_endian(std::uint64_t number) {
  std::string bytes(sizeof number, '\0');
  boost::endian::store_big_u64(reinterpret_cast<unsigned char*>(bytes.data()), number);
  return bytes;
}

}  // namespace

std::string ordered_bytes(std::int64_t number) { return big_endian(static_cast<std::uint64_t>(number) ^ 1ull << 63); }

namespace keys {

std::string owner(std::int64_t owner) { return big_endian(static_cast<std::uint64_t>(owner)); }
std::string record(std::int64_t id) { return ordered_bytes(id); }
std::string owned(std::int64_t owner_id, std::string_view id) {
  std::string key;
  key.reserve(sizeof owner_id + id.size());
  return std::move(key.append(owner(owner_id)).append(id));
}
std::int64_t owner_in(std::string_view key) {
  return static_cast<std::int64_t>(
      boost::endian::load_big_u64(reinterpret_cast<const unsigned char*>(key.substr(0, sizeof(std::int64_t)).data())));
}
std::string_view id_in(std::string_view key) { return key.substr(sizeof(std::int64_t)); }

std::string index_from(std::uint8_t table, std::uint8_t index, std::string_view scope, std::string_view value) {
  std::string key{static_cast<char>(table), static_cast<char>(index)};
  key.append(scope);
  for (const char byte : value) {
    key.push_back(byte);
    if (byte == '\0') key.push_back('\xff');
  }
  return key;
}

std::string index_entry(std::uint8_t table, std::uint8_t index, std::string_view scope, std::string_view value) {
  return index_from(table, index, scope, value).append(2, '\0');
}

std::string after_prefix(std::string prefix) {
  while (!prefix.empty() && prefix.back() == '\xff') prefix.pop_back();
  if (!prefix.empty()) prefix.back() = static_cast<char>(static_cast<unsigned char>(prefix.back()) + 1);
  return prefix;
}

}  // namespace keys
}  // namespace store
