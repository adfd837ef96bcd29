#include "appliance/foundation/crypto/random.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/rand.h>

#include <memory>
#include <stdexcept>

#include "appliance/foundation/crypto/base64url.h"
#include "web/ascii.h"

namespace crypto {

namespace {

constexpr std::string_view base36 = "abcdefghijklmnopqrstuvwxyz0123456789";
constexpr std::string_view hex_digits = "0123456789abcdef";

}  // namespace

std::string random_bytes(std::size_t count) {
  std::string bytes(count, '\0');
  if (RAND_bytes(reinterpret_cast<unsigned char*>(bytes.data()), static_cast<int>(count)) != 1)
    throw std::runtime_error("the random generator of OpenSSL failed");
  return bytes;
}

std::string random_hex(std::size_t bytes) { return hex(random_bytes(bytes)); }

std::string random_id(std::size_t characters) {
  // Bytes in the last, incomplete run of 36 are discarded, so that every character is equally likely.
  constexpr unsigned fair = 256 - 256 % base36.size();
  std::string id;
  id.reserve(characters);
  while (id.size() < characters) {
    for (const char byte : random_bytes(characters - id.size())) {
      const auto value = static_cast<unsigned char>(byte);
      if (value < fair) id += base36[value % base36.size()];
    }
  }
  return id;
}

std::string random_token(std::size_t bytes) { return to_base64url(random_bytes(bytes)); }

std::string sha256(std::string_view data) {
  // Fetched once: looking up an algorithm in OpenSSL 3 takes a lock and more time than hashing a token.
  static EVP_MD* const algorithm = EVP_MD_fetch(nullptr, "SHA256", nullptr);
  thread_local const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context(EVP_MD_CTX_new(), EVP_MD_CTX_free);
  std::string digest(32, '\0');
  if (EVP_DigestInit_ex2(context.get(), algorithm, nullptr) != 1 ||
      EVP_DigestUpdate(context.get(), data.data(), data.size()) != 1 ||
      EVP_DigestFinal_ex(context.get(), reinterpret_cast<unsigned char*>(digest.data()), nullptr) != 1)
    throw std::runtime_error("SHA-256 of OpenSSL failed");
  return digest;
}

std::string sha256_hex(std::string_view data) { return hex(sha256(data)); }

std::string hex(std::string_view bytes) {
  std::string text(bytes.size() * 2, '\0');
  char* next = text.data();
  for (const char byte : bytes) {
    const auto value = static_cast<unsigned char>(byte);
    *next++ = hex_digits[value >> 4];
    *next++ = hex_digits[value & 15];
  }
  return text;
}

std::string unhex(std::string_view text) {
  if (text.size() % 2 != 0) return {};
  std::string bytes;
  bytes.reserve(text.size() / 2);
  for (std::size_t i = 0; i < text.size(); i += 2) {
    const int high = web::hex_digit(text[i]), low = web::hex_digit(text[i + 1]);
    if (high < 0 || low < 0) return {};
    bytes += static_cast<char>(high << 4 | low);
  }
  return bytes;
}

bool constant_time_equal(std::string_view a, std::string_view b) {
  // Over digests, so that neither a length nor a common prefix shows in the time taken.
  const std::string left = sha256(a), right = sha256(b);
  return CRYPTO_memcmp(left.data(), right.data(), left.size()) == 0;
}

}  // namespace crypto
