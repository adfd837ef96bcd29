#include "appliance/payments/acceptance/rlp.h"

namespace mpp {

namespace {

constexpr std::size_t longest_short = 55;  // bytes whose length is in the first byte
constexpr unsigned string_base = 0x80, list_base = 0xc0;

// A big-endian length without leading zeros, of more than 55 bytes.
std::optional<std::size_t> long_length(std::string_view bytes) {
  constexpr std::size_t most = 4;
  if (bytes.empty() || bytes.size() > most || bytes.front() == '\0') return std::nullopt;
  std::size_t length = 0;
  for (const char byte : bytes) length = length << 8 | static_cast<unsigned char>(byte);
  return length > longest_short ? std::optional(length) : std::nullopt;
}

// The first item of `rest`, which it is removed from.
std::optional<RlpItem> next_item(std::string_view& rest) {
  const auto first = static_cast<unsigned char>(rest.front());
  if (first < string_base) {
    const RlpItem item{.is_list = false, .content = rest.substr(0, 1)};
    rest.remove_prefix(1);
    return item;
  }
  const bool is_list = first >= list_base;
  std::size_t length = first - (is_list ? list_base : string_base), head = 1;
  if (length > longest_short) {
    const std::size_t digits = length - longest_short;
    if (rest.size() <= digits) return std::nullopt;
    const auto long_form = long_length(rest.substr(1, digits));
    if (!long_form) return std::nullopt;
    length = *long_form;
    head += digits;
  }
  if (rest.size() - head < length) return std::nullopt;
  const RlpItem item{.is_list = is_list, .content = rest.substr(head, length)};
  const bool has_shorter_form = !is_list && length == 1 && static_cast<unsigned char>(item.content[0]) < string_base;
  if (has_shorter_form) return std::nullopt;
  rest.remove_prefix(head + length);
  return item;
}

}  // namespace

std::optional<std::vector<RlpItem>> read_rlp(std::string_view content) {
  std::vector<RlpItem> items;
  while (!content.empty()) {
    const auto item = next_item(content);
    if (!item) return std::nullopt;
    items.push_back(*item);
  }
  return items;
}

}  // namespace mpp
