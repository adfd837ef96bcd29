#include "appliance/identity/second_factor/routes.h"

#include "appliance/identity/oauth/form.h"
#include "web/endpoint.h"

namespace second_factor {

const web::RateLimit factor_changes{.group = "second-factor", .limit = 30};

namespace {

using Answer = web::Task<web::Result<web::Response>>;

struct StateView {
  bool enabled = false, app = false;
  std::int64_t passkeys = 0, recoveryCodesLeft = 0;
  bool required = false, hasPassword = false;
};
BOOST_DESCRIBE_STRUCT(StateView, (), (enabled, app, passkeys, recoveryCodesLeft, required, hasPassword))

struct Begun {
  std::string secret, otpauthUrl;
};
BOOST_DESCRIBE_STRUCT(Begun, (), (secret, otpauthUrl))

struct Code {
  web::Text<1, 32> code;
};
BOOST_DESCRIBE_STRUCT(Code, (), (code))

struct Codes {
  bool success = true;
  std::vector<std::string> recoveryCodes;
};
BOOST_DESCRIBE_STRUCT(Codes, (), (success, recoveryCodes))

struct Succeeded {
  bool success = true;
};
BOOST_DESCRIBE_STRUCT(Succeeded, (), (success))

Answer show(Services services, web::Request& request) {
  const auto user = services.accounts.find(request.caller.user_id);
  if (!user) co_return web::unauthenticated();
  const auto state = services.factor.state(user->id);
  const StateView answer{state.is_on(),
                         state.has_app,
                         state.passkeys,
                         static_cast<std::int64_t>(state.recovery_codes),
                         services.must_enrol(*user),
                         !user->password_hash.empty()};
  co_return web::reply(answer, 200);
}

Answer begin(Services services, web::Request& request, ProofAgain form) {
  if (services.factor.state(request.caller.user_id).has_app)
    co_return web::conflict("An app is in use: remove it first");
  const auto user = co_await proved_user(services, request, "app", std::move(form));
  if (!user) co_return user.error();
  const auto secret = co_await services.factor.begin_app(request.caller);
  if (!secret) co_return secret.error();
  const oauth::Parameters parameters{{"secret", *secret}, {"issuer", services.site.host()}};
  const Begun answer{
      *secret,
      oauth::with_query("otpauth://totp/" + oauth::encoded(services.site.host() + ":" + user->email), parameters)};
  co_return web::reply(answer, 200);
}

Answer confirm(Services services, web::Request& request, Code form) {
  auto codes = co_await services.factor.confirm_app(request.caller, std::move(form.code));
  auto entry = audit::of_request(request, "second factor set up", "app");
  auto error = error_of(codes);
  co_await note(services, std::move(entry), std::move(error));
  if (!codes) co_return codes.error();
  const Codes answer{.recoveryCodes = std::move(*codes)};
  co_return web::reply(answer, 200);
}

Answer remove_app(Services services, web::Request& request, Proof proof) {
  const auto user = request.caller.user_id;
  if (!services.factor.state(user).has_app) co_return web::not_found("No app is in use");
  auto done = co_await services.factor.check(user, std::move(proof), Purpose::change);
  if (done) done = co_await services.factor.remove_app(user);
  auto entry = audit::of_request(request, "second factor removed", "app");
  auto error = error_of(done);
  co_await note(services, std::move(entry), std::move(error));
  if (!done) co_return done.error();
  const Succeeded answer;
  co_return web::reply(answer, 200);
}

Answer renew_codes(Services services, web::Request& request, Proof proof) {
  const auto user = request.caller.user_id;
  if (!services.factor.is_on(user)) co_return web::conflict("Set an app or a passkey up first");
  const auto checked = co_await services.factor.check(user, std::move(proof), Purpose::change);
  web::Result<std::vector<std::string>> codes = std::vector<std::string>();
  if (checked)
    codes = co_await services.factor.renew_recovery_codes(request.caller);
  else
    codes = checked.error();
  auto entry = audit::of_request(request, "recovery codes renewed", "");
  auto error = error_of(codes);
  co_await note(services, std::move(entry), std::move(error));
  if (!codes) co_return codes.error();
  const Codes answer{.recoveryCodes = std::move(*codes)};
  co_return web::reply(answer, 200);
}

Answer disable(Services services, web::Request& request, Proof proof) {
  const auto user = request.caller.user_id;
  if (!services.factor.is_on(user)) co_return web::conflict("The second factor is off already");
  const auto checked = co_await services.factor.check(user, std::move(proof), Purpose::change);
  if (checked) co_await services.factor.remove(user);
  auto entry = audit::of_request(request, "second factor removed", "all");
  auto error = error_of(checked);
  co_await note(services, std::move(entry), std::move(error));
  if (!checked) co_return checked.error();
  const Succeeded answer;
  co_return web::reply(answer, 200);
}

}  // namespace

web::Task<web::Result<accounts::User>> proved_user(Services services, const web::Request& request, std::string what,
                                                   ProofAgain form) {
  auto proved =
      co_await step_up(services.accounts, services.sessions, services.factor, request.caller, std::move(form));
  if (proved) co_return proved;
  auto entry = audit::of_request(request, "second factor begun", std::move(what));
  auto error = error_of(proved);
  co_await note(services, std::move(entry), std::move(error));
  co_return proved.error();
}

web::Task<> note(Services services, audit::Entry entry, std::optional<web::Error> error) {
  if (error && error->code == "SECOND_FACTOR_REQUIRED") co_return;  // a question, not an attempt
  if (error) entry.outcome = error->message;
  co_await services.audit.note(std::move(entry));
}

std::vector<web::Route> routes(Services services) {
  const auto& session = services.guards.session_enrolling;
  const std::string path = "/api/settings/second-factor";
  const auto showing = [services](web::Request& request) { return show(services, request); };
  const auto beginning = [services](web::Request& request, ProofAgain form) {
    return begin(services, request, std::move(form));
  };
  const auto confirming = [services](web::Request& request, Code form) {
    return confirm(services, request, std::move(form));
  };
  const auto removing_app = [services](web::Request& request, Proof proof) {
    return remove_app(services, request, std::move(proof));
  };
  const auto renewing = [services](web::Request& request, Proof proof) {
    return renew_codes(services, request, std::move(proof));
  };
  const auto disabling = [services](web::Request& request, Proof proof) {
    return disable(services, request, std::move(proof));
  };
  return {
      {web::GET, path, session, nullptr,
       web::plain(showing).returns<StateView>().describe(
           "`required`: the box wants one of this user, who can do nothing else before. Without a password, "
           "what sets one up takes a sign-in of the last ten minutes instead."),
       "What one's second factor is made of"},
      {web::POST, path + "/begin", session, &factor_changes,
       web::body<ProofAgain>(beginning).returns<Begun>().describe(
           std::string("A secret for an authenticator app (RFC 6238). It counts from its confirmation on. ") +
           how_to_prove),
       "Begin to set an authenticator app up"},
      {web::POST, path + "/confirm", session, &factor_changes,
       web::body<Code>(confirming)
           .returns<Codes>()
           .describe("A first code of the app. The ten recovery codes are shown this once; each stands for one code. "
                     "Who holds some already gets none."),
       "Turn the authenticator app on"},
      {web::DELETE, path + "/app", session, &factor_changes,
       web::body<Proof>(removing_app).returns<Succeeded>().describe(how_to_prove), "Remove the authenticator app"},
      {web::POST, path + "/recovery-codes", session, &factor_changes,
       web::body<Proof>(renewing).returns<Codes>().describe(
           std::string("Ten new recovery codes, shown this once, in the place of all before. ") + how_to_prove),
       "Make new recovery codes"},
      {web::POST, path + "/disable", session, &factor_changes,
       web::body<Proof>(disabling).returns<Succeeded>().describe(
           std::string("App, passkeys and recovery codes go together. ") + how_to_prove),
       "Turn the second factor off"},
  };
}

}  // namespace second_factor
