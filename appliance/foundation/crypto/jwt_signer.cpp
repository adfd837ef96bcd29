#include "appliance/foundation/crypto/jwt_signer.h"

#include <openssl/bio.h>
#include <openssl/core_names.h>
#include <openssl/ecdsa.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include <boost/json/serialize.hpp>
#include <stdexcept>

#include "appliance/foundation/crypto/base64url.h"
#include "appliance/foundation/crypto/c_library.h"

namespace crypto {

namespace {

constexpr std::size_t seed_bytes = 32, ed25519_secret_bytes = 64;
constexpr int p256_coordinate_length = 32;

using SharedKey = std::shared_ptr<EVP_PKEY>;

SharedKey owned(EVP_PKEY* key) { return key ? SharedKey(key, EVP_PKEY_free) : nullptr; }

// Standard base64, with or without its padding; empty if it is invalid.
std::string base64_bytes(std::string_view text) {
  std::string url_form;
  for (const char c : text) {
    if (c == '=') break;
    url_form += c == '+' ? '-' : c == '/' ? '_' : c;
  }
  return from_base64url(url_form).value_or("");
}

SharedKey read_pem(std::string_view text) {
  std::string pem;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const bool is_escaped_break = text.substr(at).starts_with("\\n");
    pem += is_escaped_break ? '\n' : text[at];
    if (is_escaped_break) ++at;
  }
  const std::unique_ptr<BIO, Release<BIO_free>> memory(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
  if (!memory) throw std::runtime_error("out of memory");
  return owned(PEM_read_bio_PrivateKey(memory.get(), nullptr, nullptr, nullptr));
}

SharedKey read_der(std::string_view bytes) {
  const auto* at = unsigned_bytes(bytes);
  return owned(d2i_AutoPrivateKey(nullptr, &at, static_cast<long>(bytes.size())));
}

bool is_p256(EVP_PKEY* key) {
  std::string name(64, '\0');
  std::size_t size = 0;
  if (EVP_PKEY_get_base_id(key) != EVP_PKEY_EC || EVP_PKEY_get_group_name(key, name.data(), name.size(), &size) != 1)
    return false;
  name.resize(size);
  return name == "prime256v1" || name == "P-256";
}

// JOSE's form of an ECDSA signature: r and s, 32 bytes each.
std::string raw_signature(std::string_view der) {
  const auto* at = unsigned_bytes(der);
  const std::unique_ptr<ECDSA_SIG, Release<ECDSA_SIG_free>> parsed(
      d2i_ECDSA_SIG(nullptr, &at, static_cast<long>(der.size())));
  std::string bytes(std::size_t{2} * p256_coordinate_length, '\0');
  auto* out = reinterpret_cast<unsigned char*>(bytes.data());
  if (!parsed || BN_bn2binpad(ECDSA_SIG_get0_r(parsed.get()), out, p256_coordinate_length) < 0 ||
      BN_bn2binpad(ECDSA_SIG_get0_s(parsed.get()), out + p256_coordinate_length, p256_coordinate_length) < 0)
    throw std::runtime_error("an ECDSA signature could not be read");
  return bytes;
}

// In base64url, as JWKs have them.
std::string coordinate(EVP_PKEY* key, const char* name) {
  BIGNUM* number = nullptr;
  std::string bytes(p256_coordinate_length, '\0');
  const bool is_read = EVP_PKEY_get_bn_param(key, name, &number) == 1;
  const std::unique_ptr<BIGNUM, Release<BN_free>> owner(number);
  if (!is_read || BN_bn2binpad(number, reinterpret_cast<unsigned char*>(bytes.data()), p256_coordinate_length) < 0)
    throw std::runtime_error("a public key could not be read");
  return to_base64url(bytes);
}

}  // namespace

std::optional<JwtSigner> JwtSigner::from_text(std::string_view text) {
  if (text.starts_with("-----BEGIN")) {
    auto key = read_pem(text);
    if (!key || !is_p256(key.get())) return std::nullopt;
    return JwtSigner(std::move(key), false);
  }
  const auto bytes = base64_bytes(text);
  if (bytes.size() == ed25519_secret_bytes) {
    auto key = owned(EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, nullptr, unsigned_bytes(bytes), seed_bytes));
    if (!key) return std::nullopt;
    return JwtSigner(std::move(key), true);
  }
  auto key = bytes.empty() ? nullptr : read_der(bytes);
  if (!key || !is_p256(key.get())) return std::nullopt;
  return JwtSigner(std::move(key), false);
}

std::string JwtSigner::sign(boost::json::object header, const boost::json::object& claims) const {
  header["alg"] = is_ed25519_ ? "EdDSA" : "ES256";
  header["typ"] = "JWT";
  std::string text = to_base64url(boost::json::serialize(header)) + "." + to_base64url(boost::json::serialize(claims));
  const auto signature = to_base64url(signature_of(text));
  return text.append(".").append(signature);
}

boost::json::object JwtSigner::public_jwk() const {
  if (is_ed25519_) throw std::logic_error("the JWK of an Ed25519 key is not needed anywhere");
  return {{"crv", "P-256"},
          {"kty", "EC"},
          {"x", coordinate(key_.get(), OSSL_PKEY_PARAM_EC_PUB_X)},
          {"y", coordinate(key_.get(), OSSL_PKEY_PARAM_EC_PUB_Y)}};
}

std::string JwtSigner::signature_of(std::string_view text) const {
  const std::unique_ptr<EVP_MD_CTX, Release<EVP_MD_CTX_free>> context(EVP_MD_CTX_new());
  const auto* digest = is_ed25519_ ? nullptr : EVP_sha256();
  std::size_t size = 0;
  if (!context || EVP_DigestSignInit(context.get(), nullptr, digest, nullptr, key_.get()) != 1 ||
      EVP_DigestSign(context.get(), nullptr, &size, unsigned_bytes(text), text.size()) != 1)
    throw std::runtime_error("a token could not be signed");
  std::string signature(size, '\0');
  if (EVP_DigestSign(context.get(), reinterpret_cast<unsigned char*>(signature.data()), &size, unsigned_bytes(text),
                     text.size()) != 1)
    throw std::runtime_error("a token could not be signed");
  signature.resize(size);
  return is_ed25519_ ? signature : raw_signature(signature);
}

}  // namespace crypto
