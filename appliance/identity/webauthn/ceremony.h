// Verifies the two ceremonies of Web Authentication Level 2 (sections 7.1 and 7.2). Nothing is stored here.
#pragma once

#include <boost/describe.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "appliance/identity/webauthn/authenticator_data.h"
#include "appliance/identity/webauthn/relying_party.h"
#include "web/result.h"
#include "web/routes/fields.h"

namespace webauthn {

// The result of navigator.credentials.create(), as PublicKeyCredential.toJSON() writes it: bytes as base64url without
// padding. Other fields are ignored.
struct CreationResponse {
  web::Text<1, 4096> clientDataJSON;
  web::Text<1, 16'384> attestationObject;
  std::optional<web::List<web::Text<1, 32>, 0, 8>> transports;
};
BOOST_DESCRIBE_STRUCT(CreationResponse, (), (clientDataJSON, attestationObject, transports))
struct Created {
  web::Text<1, 1364> id;
  web::Text<1, 20> type;
  CreationResponse response;
};
BOOST_DESCRIBE_STRUCT(Created, (), (id, type, response))

// The result of navigator.credentials.get().
struct AssertionResponse {
  web::Text<1, 4096> clientDataJSON;
  web::Text<1, 8192> authenticatorData;
  web::Text<1, 2048> signature;
  std::optional<web::Text<0, 128>> userHandle;
};
BOOST_DESCRIBE_STRUCT(AssertionResponse, (), (clientDataJSON, authenticatorData, signature, userHandle))
struct Asserted {
  web::Text<1, 1364> id;
  web::Text<1, 20> type;
  AssertionResponse response;
};
BOOST_DESCRIBE_STRUCT(Asserted, (), (id, type, response))

struct Registered {
  std::string id, public_key;  // raw bytes
  std::uint32_t sign_count = 0;
  std::string challenge;  // raw bytes, to be marked as used
};
// invalid, naming the field. Attestation is not requested: accepted are "none", and "packed" self attestation with a
// valid signature, which some browsers send unasked. The caller checks whether the id is free.
web::Result<Registered> verify_registration(const Created&, const RelyingParty&, const IsChallenge&);

// What is known about the credential of an assertion.
struct KnownCredential {
  std::string public_key;  // raw bytes, of Registered
  std::uint32_t sign_count = 0;
  std::string user_handle;  // raw bytes, as in the creation options
};
struct VerifiedAssertion {
  std::uint32_t sign_count = 0;  // to be stored
  std::string challenge;
};
// The caller has looked up the credential by its id. invalid, naming the field; also if the counter does not increase,
// which means that there may be a copy of the key.
web::Result<VerifiedAssertion> verify_assertion(const Asserted&, const KnownCredential&, const RelyingParty&,
                                                const IsChallenge&);

// Whether the counter has increased, or both are 0: authenticators without a counter send 0.
bool is_valid_counter(std::uint32_t stored, std::uint32_t received);

}  // namespace webauthn
