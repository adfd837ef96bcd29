#include "store/seal.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/kdf.h>
#include <openssl/rand.h>

#include <memory>
#include <stdexcept>
#include <vector>

#include "store/engine.h"

namespace store {
namespace {

// The versions differ in the key: s1, which is only read, is under the master key itself; s2 under one derived from it.
constexpr std::string_view direct = "s1:", derived = "s2:", purpose = "agentbox sealing";
constexpr std::size_t nonce_size = 12, tag_size = 16, key_size = 32;

using Cipher = std::unique_ptr<EVP_CIPHER_CTX, decltype(&EVP_CIPHER_CTX_free)>;

void must(int result) {
  if (result != 1) throw std::runtime_error("seal: OpenSSL failed");
}

const unsigned char* bytes(std::string_view text) { return reinterpret_cast<const unsigned char*>(text.data()); }

std::string additional_data(std::uint8_t table, std::string_view key, std::string_view field) {
  std::string data(1, static_cast<char>(table));
  data.append(key).push_back('\0');
  return data.append(field);
}

std::string base64(std::string_view raw) {
  std::string text(4 * ((raw.size() + 2) / 3) + 1, '\0');
  text.resize(static_cast<std::size_t>(
      EVP_EncodeBlock(reinterpret_cast<unsigned char*>(text.data()), bytes(raw), static_cast<int>(raw.size()))));
  return text;
}

// Empty when the text is not base64.
std::string from_base64(std::string_view text) {
  std::string raw(3 * (text.size() / 4) + 1, '\0');
  const int length =
      EVP_DecodeBlock(reinterpret_cast<unsigned char*>(raw.data()), bytes(text), static_cast<int>(text.size()));
  if (length < 0 || text.size() % 4 != 0) return {};
  const auto padding = text.ends_with("==") ? 2u : text.ends_with("=") ? 1u : 0u;
  raw.resize(static_cast<std::size_t>(length) - padding);
  return raw;
}

// HKDF-SHA256 (RFC 5869), without salt: the master key is random.
std::string derived_key(std::string_view master_key) {
  const std::unique_ptr<EVP_PKEY_CTX, decltype(&EVP_PKEY_CTX_free)> context(EVP_PKEY_CTX_new_id(EVP_PKEY_HKDF, nullptr),
                                                                            &EVP_PKEY_CTX_free);
  std::string key(key_size, '\0');
  auto size = key.size();
  must(EVP_PKEY_derive_init(context.get()));
  must(EVP_PKEY_CTX_set_hkdf_md(context.get(), EVP_sha256()));
  must(EVP_PKEY_CTX_set1_hkdf_key(context.get(), bytes(master_key), static_cast<int>(master_key.size())));
  must(EVP_PKEY_CTX_add1_hkdf_info(context.get(), bytes(purpose), static_cast<int>(purpose.size())));
  must(EVP_PKEY_derive(context.get(), reinterpret_cast<unsigned char*>(key.data()), &size));
  return key;
}

[[noreturn]] void does_not_open() {
  throw Corrupt(
      "a sealed field does not open: it was altered, moved from another record, or sealed under another master key");
}

}  // namespace

// `master_key_` holds both keys: the master key, and behind it the one that is derived from it.
Sealer::Sealer(std::string master_key) : master_key_(std::move(master_key)) {
  if (master_key_.size() != key_size) throw std::invalid_argument("the master key must be 32 bytes");
  master_key_ += derived_key(master_key_);
}

Sealer::~Sealer() { OPENSSL_cleanse(master_key_.data(), master_key_.size()); }

std::string Sealer::seal(std::string_view clear, std::uint8_t table, std::string_view key,
                         std::string_view field) const {
  std::string raw(nonce_size + clear.size() + tag_size, '\0');
  auto* nonce = reinterpret_cast<unsigned char*>(raw.data());
  must(RAND_bytes(nonce, nonce_size));
  const auto aad = additional_data(table, key, field);
  Cipher cipher(EVP_CIPHER_CTX_new(), &EVP_CIPHER_CTX_free);
  must(EVP_EncryptInit_ex(cipher.get(), EVP_aes_256_gcm(), nullptr, bytes(master_key_) + key_size, nonce));
  int written = 0;
  must(EVP_EncryptUpdate(cipher.get(), nullptr, &written, bytes(aad), static_cast<int>(aad.size())));
  must(EVP_EncryptUpdate(cipher.get(), nonce + nonce_size, &written, bytes(clear), static_cast<int>(clear.size())));
  must(EVP_EncryptFinal_ex(cipher.get(), nonce + nonce_size + written, &written));
  must(EVP_CIPHER_CTX_ctrl(cipher.get(), EVP_CTRL_GCM_GET_TAG, tag_size, nonce + nonce_size + clear.size()));
  return std::string(derived) + base64(raw);
}

std::string Sealer::open(std::string_view sealed, std::uint8_t table, std::string_view key,
                         std::string_view field) const {
  const bool is_direct = sealed.starts_with(direct);
  if (!is_direct && !sealed.starts_with(derived)) does_not_open();
  const auto* key_of_version = bytes(master_key_) + (is_direct ? 0 : key_size);
  auto raw = from_base64(sealed.substr(direct.size()));
  if (raw.size() < nonce_size + tag_size) does_not_open();
  const auto size = raw.size() - nonce_size - tag_size;
  auto* nonce = reinterpret_cast<unsigned char*>(raw.data());
  const auto aad = additional_data(table, key, field);
  std::string clear(size, '\0');
  auto* out = reinterpret_cast<unsigned char*>(clear.data());
  Cipher cipher(EVP_CIPHER_CTX_new(), &EVP_CIPHER_CTX_free);
  must(EVP_DecryptInit_ex(cipher.get(), EVP_aes_256_gcm(), nullptr, key_of_version, nonce));
  int written = 0;
  must(EVP_DecryptUpdate(cipher.get(), nullptr, &written, bytes(aad), static_cast<int>(aad.size())));
  must(EVP_DecryptUpdate(cipher.get(), out, &written, nonce + nonce_size, static_cast<int>(size)));
  must(EVP_CIPHER_CTX_ctrl(cipher.get(), EVP_CTRL_GCM_SET_TAG, tag_size, nonce + nonce_size + size));
  if (EVP_DecryptFinal_ex(cipher.get(), out + written, &written) != 1) does_not_open();
  return clear;
}

}  // namespace store
