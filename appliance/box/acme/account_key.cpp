#include "appliance/box/acme/account_key.h"

#include <boost/json.hpp>

#include "appliance/box/acme/files.h"
#include "appliance/foundation/crypto/base64url.h"
#include "appliance/foundation/crypto/certificates.h"
#include "appliance/foundation/crypto/random.h"
#include "appliance/foundation/data_folder.h"

namespace acme {

namespace json = boost::json;

AccountKey AccountKey::load(const std::filesystem::path& file) {
  if (!std::filesystem::exists(file)) agentbox::write_private_file(file, crypto::make_key());
  auto signer = crypto::JwtSigner::from_text(text_of(file));
  if (!signer)
    throw agentbox::UsageError(
        "the account key " + file.string() +
        " is not a P-256 key in PEM: put the original file back, or remove it for a new account");
  return AccountKey(*std::move(signer));
}

std::string AccountKey::sign(const std::string& account, const std::string& nonce, const std::string& url,
                             std::string_view payload) const {
  json::object header{{"alg", "ES256"}, {"nonce", nonce}, {"url", url}};
  if (account.empty())
    header["jwk"] = signer_.public_jwk();
  else
    header["kid"] = account;
  const auto protected_header = crypto::to_base64url(json::serialize(header)), body = crypto::to_base64url(payload);
  const auto signature = crypto::to_base64url(signer_.signature_of(protected_header + "." + body));
  return json::serialize(json::object{{"protected", protected_header}, {"payload", body}, {"signature", signature}});
}

std::string AccountKey::authorization(const std::string& token) const {
  return token + "." + crypto::to_base64url(crypto::sha256(json::serialize(signer_.public_jwk())));
}

}  // namespace acme
