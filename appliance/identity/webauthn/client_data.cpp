#include "appliance/identity/webauthn/client_data.h"

#include "appliance/foundation/crypto/base64url.h"
#include "web/routes/fields.h"

namespace webauthn {

namespace {

struct TokenBinding {
  std::string status;
};
BOOST_DESCRIBE_STRUCT(TokenBinding, (), (status))

struct ClientData {
  std::string type, challenge, origin;
  std::optional<bool> crossOrigin;
  std::optional<TokenBinding> tokenBinding;
};
BOOST_DESCRIBE_STRUCT(ClientData, (), (type, challenge, origin, crossOrigin, tokenBinding))

web::Error invalid_client_data(std::string_view why) { return web::invalid("clientDataJSON " + std::string(why)); }

}  // namespace

web::Result<std::string> challenge_of(std::string_view json, std::string_view type, const RelyingParty& party) {
  const auto document = web::parse_json(json, "clientDataJSON");
  if (!document) return document.error();
  const auto data = web::parse_value<ClientData>(*document, "clientDataJSON");
  if (!data) return data.error();
  if (data->type != type) return invalid_client_data("is of another ceremony");
  if (!party.is_origin(data->origin)) return invalid_client_data("comes from a page of another origin");
  if (data->crossOrigin.value_or(false)) return invalid_client_data("comes from a frame in another site's page");
  if (data->tokenBinding && data->tokenBinding->status == "present")
    return invalid_client_data("names a TLS token binding");
  auto challenge = crypto::from_base64url(data->challenge);
  if (!challenge) return invalid_client_data("has no challenge");
  return std::move(*challenge);
}

}  // namespace webauthn
