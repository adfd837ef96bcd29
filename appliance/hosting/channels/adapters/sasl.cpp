#include "appliance/hosting/channels/adapters/sasl.h"

#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/sha.h>

#include <array>
#include <charconv>
#include <stdexcept>

#include "appliance/foundation/crypto/base64.h"
#include "appliance/foundation/crypto/c_library.h"
#include "appliance/foundation/crypto/random.h"

namespace channels {

namespace {

constexpr int min_iterations = 4'096, max_iterations = 200'000;  // RFC 5802; more would hold up the box

std::string scram_name(std::string_view user) {
  std::string name;
  for (const char c : user) {
    if (c == '=')
      name += "=3D";
    else if (c == ',')
      name += "=2C";
    else
      name += c;
  }
  return name;
}

// The value of "x=..." in a comma-separated list.
std::string scram_attribute(std::string_view message, char name) {
  while (!message.empty()) {
    const auto part = message.substr(0, message.find(','));
    if (part.size() >= 2 && part[0] == name && part[1] == '=') return std::string(part.substr(2));
    message.remove_prefix(std::min(part.size() + 1, message.size()));
  }
  return {};
}

}  // namespace

std::string sasl_plain(std::string_view user, std::string_view password) {
  std::string credentials(1, '\0');
  return credentials.append(user).append(1, '\0').append(password);
}

Scram::Scram(bool is_sha256, std::string_view user, std::string password)
    : is_sha256_(is_sha256),
      password_(std::move(password)),
      nonce_(crypto::random_token(18)),
      first_bare_("n=" + scram_name(user) + ",r=" + nonce_) {}

std::string Scram::hmac(std::string_view key, std::string_view message) const {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int size = 0;
  if (!HMAC(is_sha256_ ? EVP_sha256() : EVP_sha1(), key.data(), int(key.size()), crypto::unsigned_bytes(message),
            message.size(), digest.data(), &size))
    throw std::runtime_error("OpenSSL cannot make an HMAC");
  return {reinterpret_cast<const char*>(digest.data()), size};
}

std::optional<std::string> Scram::answer(std::string_view server_first) {
  const auto nonce = scram_attribute(server_first, 'r');
  const auto salt = crypto::from_base64(scram_attribute(server_first, 's'));
  const auto count = scram_attribute(server_first, 'i');
  int iterations = 0;
  const auto [end, failed] = std::from_chars(count.data(), count.data() + count.size(), iterations);
  const bool is_count = failed == std::errc() && end == count.data() + count.size() && iterations >= min_iterations &&
                        iterations <= max_iterations;
  if (!nonce.starts_with(nonce_) || nonce.size() == nonce_.size() || !salt || salt->empty() || !is_count)
    return std::nullopt;
  const std::size_t size = is_sha256_ ? SHA256_DIGEST_LENGTH : SHA_DIGEST_LENGTH;
  std::string salted(size, '\0');
  if (PKCS5_PBKDF2_HMAC(password_.data(), int(password_.size()), crypto::unsigned_bytes(*salt), int(salt->size()),
                        iterations, is_sha256_ ? EVP_sha256() : EVP_sha1(), int(size),
                        reinterpret_cast<unsigned char*>(salted.data())) != 1)
    throw std::runtime_error("OpenSSL cannot derive a key");
  const auto client_key = hmac(salted, "Client Key");
  std::string stored_key(size, '\0');
  unsigned int written = 0;
  if (EVP_Digest(client_key.data(), client_key.size(), reinterpret_cast<unsigned char*>(stored_key.data()), &written,
                 is_sha256_ ? EVP_sha256() : EVP_sha1(), nullptr) != 1)
    throw std::runtime_error("OpenSSL cannot make a digest");
  const auto without_proof = "c=" + crypto::to_base64("n,,") + ",r=" + nonce;
  const auto signed_text = first_bare_ + "," + std::string(server_first) + "," + without_proof;
  auto proof = hmac(stored_key, signed_text);
  for (std::size_t at = 0; at < proof.size(); ++at) proof[at] = static_cast<char>(proof[at] ^ client_key[at]);
  server_signature_ = hmac(hmac(salted, "Server Key"), signed_text);
  return without_proof + ",p=" + crypto::to_base64(proof);
}

bool Scram::is_final(std::string_view server_final) const {
  const auto signature = crypto::from_base64(scram_attribute(server_final, 'v'));
  return !server_signature_.empty() && signature && crypto::constant_time_equal(*signature, server_signature_);
}

}  // namespace channels
