#include "tests/fuzz/identity_targets.h"

#include <algorithm>
#include <string>

#include "appliance/foundation/crypto/cbor.h"
#include "appliance/foundation/crypto/jwt.h"
#include "appliance/foundation/crypto/random.h"
#include "appliance/identity/wallet_sign_in/message.h"
#include "appliance/identity/webauthn/authenticator_data.h"
#include "appliance/identity/webauthn/client_data.h"
#include "tests/fuzz/require.h"
#include "web/json.h"

namespace fuzz {

namespace {

constexpr std::string_view relying_party = "box.example.org";

void cbor(std::string_view bytes) {
  crypto::CborReader reader(bytes), again(bytes);
  while (reader.skip()) {
    require(!reader.failed() && reader.position() > again.position(), "an item has at least a byte");
    require(again.skip() && again.position() == reader.position(), "an item ends where it ends");
    if (reader.at_end()) return;
  }
  require(reader.failed() && !reader.integer() && !reader.text() && !reader.map(), "what failed stays failed");
}

void authenticator_data(std::string_view bytes) {
  const auto data = crypto::sha256(relying_party) + std::string(bytes);
  const auto read = ::webauthn::parse_authenticator_data(data, relying_party);
  if (!read) {
    require(read.error().message.find("authenticatorData") != std::string::npos, "a refusal names the field");
    return;
  }
  if (!read->credential) return;
  require(!read->credential->id.empty() && read->credential->id.size() <= ::webauthn::max_id_bytes, "an id is bounded");
  require(::webauthn::stored_key(read->credential->public_key).has_value(), "a key that was taken can be read again");
}

void client_data(std::string_view bytes) {
  const ::webauthn::RelyingParty party{.id = std::string(relying_party),
                                       .is_origin = [](std::string_view origin) { return origin.size() > 8; }};
  const auto challenge = ::webauthn::challenge_of(bytes, ::webauthn::creation, party);
  if (!challenge) require(challenge.error().kind == web::Kind::invalid, "a refusal is the client's fault");
}

// The text up to the times, which may be written in several ways.
std::string head_of(const wallet_sign_in::Message& message, std::string_view address) {
  std::string text = message.scheme.empty() ? "" : message.scheme + "://";
  text += message.domain + " wants you to sign in with your Ethereum account:\n" + std::string(address) + "\n\n";
  if (!message.statement.empty()) text += message.statement + "\n";
  text += "\nURI: " + message.uri + "\nVersion: 1\nChain ID: ";
  return text;
}

}  // namespace

void webauthn(std::string_view bytes) {
  if (bytes.empty()) return;
  const auto rest = bytes.substr(1);
  switch (bytes.front() % 4) {
    case 0:
      return cbor(rest);
    case 1:
      return authenticator_data(rest);
    case 2:
      (void)::webauthn::stored_key(rest);
      return;
    default:
      return client_data(rest);
  }
}

void jwt(std::string_view bytes) {
  const auto text = bytes.substr(0, bytes.find('\0'));
  const auto keys = crypto::parse_key_set(bytes.substr(std::min(bytes.size(), text.size() + 1)));
  const auto token = crypto::UnverifiedJwt::parse(text);
  if (!token) {
    require(token.error().kind == web::Kind::invalid && !token.error().message.empty(), "a refusal says why");
    return;
  }
  require(std::ranges::count(text, '.') == 2, "a token has three parts");
  (void)web::string_member(token->claims(), "sub");
  (void)crypto::time_claim(token->claims(), "exp");
  (void)crypto::audience(token->claims());
  if (!keys) return;
  if (const auto* key = token->key_in(*keys)) {
    require(key->algorithm() == token->algorithm(), "a key is for the token's algorithm");
    (void)token->signed_by(*key);
  }
}

void siwe(std::string_view bytes) {
  const auto message = wallet_sign_in::parse_message(bytes);
  if (!message) {
    require(message.error().kind == web::Kind::invalid && !message.error().message.empty(), "a refusal says why");
    return;
  }
  const auto second = bytes.substr(bytes.find('\n') + 1);
  const auto head = head_of(*message, second.substr(0, second.find('\n')));
  require(bytes.starts_with(head), "the text is what its fields make");
  const auto count = std::ranges::count(bytes, '\n');
  const auto optional = (message->expires_at ? 1 : 0) + (message->not_before ? 1 : 0) + (message->request_id ? 1 : 0);
  require(count <= 9 + 1 + optional + 1 + std::ptrdiff_t(message->resources.size()), "every line is a field's");
}

}  // namespace fuzz
