// The two ceremonies of Web Authentication Level 2, judged as sections 7.1 and 7.2 have it; nothing is stored here.
#pragma once

#include <boost/describe.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "appliance/identity/webauthn/authenticator_data.h"
#include "appliance/identity/webauthn/relying_party.h"
#include "web/fields.h"
#include "web/result.h"

namespace webauthn {

// What a browser makes of navigator.credentials.create(), as PublicKeyCredential.toJSON() writes it: bytes as base64url
// without padding. Further fields of it are ignored.
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

// The same of navigator.credentials.get().
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
  std::string challenge;  // raw bytes, to be spent
};
// invalid, naming the field. Attestation is not asked for: "none" is taken, and "packed" made with the credential's own
// key, which browsers pass on unasked, when its signature is right. Whether the id is free is for the caller.
web::Result<Registered> verify_registration(const Created&, const RelyingParty&, const IsChallenge&);

// What is known about the credential of an assertion.
struct KnownCredential {
  std::string public_key;  // raw bytes, of Registered
  std::uint32_t sign_count = 0;
  std::string user_handle;  // raw bytes: what the authenticator was told of its user
};
struct Proved {
  std::uint32_t sign_count = 0;  // to be kept
  std::string challenge;
};
// The credential's id has been looked up already. invalid, naming the field; also when the counter does not go up,
// which says that there are two copies of the key.
web::Result<Proved> verify_assertion(const Asserted&, const KnownCredential&, const RelyingParty&, const IsChallenge&);

// Both count from 0, or the second is higher. 0 is what authenticators say that do not count.
bool is_counting_on(std::uint32_t kept, std::uint32_t said);

}  // namespace webauthn
