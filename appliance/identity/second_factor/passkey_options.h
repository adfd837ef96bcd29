// The options for the browser, in the JSON that PublicKeyCredential.parseCreationOptionsFromJSON() and
// parseRequestOptionsFromJSON() read: bytes as base64url without padding, times in milliseconds.
#pragma once

#include <boost/describe.hpp>
#include <cstdint>
#include <string>
#include <vector>

namespace second_factor {

struct Descriptor {
  std::string type = "public-key", id;
  std::vector<std::string> transports;
};
BOOST_DESCRIBE_STRUCT(Descriptor, (), (type, id, transports))

struct PartyName {
  std::string id, name;
};
BOOST_DESCRIBE_STRUCT(PartyName, (), (id, name))

struct UserName {
  std::string id, name, displayName;
};
BOOST_DESCRIBE_STRUCT(UserName, (), (id, name, displayName))

struct Algorithm {
  std::string type = "public-key";
  std::int64_t alg = 0;
};
BOOST_DESCRIBE_STRUCT(Algorithm, (), (type, alg))

struct Selection {
  std::string residentKey = "discouraged", userVerification = "preferred";
};
BOOST_DESCRIBE_STRUCT(Selection, (), (residentKey, userVerification))

struct CreationOptions {
  PartyName rp;
  UserName user;
  std::string challenge;
  std::vector<Algorithm> pubKeyCredParams;
  std::int64_t timeout = 0;
  std::vector<Descriptor> excludeCredentials;
  Selection authenticatorSelection;
  std::string attestation = "none";
};
BOOST_DESCRIBE_STRUCT(CreationOptions, (),
                      (rp, user, challenge, pubKeyCredParams, timeout, excludeCredentials, authenticatorSelection,
                       attestation))

struct RequestOptions {
  std::string challenge, rpId;
  std::int64_t timeout = 0;
  std::string userVerification = "preferred";
  std::vector<Descriptor> allowCredentials;
};
BOOST_DESCRIBE_STRUCT(RequestOptions, (), (challenge, rpId, timeout, userVerification, allowCredentials))

}  // namespace second_factor
