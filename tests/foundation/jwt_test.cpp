#include "appliance/foundation/crypto/jwt.h"

#include <gtest/gtest.h>
#include <openssl/hmac.h>

#include <random>

#include "tests/support/token_issuer.h"

namespace jwt_test {

using crypto::UnverifiedJwt;
using crypto::VerificationKey;
using token_tests::key_set;
using token_tests::SigningKey;

const SigningKey& rsa() {
  static const auto key = SigningKey::rsa("r1");
  return key;
}
const SigningKey& ec() {
  static const auto key = SigningKey::ec("e1");
  return key;
}
const SigningKey& pss() {
  static const auto key = SigningKey::pss("p1");
  return key;
}
const SigningKey& ed25519() {
  static const auto key = SigningKey::ed25519("o1");
  return key;
}
const boost::json::object claims{{"iss", "https://issuer.example"}, {"sub", "ada"}, {"exp", 2'000'000'000}};

std::vector<VerificationKey> published(std::initializer_list<boost::json::object> keys) {
  return crypto::parse_key_set(key_set(keys)).value();
}
bool accepted(std::string_view token, const std::vector<VerificationKey>& keys) {
  const auto parsed = UnverifiedJwt::parse(token);
  if (!parsed) return false;
  const auto* key = parsed->key_in(keys);
  return key != nullptr && parsed->signed_by(*key);
}
std::string why_not(std::string_view token) {
  const auto parsed = UnverifiedJwt::parse(token);
  return parsed ? "" : parsed.error().message;
}

TEST(Jwt, TokensOfEachAlgorithmAreVerifiedUnderTheKeyTheyName) {
  const auto keys = published({rsa().jwk(), ec().jwk(), pss().jwk(), ed25519().jwk()});
  for (const auto* key : {&rsa(), &ec(), &pss(), &ed25519()}) {
    const std::string token = key->token(claims);
    EXPECT_TRUE(accepted(token, keys));
    EXPECT_EQ(UnverifiedJwt::parse(token)->claims(), claims);
  }
}

TEST(Jwt, AnotherKeyOfTheSameNameDoesNotVerify) {
  const auto keys = published({SigningKey::rsa("r1").jwk(), SigningKey::ec("e1").jwk()});
  EXPECT_FALSE(accepted(rsa().token(claims), keys));
  EXPECT_FALSE(accepted(ec().token(claims), keys));
}

TEST(Jwt, AnRsaKeyForOneAlgorithmVerifiesNoOther) {
  auto only_pss = pss().jwk();
  only_pss["alg"] = "PS256";
  EXPECT_TRUE(accepted(pss().token(claims), published({only_pss})));
  only_pss["alg"] = "RS256";
  EXPECT_FALSE(accepted(pss().token(claims), published({only_pss})));
  // The same signature under the name of the other padding.
  const std::string body = boost::json::serialize(claims);
  EXPECT_FALSE(accepted(pss().token(R"({"alg":"RS256","kid":"p1"})", body), published({pss().jwk()})));
  EXPECT_FALSE(accepted(rsa().token(R"({"alg":"PS256","kid":"r1"})", body), published({rsa().jwk()})));
}

TEST(Jwt, OtherAlgorithmsAreNotEvenParsed) {
  const std::string body = boost::json::serialize(claims);
  for (const std::string algorithm : {"none", "None", "NONE", "HS256", "HS512", "RS384", "RS512", "PS384", "ES384",
                                      "ES512", "Ed448", "eddsa", "rs256", "RS256 ", " RS256", "RS256\\u0000", ""})
    EXPECT_EQ(why_not(rsa().token(R"({"alg":")" + algorithm + R"(","kid":"r1"})", body)),
              "The token is not signed with RS256, PS256, ES256 or EdDSA")
        << algorithm;
  EXPECT_NE(why_not(rsa().token(R"({"kid":"r1"})", body)), "");
  EXPECT_NE(why_not(rsa().token(R"({"alg":["RS256"],"kid":"r1"})", body)), "");
  EXPECT_NE(why_not(rsa().token(R"({"alg":null,"kid":"r1"})", body)), "");
}

TEST(Jwt, APublicKeyIsNoHmacSecretUnderAnyName) {
  const auto keys = published({rsa().jwk()});
  const std::string secret = boost::json::serialize(rsa().jwk());
  for (const std::string algorithm : {"HS256", "RS256"}) {
    const std::string text = crypto::to_base64url(R"({"alg":")" + algorithm + R"(","kid":"r1"})") + "." +
                             crypto::to_base64url(boost::json::serialize(claims));
    std::string mac(32, '\0');
    HMAC(EVP_sha256(), secret.data(), static_cast<int>(secret.size()),
         reinterpret_cast<const unsigned char*>(text.data()), text.size(), reinterpret_cast<unsigned char*>(mac.data()),
         nullptr);
    EXPECT_FALSE(accepted(text + "." + crypto::to_base64url(mac), keys));
  }
}

TEST(Jwt, AKeyServesItsOwnAlgorithmOnly) {
  const auto keys = published({rsa().jwk(), ec().jwk()});
  const std::string body = boost::json::serialize(claims);
  EXPECT_FALSE(accepted(rsa().token(R"({"alg":"ES256","kid":"r1"})", body), keys));
  EXPECT_FALSE(accepted(rsa().token(R"({"alg":"ES256","kid":"e1"})", body), keys));
  EXPECT_FALSE(accepted(ec().token(R"({"alg":"RS256","kid":"e1"})", body), keys));
  EXPECT_FALSE(accepted(ec().token(R"({"alg":"RS256","kid":"r1"})", body), keys));
}

TEST(Jwt, TheKeyIdIsComparedAndNothingElse) {
  const auto keys = published({rsa().jwk(), ec().jwk()});
  const std::string body = boost::json::serialize(claims);
  for (const std::string id : {"../../../dev/null", "r1/../r1", "R1", "r1 ", "https://evil.example/jwks.json",
                               "' OR '1'='1", "", "r1\\u0000"}) {
    const bool only_of_its_algorithm = id.empty();
    EXPECT_EQ(accepted(rsa().token(R"({"alg":"RS256","kid":")" + id + R"("})", body), keys), only_of_its_algorithm);
  }
  EXPECT_TRUE(accepted(rsa().token(R"({"alg":"RS256"})", body), keys));
  EXPECT_FALSE(
      accepted(rsa().token(R"({"alg":"RS256"})", body), published({rsa().jwk(), SigningKey::rsa("r2").jwk()})));
}

TEST(Jwt, EmbeddedKeysAndExtensionsAreRefused) {
  const std::string body = boost::json::serialize(claims), own = boost::json::serialize(rsa().jwk());
  for (const std::string& more : {"\"jwk\":" + own, std::string(R"("jku":"https://evil.example/k")"),
                                  std::string(R"("x5u":"https://evil.example/c")"), std::string(R"("x5c":["MII"])"),
                                  std::string(R"("crit":["exp"],"exp":1)"), std::string(R"("crit":[])"),
                                  std::string(R"("crit":["b64"],"b64":false)"), std::string(R"("b64":true)")})
    EXPECT_NE(why_not(rsa().token(R"({"alg":"RS256","kid":"r1",)" + more + "}", body)), "") << more;
}

TEST(Jwt, DuplicateNamesAreRefused) {
  const std::string body = boost::json::serialize(claims);
  EXPECT_NE(why_not(rsa().token(R"({"alg":"none","alg":"RS256","kid":"r1"})", body)), "");
  EXPECT_NE(why_not(rsa().token(R"({"alg":"RS256","kid":"r1","kid":"r2"})", body)), "");
  EXPECT_NE(why_not(rsa().token(R"({"alg":"RS256","kid":"r1"})", R"({"sub":"ada","sub":"eve"})")), "");
}

TEST(Jwt, OnlyTheCanonicalSpellingOfATokenIsAccepted) {
  const auto keys = published({rsa().jwk()});
  const std::string token = rsa().token(claims), half = token.substr(0, token.rfind('.'));
  for (const std::string& wrong :
       {std::string(), std::string("."), std::string(".."), half, half + ".", token + ".", token + "=", " " + token,
        token + "\n", token + ".x", token.substr(token.find('.')), "Bearer " + token})
    EXPECT_FALSE(accepted(wrong, keys)) << wrong;
  EXPECT_NE(why_not(rsa().token("[]", "{}")), "");
  EXPECT_NE(why_not(rsa().token(R"({"alg":"RS256"})", "[]")), "");
  EXPECT_NE(why_not(rsa().token(R"({"alg":"RS256"})", "{} {}")), "");
  EXPECT_NE(why_not(rsa().token(R"({"alg":"RS256"})", "")), "");
}

TEST(Jwt, HugeAndDeepTokensAreRefusedBeforeAnyWork) {
  EXPECT_EQ(why_not(std::string(65'537, 'a')), "The token is too long");
  EXPECT_NE(why_not(std::string(60'000, '.')), "");
  EXPECT_NE(why_not(rsa().token(R"({"alg":"RS256"})", std::string(10'000, '[') + std::string(10'000, ']'))), "");
}

TEST(Jwt, EveryFlippedBitIsNoticed) {
  const auto keys = published({ec().jwk()});
  const std::string token = ec().token(claims);
  for (std::size_t i = 0; i < token.size(); ++i) {
    for (int bit = 0; bit < 7; ++bit) {
      std::string mutated = token;
      mutated[i] = static_cast<char>(mutated[i] ^ (1 << bit));
      EXPECT_FALSE(accepted(mutated, keys)) << "byte " << i << " bit " << bit;
    }
  }
}

TEST(Jwt, RandomBytesAreNeverAToken) {
  std::mt19937 random(4361);
  const std::string token = rsa().token(claims);
  const auto keys = published({rsa().jwk()});
  for (int round = 0; round < 3000; ++round) {
    std::string mutated = token;
    for (int edits = 1 + static_cast<int>(random() % 4); edits > 0; --edits) {
      const std::size_t at = random() % mutated.size();
      if (random() % 2 == 0)
        mutated[at] = static_cast<char>(random());
      else
        mutated.erase(at, 1 + random() % 8);
    }
    EXPECT_EQ(accepted(mutated, keys), mutated == token);
  }
}

TEST(Jwt, DegenerateEcdsaSignaturesAreRefused) {
  const auto key = published({ec().jwk()}).front();
  const std::string text = "text", good = ec().sign(text);
  ASSERT_TRUE(key.verify(text, good));
  const std::string order = crypto::unhex("ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551");
  const std::string zero(32, '\0'), r = good.substr(0, 32), s = good.substr(32);
  for (const std::string& wrong : {std::string(), zero + zero, r + zero, zero + s, order + s, r + order, order + order,
                                   std::string(64, '\xff'), good + '\0', '\0' + good, good.substr(1), s + r})
    EXPECT_FALSE(key.verify(text, wrong)) << crypto::hex(wrong);
}

TEST(Jwt, AKeyOfAnotherCurveIsNoKeyAndSignsNothing) {
  const auto key = published({ec().jwk()}).front();
  for (const char* curve : {"secp256k1", "brainpoolP256r1"}) {
    const auto foreign = SigningKey::ec("e1", curve);  // numbers as wide as ours, said to be of P-256
    EXPECT_TRUE(VerificationKey::from_jwk(foreign.jwk()).empty()) << curve;
    EXPECT_FALSE(key.verify("text", foreign.sign("text"))) << curve;
  }
}

TEST(Jwt, RsaSignaturesHaveTheLengthOfTheirKey) {
  const auto key = published({rsa().jwk()}).front();
  const std::string text = "text", good = rsa().sign(text);
  ASSERT_TRUE(key.verify(text, good));
  for (const std::string& wrong : {std::string(), std::string(256, '\0'), std::string(256, '\xff'), good + '\0',
                                   '\0' + good, good.substr(0, 255), std::string("\x01")})
    EXPECT_FALSE(key.verify(text, wrong));
}

TEST(Jwk, KeysThatAreNotForVerifyingAreSkipped) {
  const auto usable = [](boost::json::object jwk) { return !VerificationKey::from_jwk(jwk).empty(); };
  const auto with = [](boost::json::object jwk, std::string_view name, boost::json::value value) {
    jwk[name] = std::move(value);
    return jwk;
  };
  const auto r = rsa().jwk(), e = ec().jwk();
  EXPECT_TRUE(usable(r));
  EXPECT_TRUE(usable(with(with(r, "use", "sig"), "alg", "RS256")));
  EXPECT_TRUE(usable(with(e, "key_ops", {"verify"})));
  EXPECT_TRUE(usable(with(r, "alg", "PS256")));
  EXPECT_TRUE(usable(with(ed25519().jwk(), "alg", "EdDSA")));
  EXPECT_FALSE(usable(with(ed25519().jwk(), "crv", "Ed448")));
  EXPECT_FALSE(usable(with(ed25519().jwk(), "x", "AA")));
  EXPECT_FALSE(usable(with(r, "use", "enc")));
  EXPECT_FALSE(usable(with(r, "alg", "RS512")));
  EXPECT_FALSE(usable(with(r, "alg", "HS256")));
  EXPECT_FALSE(usable(with(e, "alg", "RS256")));
  EXPECT_FALSE(usable(with(e, "key_ops", {"sign"})));
  EXPECT_FALSE(usable(with(e, "crv", "secp256k1")));
  EXPECT_FALSE(usable(with(e, "crv", "P-384")));
  EXPECT_FALSE(usable(with(e, "y", e.at("x"))));
  EXPECT_FALSE(usable(with(e, "x", "AA")));
  EXPECT_FALSE(usable(with(e, "d", e.at("x"))));
  EXPECT_FALSE(usable(with(r, "e", "AQ")));
  EXPECT_FALSE(usable(with(r, "e", "")));
  EXPECT_FALSE(usable(with(r, "n", "")));
  EXPECT_FALSE(usable(with(r, "kty", "oct")));
  EXPECT_FALSE(usable({{"kty", "oct"}, {"k", "c2VjcmV0"}, {"kid", "h"}}));
  EXPECT_FALSE(usable({}));
  EXPECT_FALSE(usable(SigningKey::rsa("small", 1024).jwk()));
}

TEST(Jwk, AnInvalidKeyDoesNotAffectOthers) {
  const boost::json::object secret{{"kty", "oct"}, {"k", "c2VjcmV0"}, {"kid", "h"}};
  EXPECT_EQ(published({ec().jwk(), secret, ed25519().jwk()}).size(), 2u);
  EXPECT_EQ(published({}).size(), 0u);
  EXPECT_EQ(published({SigningKey::ed25519("r1").jwk(), SigningKey::ec("r1").jwk()}).size(), 2u)
      << "distinguished by their algorithm";
  const auto good = SigningKey::ec("good"), twin = SigningKey::ec("twin");
  const auto keys = published({twin.jwk(), good.jwk(), SigningKey::ec("twin").jwk()});
  const auto found = [&](const SigningKey& key) {
    return crypto::UnverifiedJwt::parse(key.token(boost::json::object{}))->key_in(keys) != nullptr;
  };
  EXPECT_TRUE(found(good));
  EXPECT_FALSE(found(twin)) << "ambiguous";
  EXPECT_EQ(crypto::parse_key_set(R"({"keys":[1,"x",null,[]]})")->size(), 0u);
  for (const std::string_view wrong : {"", "[]", "{}", R"({"keys":{}})", R"({"keys":[]} x)"})
    EXPECT_FALSE(crypto::parse_key_set(wrong)) << wrong;
}

TEST(JwtClaims, DatesAreNumbersWithinReason) {
  const auto at = [](boost::json::value value) { return crypto::time_claim({{"exp", std::move(value)}}, "exp"); };
  EXPECT_EQ(at(1'700'000'000)->time_since_epoch().count(), 1'700'000'000);
  EXPECT_EQ(at(1'700'000'000.9)->time_since_epoch().count(), 1'700'000'000);
  EXPECT_EQ(at(0)->time_since_epoch().count(), 0);
  for (const boost::json::value& wrong :
       {boost::json::value(-1), boost::json::value(1e300), boost::json::value("1700000000"),
        boost::json::value(nullptr), boost::json::value(true)})
    EXPECT_FALSE(at(wrong));
  EXPECT_FALSE(crypto::time_claim({}, "exp"));
}

TEST(JwtClaims, TheAudienceIsOneNameOrSeveral) {
  EXPECT_EQ(crypto::audience({{"aud", "a"}}), std::vector<std::string>{"a"});
  EXPECT_EQ(crypto::audience({{"aud", {"a", "b"}}}), (std::vector<std::string>{"a", "b"}));
  EXPECT_TRUE(crypto::audience({{"aud", {"a", 1}}}).empty());
  EXPECT_TRUE(crypto::audience({{"aud", 1}}).empty());
  EXPECT_TRUE(crypto::audience({}).empty());
}

}  // namespace jwt_test
