// A third party's token issuer: keys of any kind, their JWKS documents, and valid and invalid tokens signed with them.
#pragma once

#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/rsa.h>

#include <boost/json.hpp>
#include <memory>
#include <stdexcept>
#include <string>

#include "appliance/foundation/crypto/base64url.h"
#include "appliance/foundation/crypto/random.h"

namespace token_tests {

class SigningKey {
 public:
  static SigningKey rsa(std::string id, unsigned bits = 2048) {
    return {std::move(id), "RS256", EVP_PKEY_Q_keygen(nullptr, nullptr, "RSA", static_cast<std::size_t>(bits))};
  }
  static SigningKey pss(std::string id) {
    return {std::move(id), "PS256", EVP_PKEY_Q_keygen(nullptr, nullptr, "RSA", std::size_t{2048})};
  }
  static SigningKey ed25519(std::string id) {
    return {std::move(id), "EdDSA", EVP_PKEY_Q_keygen(nullptr, nullptr, "ED25519")};
  }
  static SigningKey ec(std::string id, const char* curve = "P-256") {
    return {std::move(id), "ES256", EVP_PKEY_Q_keygen(nullptr, nullptr, "EC", curve)};
  }

  boost::json::object jwk() const {
    if (algorithm_ == "EdDSA") {
      std::string x(32, '\0');
      std::size_t size = x.size();
      EVP_PKEY_get_raw_public_key(key_.get(), reinterpret_cast<unsigned char*>(x.data()), &size);
      return {{"kty", "OKP"}, {"crv", "Ed25519"}, {"kid", id_}, {"x", crypto::to_base64url(x)}};
    }
    if (algorithm_ != "ES256")
      return {{"kty", "RSA"}, {"kid", id_}, {"n", number(OSSL_PKEY_PARAM_RSA_N)}, {"e", number(OSSL_PKEY_PARAM_RSA_E)}};
    return {{"kty", "EC"},
            {"crv", "P-256"},
            {"kid", id_},
            {"x", number(OSSL_PKEY_PARAM_EC_PUB_X, 32)},
            {"y", number(OSSL_PKEY_PARAM_EC_PUB_Y, 32)}};
  }

  // The raw signature in JOSE's form.
  std::string sign(std::string_view text) const {
    const std::string signature = sign_asn1(text);
    return algorithm_ == "ES256" ? raw_pair(signature) : signature;
  }

  // The same as OpenSSL and WebAuthn have it.
  std::string sign_asn1(std::string_view text) const {
    const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context(EVP_MD_CTX_new(), EVP_MD_CTX_free);
    const auto* bytes = reinterpret_cast<const unsigned char*>(text.data());
    std::size_t size = 0;
    EVP_PKEY_CTX* options = nullptr;
    const char* digest = algorithm_ == "EdDSA" ? nullptr : "SHA256";
    EVP_DigestSignInit_ex(context.get(), &options, digest, nullptr, nullptr, key_.get(), nullptr);
    if (algorithm_ == "PS256") {
      EVP_PKEY_CTX_set_rsa_padding(options, RSA_PKCS1_PSS_PADDING);
      EVP_PKEY_CTX_set_rsa_pss_saltlen(options, RSA_PSS_SALTLEN_DIGEST);
    }
    EVP_DigestSign(context.get(), nullptr, &size, bytes, text.size());
    std::string signature(size, '\0');
    if (EVP_DigestSign(context.get(), reinterpret_cast<unsigned char*>(signature.data()), &size, bytes, text.size()) !=
        1)
      throw std::runtime_error("signing failed");
    signature.resize(size);
    return signature;
  }

  std::string token(const boost::json::object& claims) const {
    const boost::json::object header{{"alg", algorithm_}, {"kid", id_}};
    return token(boost::json::serialize(header), boost::json::serialize(claims));
  }
  // Any header and claims, signed as they are.
  std::string token(std::string_view header, std::string_view claims) const {
    const std::string text = crypto::to_base64url(header) + "." + crypto::to_base64url(claims);
    return text + "." + crypto::to_base64url(sign(text));
  }

 private:
  SigningKey(std::string id, std::string algorithm, EVP_PKEY* key)
      : id_(std::move(id)), algorithm_(std::move(algorithm)), key_(key, EVP_PKEY_free) {
    if (key == nullptr) throw std::runtime_error("no key was made");
  }

  std::string number(const char* name, int width = 0) const {
    BIGNUM* value = nullptr;
    if (EVP_PKEY_get_bn_param(key_.get(), name, &value) != 1) throw std::runtime_error("the key has no such number");
    const std::unique_ptr<BIGNUM, decltype(&BN_free)> owner(value, BN_free);
    std::string bytes(static_cast<std::size_t>(width > 0 ? width : BN_num_bytes(value)), '\0');
    BN_bn2binpad(value, reinterpret_cast<unsigned char*>(bytes.data()), static_cast<int>(bytes.size()));
    return crypto::to_base64url(bytes);
  }

  static std::string raw_pair(const std::string& der) {
    const auto* begin = reinterpret_cast<const unsigned char*>(der.data());
    const std::unique_ptr<ECDSA_SIG, decltype(&ECDSA_SIG_free)> pair(
        d2i_ECDSA_SIG(nullptr, &begin, static_cast<long>(der.size())), ECDSA_SIG_free);
    std::string raw(64, '\0');
    BN_bn2binpad(ECDSA_SIG_get0_r(pair.get()), reinterpret_cast<unsigned char*>(raw.data()), 32);
    BN_bn2binpad(ECDSA_SIG_get0_s(pair.get()), reinterpret_cast<unsigned char*>(raw.data()) + 32, 32);
    return raw;
  }

  std::string id_, algorithm_;
  std::shared_ptr<EVP_PKEY> key_;
};

inline std::string key_set(std::initializer_list<boost::json::object> keys) {
  boost::json::array list;
  for (const auto& key : keys) list.push_back(key);
  return boost::json::serialize(boost::json::object{{"keys", list}});
}

}  // namespace token_tests
