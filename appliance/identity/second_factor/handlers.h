#pragma once

#include <optional>
#include <string>
#include <vector>

#include "appliance/access/guards.h"
#include "appliance/identity/second_factor/factor_settings.h"
#include "appliance/identity/site.h"
#include "web/routes/bind.h"
#include "web/routes/endpoint.h"
#include "web/routes/fields.h"
#include "web/routes/route.h"

namespace second_factor {

// What the rows depend on; all of it must outlive them.
struct Services {
  FactorSettings& settings;
  const agentbox::Site& site;
};

struct StateView {
  bool enabled = false, app = false;
  std::int64_t passkeys = 0, recoveryCodesLeft = 0;
  bool required = false, hasPassword = false;
  std::optional<std::string> passkeyOrigin;  // where passkeys work
};
BOOST_DESCRIBE_STRUCT(StateView, (), (enabled, app, passkeys, recoveryCodesLeft, required, hasPassword, passkeyOrigin))

struct AppSecretView {
  std::string secret, otpauthUrl;
};
BOOST_DESCRIBE_STRUCT(AppSecretView, (), (secret, otpauthUrl))

struct AppCode {
  web::Text<1, 32> code;
};
BOOST_DESCRIBE_STRUCT(AppCode, (), (code))

struct RecoveryCodes {
  bool success = true;
  std::vector<std::string> recoveryCodes;
};
BOOST_DESCRIBE_STRUCT(RecoveryCodes, (), (success, recoveryCodes))

web::Answer show_state(const Services&, const web::Request&);
web::Answer begin_app(const Services&, const web::Request&, StepUpProof);
web::Answer confirm_app(const Services&, const web::Request&, AppCode);
web::Answer remove_app(const Services&, const web::Request&, Proof);
web::Answer renew_codes(const Services&, const web::Request&, Proof);
web::Answer disable(const Services&, const web::Request&, Proof);

struct PasskeyView {
  std::string id, name;
  store::Time createdAt;
  std::optional<store::Time> lastUsedAt;
};
BOOST_DESCRIBE_STRUCT(PasskeyView, (), (id, name, createdAt, lastUsedAt))

struct PasskeyList {
  std::vector<PasskeyView> passkeys;
  std::int64_t count = 0;
};
BOOST_DESCRIBE_STRUCT(PasskeyList, (), (passkeys, count))

struct CreationOffer {
  CreationOptions publicKey;
};
BOOST_DESCRIBE_STRUCT(CreationOffer, (), (publicKey))

struct NewPasskey {
  web::Text<1, 100> name;
  webauthn::Created credential;
};
BOOST_DESCRIBE_STRUCT(NewPasskey, (), (name, credential))

struct AddedPasskey {
  PasskeyView passkey;
  std::vector<std::string> recoveryCodes;
};
BOOST_DESCRIBE_STRUCT(AddedPasskey, (), (passkey, recoveryCodes))

struct PasskeyName {
  web::Text<1, 100> name;
};
BOOST_DESCRIBE_STRUCT(PasskeyName, (), (name))

struct RemovedPasskey {
  bool success = true;
  std::string id;
};
BOOST_DESCRIBE_STRUCT(RemovedPasskey, (), (success, id))

web::Answer list_passkeys(const Services&, const web::Request&);
web::Answer begin_passkey(const Services&, const web::Request&, StepUpProof);
web::Answer add_passkey(const Services&, const web::Request&, NewPasskey);
web::Answer rename_passkey(const Services&, const web::Request&, PasskeyName);
web::Answer remove_passkey(const Services&, const web::Request&, Proof);

// The user's own second factor: app, recovery codes and passkeys.
std::vector<web::Route> web_routes(const agentbox::Guards&, const web::Bind<Services>&);

}  // namespace second_factor
