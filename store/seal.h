// Secrets at rest: AES-256-GCM under the box's master key.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace store {

// Sealed text is "s1:" and base64 of nonce (12 bytes), ciphertext, tag (16 bytes). The additional data are the table
// number (1 byte), the record key, 0x00 and the field name: sealed text that was moved elsewhere does not open.
// Callable from every thread.
class Sealer {
 public:
  // `master_key` is 32 bytes; throws std::invalid_argument otherwise.
  explicit Sealer(std::string master_key);
  ~Sealer();  // wipes the key
  Sealer(const Sealer&) = delete;
  Sealer& operator=(const Sealer&) = delete;

  std::string seal(std::string_view clear, std::uint8_t table, std::string_view key, std::string_view field) const;
  // Throws Corrupt when the text was altered, moved, or sealed under another key.
  std::string open(std::string_view sealed, std::uint8_t table, std::string_view key, std::string_view field) const;

 private:
  std::string master_key_;
};

}  // namespace store
