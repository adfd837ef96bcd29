#include "appliance/foundation/crypto/verification_key.h"

#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/param_build.h>
#include <openssl/rsa.h>

#include <algorithm>

#include "appliance/foundation/crypto/base64url.h"
#include "web/json.h"
#include "web/routes/fields.h"

namespace crypto {

namespace {

using Params = std::unique_ptr<OSSL_PARAM, decltype(&OSSL_PARAM_free)>;
using Number = std::unique_ptr<BIGNUM, decltype(&BN_free)>;

constexpr std::size_t p256_coordinate_bytes = 32, ed25519_key_bytes = 32;
constexpr int rsa_bits_min = 2048, rsa_bits_max = 8192;

std::string bytes_member(const boost::json::object& jwk, std::string_view name) {
  return from_base64url(web::string_member(jwk, name)).value_or("");
}

// In RFC 7517 `use`, `key_ops` and `alg` are optional and restrict the key.
bool is_for_verifying(const boost::json::object& jwk, std::string_view algorithm) {
  if (jwk.contains("use") && web::string_member(jwk, "use") != "sig") return false;
  if (jwk.contains("alg") && web::string_member(jwk, "alg") != algorithm) return false;
  if (const auto* operations = jwk.if_contains("key_ops")) {
    if (!operations->is_array()) return false;
    const auto& named = operations->get_array();
    if (std::ranges::find(named, boost::json::value("verify")) == named.end()) return false;
  }
  return !jwk.contains("d") && !jwk.contains("k");
}

std::shared_ptr<EVP_PKEY> key_from(const char* type, const Params& params) {
  const std::unique_ptr<EVP_PKEY_CTX, decltype(&EVP_PKEY_CTX_free)> context(
      EVP_PKEY_CTX_new_from_name(nullptr, type, nullptr), EVP_PKEY_CTX_free);
  EVP_PKEY* key = nullptr;
  if (!params || EVP_PKEY_fromdata_init(context.get()) != 1 ||
      EVP_PKEY_fromdata(context.get(), &key, EVP_PKEY_PUBLIC_KEY, params.get()) != 1)
    return nullptr;
  return {key, EVP_PKEY_free};
}

Number number(std::string_view bytes) {
  return {BN_bin2bn(reinterpret_cast<const unsigned char*>(bytes.data()), static_cast<int>(bytes.size()), nullptr),
          BN_free};
}

std::shared_ptr<EVP_PKEY> rsa_key(std::string_view n, std::string_view e) {
  if (n.size() > rsa_bits_max / 8 + 1 || e.size() > 8) return nullptr;
  const Number modulus = number(n), exponent = number(e);
  const int bits = BN_num_bits(modulus.get());
  if (bits < rsa_bits_min || bits > rsa_bits_max || !BN_is_odd(modulus.get())) return nullptr;
  if (!BN_is_odd(exponent.get()) || BN_is_one(exponent.get()) || BN_num_bits(exponent.get()) > 32) return nullptr;
  const std::unique_ptr<OSSL_PARAM_BLD, decltype(&OSSL_PARAM_BLD_free)> builder(OSSL_PARAM_BLD_new(),
                                                                                OSSL_PARAM_BLD_free);
  OSSL_PARAM_BLD_push_BN(builder.get(), OSSL_PKEY_PARAM_RSA_N, modulus.get());
  OSSL_PARAM_BLD_push_BN(builder.get(), OSSL_PKEY_PARAM_RSA_E, exponent.get());
  return key_from("RSA", Params(OSSL_PARAM_BLD_to_param(builder.get()), OSSL_PARAM_free));
}

std::shared_ptr<EVP_PKEY> p256_key(std::string_view x, std::string_view y) {
  if (x.size() != p256_coordinate_bytes || y.size() != p256_coordinate_bytes) return nullptr;
  const std::string point = "\x04" + std::string(x) + std::string(y);
  const std::unique_ptr<OSSL_PARAM_BLD, decltype(&OSSL_PARAM_BLD_free)> builder(OSSL_PARAM_BLD_new(),
                                                                                OSSL_PARAM_BLD_free);
  OSSL_PARAM_BLD_push_utf8_string(builder.get(), OSSL_PKEY_PARAM_GROUP_NAME, "prime256v1", 0);
  OSSL_PARAM_BLD_push_octet_string(builder.get(), OSSL_PKEY_PARAM_PUB_KEY, point.data(), point.size());
  // A point off the curve is refused here.
  return key_from("EC", Params(OSSL_PARAM_BLD_to_param(builder.get()), OSSL_PARAM_free));
}

std::shared_ptr<EVP_PKEY> ed25519_key(std::string_view x) {
  if (x.size() != ed25519_key_bytes) return nullptr;
  return {EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nullptr, reinterpret_cast<const unsigned char*>(x.data()),
                                      x.size()),
          EVP_PKEY_free};
}

// RFC 7518, 3.5: the salt is as long as the digest, which is also that of the mask.
bool set_pss(EVP_PKEY_CTX* context) {
  return EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_PSS_PADDING) == 1 &&
         EVP_PKEY_CTX_set_rsa_pss_saltlen(context, RSA_PSS_SALTLEN_DIGEST) == 1;
}

