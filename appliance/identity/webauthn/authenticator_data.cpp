#include "appliance/identity/webauthn/authenticator_data.h"

#include "appliance/foundation/crypto/cose.h"
#include "appliance/foundation/crypto/random.h"

namespace webauthn {

namespace {

constexpr std::size_t hash_bytes = 32, fixed_bytes = 37, aaguid_bytes = 16, length_bytes = 2;
constexpr unsigned user_present = 1, user_verified = 4, has_credential = 64, has_extensions = 128;

std::uint32_t big_endian(std::string_view bytes) {
  std::uint32_t value = 0;
  for (const char byte : bytes) value = value << 8 | static_cast<unsigned char>(byte);
  return value;
}

web::Error invalid_authenticator_data(std::string_view why) {
  return web::invalid("authenticatorData " + std::string(why));
}

// Takes the credential from the front of `rest`.
web::Result<AttestedCredential> take_credential(std::string_view& rest) {
  if (rest.size() < aaguid_bytes + length_bytes) return invalid_authenticator_data("is cut off");
  const auto aaguid = rest.substr(0, aaguid_bytes);
  const std::size_t id_bytes = big_endian(rest.substr(aaguid_bytes, length_bytes));
  rest.remove_prefix(aaguid_bytes + length_bytes);
  if (id_bytes == 0 || id_bytes > max_id_bytes)
    return invalid_authenticator_data("has a credential id of no or too many bytes");
  if (rest.size() < id_bytes) return invalid_authenticator_data("is cut off");
  const auto id = rest.substr(0, id_bytes);
  rest.remove_prefix(id_bytes);
  crypto::CborReader reader(rest);
  auto key = crypto::read_cose_key(reader);
  if (!key) return invalid_authenticator_data("has no public key for ES256 or RS256");
  const auto public_key = rest.substr(0, reader.position());
  rest.remove_prefix(public_key.size());
  return AttestedCredential{std::string(aaguid), std::string(id), std::string(public_key), std::move(*key)};
}

bool take_extensions(std::string_view& rest) {
  crypto::CborReader reader(rest);
  if (crypto::CborReader(rest).map() && reader.skip()) {
    rest.remove_prefix(reader.position());
    return true;
  }
  return false;
}

}  // namespace

web::Result<AuthenticatorData> parse_authenticator_data(std::string_view bytes, std::string_view relying_party) {
  if (bytes.size() < fixed_bytes) return invalid_authenticator_data("is cut off");
  if (bytes.substr(0, hash_bytes) != crypto::sha256(relying_party))
    return invalid_authenticator_data("is for another site");
  const auto flags = static_cast<unsigned char>(bytes[hash_bytes]);
  if (!(flags & user_present)) return invalid_authenticator_data("reports no user presence");
  AuthenticatorData data{.sign_count = big_endian(bytes.substr(hash_bytes + 1, 4)),
                         .is_user_verified = (flags & user_verified) != 0,
                         .credential = std::nullopt};
  auto rest = bytes.substr(fixed_bytes);
  if (flags & has_credential) {
    auto credential = take_credential(rest);
    if (!credential) return credential.error();
    data.credential = std::move(*credential);
  }
  if (flags & has_extensions && !take_extensions(rest))
    return invalid_authenticator_data("has extensions that cannot be read");
  if (!rest.empty()) return invalid_authenticator_data("has bytes behind its end");
  return data;
}

std::optional<crypto::VerificationKey> stored_key(std::string_view public_key) {
  crypto::CborReader reader(public_key);
  auto key = crypto::read_cose_key(reader);
  if (!reader.at_end()) return std::nullopt;
  return key;
}

}  // namespace webauthn
