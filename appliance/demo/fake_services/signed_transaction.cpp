#include "appliance/demo/fake_services/signed_transaction.h"

#include <vector>

#include "appliance/foundation/chain/abi.h"
#include "appliance/foundation/chain/rlp.h"
#include "appliance/foundation/crypto/keccak.h"

namespace demo {

namespace {

constexpr char type = 2;
constexpr std::size_t signed_fields = 9, all_fields = 12, address_bytes = 20;

std::optional<std::uint64_t> number_of(std::string_view bytes) {
  if (bytes.size() > sizeof(std::uint64_t)) return std::nullopt;
  std::uint64_t number = 0;
  for (const char byte : bytes) number = number << 8 | static_cast<unsigned char>(byte);
  return number;
}

// One item of recursive length prefix: its content, and what stands before the next.
struct Item {
  std::string_view content, encoded;
  bool is_list = false;
};

// The first item of `bytes`; nothing if it is malformed or cut off.
std::optional<Item> first_item(std::string_view bytes) {
  constexpr unsigned short_text = 0x80, long_text = 0xb8, short_list = 0xc0, long_list = 0xf8;
  if (bytes.empty()) return std::nullopt;
  const auto head = static_cast<unsigned char>(bytes.front());
  if (head < short_text) return Item{.content = bytes.substr(0, 1), .encoded = bytes.substr(0, 1)};
  const bool is_list = head >= short_list;
  const unsigned longer = is_list ? long_list : long_text;
  std::size_t begin = 1;
  std::uint64_t length = head - (is_list ? short_list : short_text);
  if (head >= longer) {
    begin += head - longer + 1;
    const auto number = begin <= bytes.size() ? number_of(bytes.substr(1, begin - 1)) : std::nullopt;
    if (!number) return std::nullopt;
    length = *number;
  }
  if (length > bytes.size() - begin) return std::nullopt;
  return Item{.content = bytes.substr(begin, length), .encoded = bytes.substr(0, begin + length), .is_list = is_list};
}

std::optional<std::vector<Item>> items_of(std::string_view list) {
  std::vector<Item> items;
  while (!list.empty()) {
    const auto item = first_item(list);
    if (!item) return std::nullopt;
    items.push_back(*item);
    list.remove_prefix(item->encoded.size());
  }
  return items;
}

std::string padded(std::string_view number) {
  if (number.size() > chain::word_bytes) return {};
  return std::string(chain::word_bytes - number.size(), '\0') + std::string(number);
}

}  // namespace

std::optional<ReceivedTransaction> read_transaction(std::string_view raw) {
  if (raw.empty() || raw.front() != type) return std::nullopt;
  const auto whole = first_item(raw.substr(1));
  if (!whole || !whole->is_list || whole->encoded.size() + 1 != raw.size()) return std::nullopt;
  const auto fields = items_of(whole->content);
  if (!fields || fields->size() != all_fields) return std::nullopt;
  const auto content = [&](std::size_t at) { return (*fields)[at].content; };
  const auto chain_id = number_of(content(0)), nonce = number_of(content(1)), max_fee = number_of(content(3)),
             gas = number_of(content(4)), value = number_of(content(6)), parity = number_of(content(9));
  if (!chain_id || !nonce || !max_fee || !gas || !value || !parity || *parity > 1) return std::nullopt;
  if (content(5).size() != address_bytes) return std::nullopt;
  std::string unsigned_fields;
  for (std::size_t at = 0; at < signed_fields; ++at) unsigned_fields += (*fields)[at].encoded;
  const auto digest = crypto::keccak256(type + chain::rlp::list(unsigned_fields));
  const auto signature = padded(content(10)) + padded(content(11)) + static_cast<char>(*parity);
  const auto from = crypto::recover_signer(digest, signature);
  const auto to = crypto::EthereumAddress::parse(chain::to_hex(content(5)));
  if (!from || !to) return std::nullopt;
  return ReceivedTransaction{.chain_id = *chain_id,
                             .nonce = *nonce,
                             .max_fee = *max_fee,
                             .gas = *gas,
                             .value = *value,
                             .from = *from,
                             .to = *to,
                             .data = std::string(content(7))};
}

}  // namespace demo
