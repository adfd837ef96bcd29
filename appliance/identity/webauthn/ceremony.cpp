#include "appliance/identity/webauthn/ceremony.h"

#include "appliance/foundation/crypto/base64url.h"
#include "appliance/foundation/crypto/cose.h"
#include "appliance/foundation/crypto/random.h"
#include "appliance/identity/webauthn/client_data.h"

namespace webauthn {

namespace {

constexpr std::string_view credential_type = "public-key";

web::Result<std::string> decoded(std::string_view text, std::string_view field) {
  auto bytes = crypto::from_base64url(text);
  if (!bytes) return web::invalid(std::string(field) + " is not base64url without padding");
  return std::move(*bytes);
}

struct Attestation {
  std::string_view format, authenticator_data;
  std::optional<std::int64_t> algorithm;  // of the statement
  std::string_view signature;
  bool is_empty = true;  // the statement
};

// alg and sig of a statement; false if it holds anything else, such as a chain of certificates.
bool read_statement(crypto::CborReader& reader, Attestation& read) {
  const auto count = reader.map();
  if (!count) return false;
  read.is_empty = *count == 0;
  for (std::uint64_t field = 0; field < *count; ++field) {
    const auto name = reader.text();
    if (!name) return false;
    if (*name == "alg" && !read.algorithm)
      read.algorithm = reader.integer();
    else if (*name == "sig" && read.signature.empty())
      read.signature = reader.string().value_or("");
    else
      return false;
    if (reader.failed()) return false;
  }
  return true;
}

// A map of three: fmt, attStmt, authData, in canonical order with nothing after it. The views are into `bytes`.
std::optional<Attestation> read_attestation(std::string_view bytes) {
  crypto::CborReader reader(bytes);
  Attestation read;
  if (reader.map() != 3 || reader.text() != "fmt") return std::nullopt;
  read.format = reader.text().value_or("");
  if (reader.text() != "attStmt" || !read_statement(reader, read) || reader.text() != "authData") return std::nullopt;
  read.authenticator_data = reader.string().value_or("");
  if (!reader.at_end()) return std::nullopt;
  return read;
}

// Sections 8.7 and 8.2 ("self attestation").
bool is_acceptable(const Attestation& attestation, const crypto::VerificationKey& key,
                   const std::string& client_data_hash) {
  if (attestation.format == "none") return attestation.is_empty;
  return attestation.format == "packed" && attestation.algorithm == crypto::cose_algorithm(key.algorithm()) &&
         key.verify_asn1(std::string(attestation.authenticator_data) + client_data_hash, attestation.signature);
}

}  // namespace

bool is_valid_counter(std::uint32_t stored, std::uint32_t received) {
  return (stored == 0 && received == 0) || received > stored;
}

web::Result<Registered> verify_registration(const Created& made, const RelyingParty& party,
                                            const IsChallenge& is_challenge) {
  if (made.type != credential_type) return web::invalid("type must be public-key");
  const auto client_data = decoded(made.response.clientDataJSON, "clientDataJSON");
  if (!client_data) return client_data.error();
  auto challenge = challenge_of(*client_data, creation, party);
  if (!challenge) return challenge.error();
  if (!is_challenge(*challenge)) return web::invalid("clientDataJSON has an unknown challenge, or one that is too old");

  const auto object = decoded(made.response.attestationObject, "attestationObject");
  if (!object) return object.error();
  const auto attestation = read_attestation(*object);
  if (!attestation) return web::invalid("attestationObject cannot be read");
  auto data = parse_authenticator_data(attestation->authenticator_data, party.id);
  if (!data) return data.error();
  if (!data->credential) return web::invalid("authenticatorData has no credential");
  if (made.id != crypto::to_base64url(data->credential->id)) return web::invalid("id is not that of authenticatorData");
  if (!is_acceptable(*attestation, data->credential->key, crypto::sha256(*client_data)))
    return web::invalid("attestationObject has an attestation that was not asked for, or a false one");
  return Registered{.id = std::move(data->credential->id),
                    .public_key = std::move(data->credential->public_key),
                    .sign_count = data->sign_count,
                    .challenge = std::move(*challenge)};
}

web::Result<VerifiedAssertion> verify_assertion(const Asserted& given, const KnownCredential& known,
                                                const RelyingParty& party, const IsChallenge& is_challenge) {
  if (given.type != credential_type) return web::invalid("type must be public-key");
  if (given.response.userHandle && !given.response.userHandle->empty() &&
      *given.response.userHandle != crypto::to_base64url(known.user_handle))
    return web::invalid("userHandle names another user");
  const auto client_data = decoded(given.response.clientDataJSON, "clientDataJSON");
  if (!client_data) return client_data.error();
  auto challenge = challenge_of(*client_data, assertion, party);
  if (!challenge) return challenge.error();
  if (!is_challenge(*challenge)) return web::invalid("clientDataJSON has an unknown challenge, or one that is too old");

  const auto bytes = decoded(given.response.authenticatorData, "authenticatorData");
  if (!bytes) return bytes.error();
  const auto data = parse_authenticator_data(*bytes, party.id);
  if (!data) return data.error();
  const auto signature = decoded(given.response.signature, "signature");
  if (!signature) return signature.error();
  const auto key = stored_key(known.public_key);
  if (!key || !key->verify_asn1(*bytes + crypto::sha256(*client_data), *signature))
    return web::invalid("signature is wrong");
  if (!is_valid_counter(known.sign_count, data->sign_count))
    return web::invalid("authenticatorData has a counter that went back: there may be a copy of this passkey");
  return VerifiedAssertion{.sign_count = data->sign_count, .challenge = std::move(*challenge)};
}

}  // namespace webauthn
