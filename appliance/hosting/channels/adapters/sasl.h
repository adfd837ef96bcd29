// Signing in by SASL: PLAIN (RFC 4616) and SCRAM (RFC 5802, RFC 7677) without channel binding.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace channels {

std::string sasl_plain(std::string_view user, std::string_view password);

// SCRAM-SHA-256 or SCRAM-SHA-1.
class Scram {
 public:
  Scram(bool is_sha256, std::string_view user, std::string password);

  std::string first() const { return "n,," + first_bare_; }
  // The answer to the server's first message; nothing if it is not one that this client may answer.
  std::optional<std::string> answer(std::string_view server_first);
  // Whether the server knows the password, too.
  bool is_final(std::string_view server_final) const;

 private:
  std::string hmac(std::string_view key, std::string_view message) const;

  const bool is_sha256_;
  const std::string password_, nonce_, first_bare_;
  std::string server_signature_;
};

}  // namespace channels
