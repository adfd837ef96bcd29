#include "appliance/identity/second_factor/routes.h"
#include "web/endpoint.h"

namespace second_factor {

namespace {

using Answer = web::Task<web::Result<web::Response>>;

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

struct Offer {
  CreationOptions publicKey;
};
BOOST_DESCRIBE_STRUCT(Offer, (), (publicKey))

struct NewPasskey {
  web::Text<1, 100> name;
  webauthn::Created credential;
};
BOOST_DESCRIBE_STRUCT(NewPasskey, (), (name, credential))

struct AddedView {
  PasskeyView passkey;
  std::vector<std::string> recoveryCodes;
};
BOOST_DESCRIBE_STRUCT(AddedView, (), (passkey, recoveryCodes))

struct Rename {
  web::Text<1, 100> name;
};
BOOST_DESCRIBE_STRUCT(Rename, (), (name))

struct Removed {
  bool success = true;
  std::string id;
};
BOOST_DESCRIBE_STRUCT(Removed, (), (success, id))

PasskeyView view(Passkey passkey) {
  return {std::move(passkey.id), std::move(passkey.name), passkey.created_at, passkey.last_used_at};
}

Answer show(Services services, web::Request& request) {
  PasskeyList answer;
  for (auto& passkey : services.factor.passkeys().list(request.caller.user_id))
    answer.passkeys.push_back(view(std::move(passkey)));
  answer.count = static_cast<std::int64_t>(answer.passkeys.size());
  co_return web::reply(answer, 200);
}

Answer begin(Services services, web::Request& request, ProofAgain form) {
  const auto user = co_await proved_user(services, request, "passkey", std::move(form));
  if (!user) co_return user.error();
  auto options = services.factor.passkeys().creation_options(*user);
  if (!options) co_return options.error();
  const Offer answer{std::move(*options)};
  co_return web::reply(answer, 200);
}

Answer add(Services services, web::Request& request, NewPasskey form) {
  auto entry = audit::of_request(request, "second factor set up", "passkey " + form.name);
  auto added =
      co_await services.factor.passkeys().add(request.caller, std::move(form.name), std::move(form.credential));
  auto error = error_of(added);
  co_await note(services, std::move(entry), std::move(error));
  if (!added) co_return added.error();
  const AddedView answer{view(std::move(added->passkey)), std::move(added->recovery_codes)};
  co_return web::reply(answer, 201);
}

Answer rename(Services services, web::Request& request, Rename form) {
  auto renamed =
      co_await services.factor.passkeys().rename(request.caller.user_id, request.param("id"), std::move(form.name));
  if (!renamed) co_return renamed.error();
  co_return web::reply(view(std::move(*renamed)), 200);
}

// Another's passkey is looked for before anything is asked, and not found like one that is nowhere.
Answer remove(Services services, web::Request& request, Proof proof) {
  const auto user = request.caller.user_id;
  const std::string id = request.param("id");
  const auto own = services.factor.passkeys().list(user);
  const auto named = std::find_if(own.begin(), own.end(), [&](const Passkey& passkey) { return passkey.id == id; });
  if (named == own.end()) co_return web::not_found("No such passkey");
  auto done = co_await services.factor.check(user, std::move(proof), Purpose::change);
  if (done) done = co_await services.factor.passkeys().remove(user, id);
  auto entry = audit::of_request(request, "second factor removed", "passkey " + named->name);
  auto error = error_of(done);
  co_await note(services, std::move(entry), std::move(error));
  if (!done) co_return done.error();
  const Removed answer{.id = id};
  co_return web::reply(answer, 200);
}

}  // namespace

std::vector<web::Route> passkey_routes(Services services) {
  const auto& session = services.guards.session_enrolling;
  const std::string path = "/api/settings/second-factor/passkeys";
  const auto showing = [services](web::Request& request) { return show(services, request); };
  const auto beginning = [services](web::Request& request, ProofAgain form) {
    return begin(services, request, std::move(form));
  };
  const auto adding = [services](web::Request& request, NewPasskey form) {
    return add(services, request, std::move(form));
  };
  const auto renaming = [services](web::Request& request, Rename form) {
    return rename(services, request, std::move(form));
  };
  const auto removing = [services](web::Request& request, Proof proof) {
    return remove(services, request, std::move(proof));
  };
  return {
      {web::GET, path, session, nullptr, web::plain(showing).returns<PasskeyList>(), "One's passkeys"},
      {web::POST, path + "/begin", session, &factor_changes,
       web::body<ProofAgain>(beginning).returns<Offer>().describe(
           std::string("`publicKey` is for PublicKeyCredential.parseCreationOptionsFromJSON(), within five "
                       "minutes. 503 when the box is known by an address: passkeys belong to a name. ") +
           how_to_prove),
       "Begin to add a passkey"},
      {web::POST, path, session, &factor_changes,
       web::body<NewPasskey>(adding).returns<AddedView>(201).describe(
           "`credential` is what navigator.credentials.create() made, as its toJSON() writes it: ES256 or RS256; no "
           "attestation is asked for. From then on sign-in asks for it. The first factor comes with ten recovery "
           "codes, shown this once."),
       "Add a passkey"},
      {web::PATCH, path + "/:id", session, &factor_changes, web::body<Rename>(renaming).returns<PasskeyView>(),
       "Name a passkey"},
      {web::DELETE, path + "/:id", session, &factor_changes,
       web::body<Proof>(removing).returns<Removed>().describe(how_to_prove), "Remove a passkey"},
  };
}

}  // namespace second_factor
