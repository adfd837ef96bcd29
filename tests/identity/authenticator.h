// A software authenticator, with a switch for each possible fault.
#pragma once

#include <boost/json.hpp>
#include <string>

#include "appliance/foundation/crypto/random.h"
#include "appliance/identity/webauthn/ceremony.h"
#include "tests/support/cbor_writer.h"
#include "tests/support/token_issuer.h"

namespace authenticator_tests {

inline std::string field_of(const token_tests::SigningKey& key, std::string_view name) {
  return crypto::from_base64url(std::string(key.jwk().at(name).get_string())).value();
}

inline std::string ec_key(const token_tests::SigningKey& key, std::int64_t algorithm = -7, std::int64_t curve = 1) {
  using namespace cbor_tests;
  return map(5) + number(1) + number(2) + number(3) + number(algorithm) + number(-1) + number(curve) + number(-2) +
         bytes(field_of(key, "x")) + number(-3) + bytes(field_of(key, "y"));
}
inline std::string rsa_key(const token_tests::SigningKey& key, std::int64_t algorithm = -257) {
  using namespace cbor_tests;
  return map(4) + number(1) + number(3) + number(3) + number(algorithm) + number(-1) + bytes(field_of(key, "n")) +
         number(-2) + bytes(field_of(key, "e"));
}

struct Authenticator {
  token_tests::SigningKey key = token_tests::SigningKey::ec("");
  std::string public_key = ec_key(key);
  std::string id = crypto::random_bytes(32), user_handle;
  std::uint32_t counter = 1;

  // What the browser and the authenticator take from the page.
  std::string party = "box.example.org", origin = "https://box.example.org";
  std::string creation_type = "webauthn.create", assertion_type = "webauthn.get";
  boost::json::object more_client_data;  // crossOrigin, tokenBinding, ...
  unsigned flags = 1;                    // user present
  std::string extensions, trailing;      // behind the authenticator data
  std::string format = "none", statement = cbor_tests::map(0);
  bool attests_itself = false;  // packed, with its own key

  std::string client_data(const std::string& type, std::string_view challenge) const {
    boost::json::object data{{"type", type}, {"challenge", crypto::to_base64url(challenge)}, {"origin", origin}};
    for (const auto& [name, value] : more_client_data) data[name] = value;
    return boost::json::serialize(data);
  }
  std::string data(bool with_credential) const {
    std::string data = crypto::sha256(party);
    data += static_cast<char>(flags | (with_credential ? 64 : 0) | (extensions.empty() ? 0 : 128));
    for (int shift = 24; shift >= 0; shift -= 8) data += static_cast<char>(counter >> shift);
    if (with_credential) {
      data += std::string(16, '\0');
      data += static_cast<char>(id.size() >> 8);
      data += static_cast<char>(id.size());
      data += id + public_key;
    }
    return data + extensions + trailing;
  }
  std::string attestation(const std::string& client_data) const {
    using namespace cbor_tests;
    const std::string data = this->data(true);
    const std::string self =
        map(2) + text("alg") + number(-7) + text("sig") + bytes(key.sign_asn1(data + crypto::sha256(client_data)));
    return map(3) + text("fmt") + text(format) + text("attStmt") + (attests_itself ? self : statement) +
           text("authData") + bytes(data);
  }

  webauthn::Created create(std::string_view challenge) const {
    const std::string client_data = this->client_data(creation_type, challenge);
    return {.id = crypto::to_base64url(id),
            .type = "public-key",
            .response = {.clientDataJSON = crypto::to_base64url(client_data),
                         .attestationObject = crypto::to_base64url(attestation(client_data)),
                         .transports = std::nullopt}};
  }
  webauthn::Asserted get(std::string_view challenge) const {
    const std::string client_data = this->client_data(assertion_type, challenge), data = this->data(false);
    webauthn::Asserted given{
        .id = crypto::to_base64url(id),
        .type = "public-key",
        .response = {.clientDataJSON = crypto::to_base64url(client_data),
                     .authenticatorData = crypto::to_base64url(data),
                     .signature = crypto::to_base64url(key.sign_asn1(data + crypto::sha256(client_data))),
                     .userHandle = std::nullopt}};
    if (!user_handle.empty()) given.response.userHandle = crypto::to_base64url(user_handle);
    return given;
  }
};

}  // namespace authenticator_tests
