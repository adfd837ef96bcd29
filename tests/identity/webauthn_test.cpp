#include <gtest/gtest.h>

#include <random>

#include "appliance/foundation/crypto/cose.h"
#include "tests/identity/authenticator.h"

namespace webauthn_test {

using authenticator_tests::Authenticator;
using authenticator_tests::ec_key;
using authenticator_tests::rsa_key;
using token_tests::SigningKey;
using namespace cbor_tests;

const std::string challenge = "a challenge of thirty-two bytes.", handle = "the user's handle";
const webauthn::RelyingParty party{
    .id = "box.example.org", .is_origin = [](std::string_view origin) { return origin == "https://box.example.org"; }};
bool is_challenge(std::string_view given) { return given == challenge; }

// Empty if it was accepted, else the error message.
std::string registering(const webauthn::Created& made) {
  const auto verified = webauthn::verify_registration(made, party, is_challenge);
  return verified ? "" : verified.error().message;
}
std::string registering(const Authenticator& authenticator) { return registering(authenticator.create(challenge)); }

webauthn::KnownCredential known(const Authenticator& authenticator, std::uint32_t count = 0) {
  return {.public_key = authenticator.public_key, .sign_count = count, .user_handle = handle};
}
std::string asserting(const webauthn::Asserted& given, const webauthn::KnownCredential& credential) {
  const auto verified = webauthn::verify_assertion(given, credential, party, is_challenge);
  return verified ? "" : verified.error().message;
}
std::string asserting(const Authenticator& authenticator, std::uint32_t count = 0) {
  return asserting(authenticator.get(challenge), known(authenticator, count));
}

Authenticator rsa_authenticator() {
  auto key = SigningKey::rsa("");
  const std::string public_key = rsa_key(key);
  return {.key = std::move(key), .public_key = public_key};
}

// A fault in the browser's or the authenticator's part of either ceremony, and a part of its error message.
struct Wrong {
  std::string names;
  std::function<void(Authenticator&)> make;
};
const std::vector<Wrong> wrongs{
    {"another origin", [](auto& one) { one.origin = "https://box.example.org.evil.example"; }},
    {"another origin", [](auto& one) { one.origin = "http://box.example.org"; }},
    {"another origin", [](auto& one) { one.origin = "null"; }},
    {"frame", [](auto& one) { one.more_client_data["crossOrigin"] = true; }},
    {"clientDataJSON.crossOrigin", [](auto& one) { one.more_client_data["crossOrigin"] = "no"; }},
    {"token binding",
     [](auto& one) {
       one.more_client_data["tokenBinding"] = boost::json::object{{"status", "present"}};
     }},
    {"another ceremony", [](auto& one) { std::swap(one.creation_type, one.assertion_type); }},
    {"another ceremony", [](auto& one) { one.creation_type = one.assertion_type = "payment.get"; }},
    {"another site", [](auto& one) { one.party = "evil.example"; }},
    {"another site", [](auto& one) { one.party = "example.org"; }},
    {"no user presence", [](auto& one) { one.flags = 0; }},
    {"no user presence", [](auto& one) { one.flags = 4; }},
    {"behind its end", [](auto& one) { one.trailing = std::string(1, '\0'); }},
    {"extensions", [](auto& one) { one.extensions = number(7); }},
    {"extensions", [](auto& one) { one.extensions = map(2) + text("a") + number(1); }},
};

TEST(WebAuthn, BothAlgorithmsRegisterAndAssert) {
  for (const auto& authenticator : {Authenticator(), rsa_authenticator()}) {
    EXPECT_EQ(registering(authenticator), "");
    const auto made = webauthn::verify_registration(authenticator.create(challenge), party, is_challenge);
    EXPECT_EQ(made->id, authenticator.id);
    EXPECT_EQ(made->public_key, authenticator.public_key);
    EXPECT_EQ(made->sign_count, 1u);
    EXPECT_EQ(made->challenge, challenge);
    EXPECT_EQ(asserting(authenticator), "");
  }
}

TEST(WebAuthn, PermittedVariationsAreAccepted) {
  Authenticator authenticator;
  authenticator.flags = 1 | 4;  // verified
  authenticator.extensions = map(1) + text("credProtect") + number(2);
  authenticator.more_client_data = {{"crossOrigin", false},
                                    {"tokenBinding", boost::json::object{{"status", "supported"}}},
                                    {"other_keys_can_be_added_here", "ignored"}};
  authenticator.user_handle = handle;
  EXPECT_EQ(registering(authenticator), "");
  EXPECT_EQ(asserting(authenticator), "");
}

TEST(WebAuthn, EachFaultIsRefusedInBothCeremonies) {
  for (std::size_t n = 0; n < wrongs.size(); ++n) {
    Authenticator authenticator;
    wrongs[n].make(authenticator);
    EXPECT_NE(registering(authenticator).find(wrongs[n].names), std::string::npos) << n << registering(authenticator);
    EXPECT_NE(asserting(authenticator).find(wrongs[n].names), std::string::npos) << n << asserting(authenticator);
  }
}

TEST(WebAuthn, OnlyTheIssuedChallengeIsAccepted) {
  const Authenticator authenticator;
  for (const std::string& wrong : {std::string(), challenge + "x", challenge.substr(1), std::string(32, '\0')}) {
    EXPECT_NE(registering(authenticator.create(wrong)).find("challenge"), std::string::npos);
    EXPECT_NE(asserting(authenticator.get(wrong), known(authenticator)).find("challenge"), std::string::npos);
  }
}

TEST(WebAuthn, NoOtherKeysAreRegistered) {
  const auto p256 = SigningKey::ec("");
  const auto rsa = SigningKey::rsa("");
  const std::string x = authenticator_tests::field_of(p256, "x"), y = authenticator_tests::field_of(p256, "y");
  const std::string good = ec_key(p256);
  const std::string wrong[] = {
      ec_key(p256, -35),     // ES384
      ec_key(p256, -257),    // RS256 with a point
      ec_key(p256, -7, 2),   // P-384
      ec_key(p256, -7, 8),   // secp256k1
      rsa_key(rsa, -7),      // ES256 with a modulus
      rsa_key(rsa, -37),     // PS256
      rsa_key(rsa, -65535),  // RS1
      rsa_key(SigningKey::rsa("", 1024)),
      good.substr(0, good.size() - 35),  // without its y
      map(4) + number(1) + number(2) + number(-1) + number(1) + number(-2) + bytes(x) + number(-3) + bytes(y),
      map(5) + number(1) + number(2) + number(3) + number(-7) + number(-1) + number(1) + number(-2) +
          bytes(std::string(32, '\1')) + number(-3) + bytes(std::string(32, '\1')),  // off the curve
      map(5) + number(1) + number(2) + number(3) + number(-7) + number(-1) + number(1) + number(-2) +
          bytes(std::string(32, '\0')) + number(-3) + bytes(std::string(32, '\0')),
      map(6) + good.substr(1) + number(-4) + bytes(std::string(32, '\1')),  // with its private part
      map(6) + good.substr(1) + number(-3) + bytes(y),                      // a field twice
      map(0),
      number(1),
      std::string()};
  for (std::size_t n = 0; n < std::size(wrong); ++n) {
    Authenticator authenticator;
    authenticator.public_key = wrong[n];
    EXPECT_NE(registering(authenticator), "") << n;
  }
}

TEST(WebAuthn, AttestationIsNoneOrSelfAttestation) {
  Authenticator authenticator;
  authenticator.format = "packed";
  EXPECT_NE(registering(authenticator), "") << "an empty statement proves nothing";
  authenticator.attests_itself = true;
  EXPECT_EQ(registering(authenticator), "");
  authenticator.public_key = ec_key(SigningKey::ec(""));
  EXPECT_NE(registering(authenticator), "") << "made with another key";

  Authenticator claims;
  for (const std::string format : {"fido-u2f", "tpm", "android-key", "apple", "None", ""}) {
    claims.format = format;
    EXPECT_NE(registering(claims), "") << format;
  }
  claims.format = "none";
  claims.statement = map(1) + text("sig") + bytes("x");
  EXPECT_NE(registering(claims), "");
  claims.statement = number(0);
  EXPECT_NE(registering(claims), "");
}

TEST(WebAuthn, CredentialIdsAreBoundedAndMatch) {
  Authenticator authenticator;
  for (const std::size_t size : {std::size_t{1}, webauthn::max_id_bytes}) {
    authenticator.id = std::string(size, 'i');
    EXPECT_EQ(registering(authenticator), "") << size;
  }
  for (const std::size_t size : {std::size_t{0}, webauthn::max_id_bytes + 1}) {
    authenticator.id = std::string(size, 'i');
    EXPECT_NE(registering(authenticator), "") << size;
  }
  authenticator.id = "mine";
  auto made = authenticator.create(challenge);
  made.id = crypto::to_base64url("another");
  EXPECT_NE(registering(made), "");
  made = authenticator.create(challenge);
  made.type = "password";
  EXPECT_NE(registering(made), "");
}

// Every shorter length, and every bit.
TEST(WebAuthn, ATruncatedOrModifiedAttestationIsRefused) {
  const Authenticator authenticator;
  const auto good = authenticator.create(challenge);
  const std::string object = crypto::from_base64url(good.response.attestationObject).value();
  auto changed = good;
  for (std::size_t size = 0; size < object.size(); ++size) {
    changed.response.attestationObject = crypto::to_base64url(object.substr(0, size));
    EXPECT_NE(registering(changed), "") << size;
  }
  changed.response.attestationObject = crypto::to_base64url(object + '\0');
  EXPECT_NE(registering(changed), "");
  changed.response.attestationObject = crypto::to_base64url(object) + "=";
  EXPECT_NE(registering(changed), "");
  // With attestation `none` nothing is signed: only the model, the counter and unused flags may change.
  const std::size_t data = object.find(crypto::sha256("box.example.org"));
  for (std::size_t bit = 0; bit < object.size() * 8; ++bit) {
    std::string touched = object;
    touched[bit / 8] = static_cast<char>(touched[bit / 8] ^ (1 << bit % 8));
    changed.response.attestationObject = crypto::to_base64url(touched);
    const std::size_t at = bit / 8;
    const bool is_free =
        (at > data + 32 && at < data + 53) || (at == data + 32 && bit % 8 != 0 && bit % 8 != 6 && bit % 8 != 7);
    if (is_free) continue;
    EXPECT_NE(registering(changed), "") << "bit " << bit % 8 << " of byte " << at;
  }
}

TEST(WebAuthn, EveryModifiedBitOfAnAssertionIsDetected) {
  for (const auto& authenticator : {Authenticator(), rsa_authenticator()}) {
    const auto good = authenticator.get(challenge);
    const auto credential = known(authenticator);
    ASSERT_EQ(asserting(good, credential), "");
    const auto touch_all = [&](auto field) {
      const std::string bytes = crypto::from_base64url(good.response.*field).value();
      auto changed = good;
      for (std::size_t bit = 0; bit < bytes.size() * 8; ++bit) {
        std::string touched = bytes;
        touched[bit / 8] = static_cast<char>(touched[bit / 8] ^ (1 << bit % 8));
        changed.response.*field = crypto::to_base64url(touched);
        EXPECT_NE(asserting(changed, credential), "") << bit;
      }
      for (std::size_t size = 0; size < bytes.size(); ++size) {
        changed.response.*field = crypto::to_base64url(bytes.substr(0, size));
        EXPECT_NE(asserting(changed, credential), "") << size;
      }
    };
    touch_all(&webauthn::AssertionResponse::authenticatorData);
    touch_all(&webauthn::AssertionResponse::clientDataJSON);
    touch_all(&webauthn::AssertionResponse::signature);
  }
}

TEST(WebAuthn, ASignatureIsMadeWithTheCredentialsKeyInDer) {
  const Authenticator authenticator, other;
  EXPECT_NE(asserting(authenticator.get(challenge), known(other)), "") << "another key";
  auto raw = authenticator.get(challenge);
  const std::string signed_bytes = crypto::from_base64url(raw.response.authenticatorData).value() +
                                   crypto::sha256(crypto::from_base64url(raw.response.clientDataJSON).value());
  raw.response.signature = crypto::to_base64url(authenticator.key.sign(signed_bytes));
  EXPECT_NE(asserting(raw, known(authenticator)), "") << "JOSE's form";
  auto longer = authenticator.get(challenge);
  longer.response.signature = crypto::to_base64url(crypto::from_base64url(longer.response.signature).value() + '\0');
  EXPECT_NE(asserting(longer, known(authenticator)), "") << "a trailing byte";
  auto broken = known(authenticator);
  broken.public_key += '\0';
  EXPECT_NE(asserting(authenticator.get(challenge), broken), "") << "a stored key with a trailing byte";
}

TEST(WebAuthn, TheUserHandleMustMatch) {
  Authenticator authenticator;
  authenticator.user_handle = "somebody else";
  EXPECT_NE(asserting(authenticator).find("userHandle"), std::string::npos);
}

TEST(WebAuthn, ACounterThatDoesNotIncreaseIsRefused) {
  Authenticator authenticator;
  authenticator.counter = 5;
  EXPECT_EQ(asserting(authenticator, 0), "");
  EXPECT_EQ(asserting(authenticator, 4), "");
  for (const std::uint32_t kept : {5u, 6u, 4'294'967'295u})
    EXPECT_NE(asserting(authenticator, kept).find("counter"), std::string::npos) << kept;
  authenticator.counter = 0;
  EXPECT_EQ(asserting(authenticator, 0), "") << "without a counter";
  EXPECT_NE(asserting(authenticator, 1), "") << "a counter that was reset";
}

TEST(WebAuthn, RandomBytesAreNeverACredential) {
  std::mt19937 random(11);
  Authenticator authenticator;
  for (int round = 0; round < 5'000; ++round) {
    std::string noise(random() % 200, '\0');
    for (char& byte : noise) byte = static_cast<char>(random());
    auto made = authenticator.create(challenge);
    made.response.attestationObject = crypto::to_base64url(noise);
    EXPECT_NE(registering(made), "");
  }
}

}  // namespace webauthn_test