// OpenSSL accepts ECDSA signatures in DER only. Empty unless the signature has 64 bytes.
std::string der_of(std::string_view signature) {
  if (signature.size() != 2 * p256_coordinate_bytes) return {};
  const std::unique_ptr<ECDSA_SIG, decltype(&ECDSA_SIG_free)> pair(ECDSA_SIG_new(), ECDSA_SIG_free);
  Number r = number(signature.substr(0, p256_coordinate_bytes));
  Number s = number(signature.substr(p256_coordinate_bytes));
  ECDSA_SIG_set0(pair.get(), r.release(), s.release());
  std::string der(static_cast<std::size_t>(i2d_ECDSA_SIG(pair.get(), nullptr)), '\0');
  auto* end = reinterpret_cast<unsigned char*>(der.data());
  i2d_ECDSA_SIG(pair.get(), &end);
  return der;
}

}  // namespace

std::optional<SignatureAlgorithm> signature_algorithm(std::string_view name) {
  if (name == "RS256") return SignatureAlgorithm::RS256;
  if (name == "PS256") return SignatureAlgorithm::PS256;
  if (name == "ES256") return SignatureAlgorithm::ES256;
  if (name == "EdDSA") return SignatureAlgorithm::EdDSA;
  return std::nullopt;
}

std::optional<VerificationKey> VerificationKey::rsa(std::string id, std::string_view modulus,
                                                    std::string_view exponent) {
  auto key = rsa_key(modulus, exponent);
  if (!key) return std::nullopt;
  return VerificationKey(std::move(id), SignatureAlgorithm::RS256, std::move(key));
}

std::optional<VerificationKey> VerificationKey::p256(std::string id, std::string_view x, std::string_view y) {
  auto key = p256_key(x, y);
  if (!key) return std::nullopt;
  return VerificationKey(std::move(id), SignatureAlgorithm::ES256, std::move(key));
}

std::vector<VerificationKey> VerificationKey::from_jwk(const boost::json::object& jwk) {
  const std::string type = web::string_member(jwk, "kty"), id = web::string_member(jwk, "kid"),
                    curve = web::string_member(jwk, "crv");
  std::vector<VerificationKey> keys;
  const auto add = [&](std::string_view name, const std::shared_ptr<EVP_PKEY>& key) {
    if (key && is_for_verifying(jwk, name)) keys.push_back(VerificationKey(id, *signature_algorithm(name), key));
  };
  if (type == "RSA") {
    const auto key = rsa_key(bytes_member(jwk, "n"), bytes_member(jwk, "e"));
    add("RS256", key);
    add("PS256", key);
  } else if (type == "EC" && curve == "P-256") {
    add("ES256", p256_key(bytes_member(jwk, "x"), bytes_member(jwk, "y")));
  } else if (type == "OKP" && curve == "Ed25519") {
    add("EdDSA", ed25519_key(bytes_member(jwk, "x")));
  }
  return keys;
}

bool VerificationKey::verify(std::string_view message, std::string_view signature) const {
  return verify_asn1(message, algorithm_ == SignatureAlgorithm::ES256 ? der_of(signature) : std::string(signature));
}

bool VerificationKey::verify_asn1(std::string_view message, std::string_view signature) const {
  const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context(EVP_MD_CTX_new(), EVP_MD_CTX_free);
  const char* digest = algorithm_ == SignatureAlgorithm::EdDSA ? nullptr : "SHA256";
  EVP_PKEY_CTX* options = nullptr;  // owned by the context
  return !signature.empty() &&
         EVP_DigestVerifyInit_ex(context.get(), &options, digest, nullptr, nullptr, key_.get(), nullptr) == 1 &&
         (algorithm_ != SignatureAlgorithm::PS256 || set_pss(options)) &&
         EVP_DigestVerify(context.get(), reinterpret_cast<const unsigned char*>(signature.data()), signature.size(),
                          reinterpret_cast<const unsigned char*>(message.data()), message.size()) == 1;
}

web::Result<std::vector<VerificationKey>> parse_key_set(std::string_view text) {
  const auto document = web::parse_json(text, "The key set");
  if (!document) return document.error();
  const auto* keys = document->is_object() ? document->get_object().if_contains("keys") : nullptr;
  if (keys == nullptr || !keys->is_array()) return web::invalid("The key set has no keys");
  std::vector<VerificationKey> set;
  for (const auto& jwk : keys->get_array()) {
    if (!jwk.is_object()) continue;
    for (auto& key : VerificationKey::from_jwk(jwk.get_object())) set.push_back(std::move(key));
  }
  return set;
}

}  // namespace crypto
