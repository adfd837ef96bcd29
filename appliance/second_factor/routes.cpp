#include "appliance/second_factor/routes.h"

#include "appliance/oauth/form.h"
#include "web/endpoint.h"

namespace second_factor {

namespace {

using Answer = web::Task<web::Result<web::Response>>;

const web::RateLimit changes{.group = "second-factor", .limit = 20};

struct State {
  bool enabled = false;
  std::int64_t recoveryCodesLeft = 0;
};
BOOST_DESCRIBE_STRUCT(State, (), (enabled, recoveryCodesLeft))

struct Begin {
  web::Text<1, 256> currentPassword;
};
BOOST_DESCRIBE_STRUCT(Begin, (), (currentPassword))

struct Begun {
  std::string secret, otpauthUrl;
};
BOOST_DESCRIBE_STRUCT(Begun, (), (secret, otpauthUrl))

struct Code {
  web::Text<1, 32> code;
};
BOOST_DESCRIBE_STRUCT(Code, (), (code))

struct Confirmed {
  bool success = true;
  std::vector<std::string> recoveryCodes;
};
BOOST_DESCRIBE_STRUCT(Confirmed, (), (success, recoveryCodes))

struct Succeeded {
  bool success = true;
};
BOOST_DESCRIBE_STRUCT(Succeeded, (), (success))

web::Task<> note(Services services, audit::Entry entry, const std::optional<web::Error>& error) {
  if (error) entry.outcome = error->message;
  co_await services.audit.note(std::move(entry));
}

Answer show(Services services, web::Request& request) {
  const auto user = request.caller.user_id;
  const bool enabled = services.factor.is_on(user);
  const State answer{enabled, enabled ? static_cast<std::int64_t>(services.factor.recovery_codes_left(user)) : 0};
  co_return web::reply(answer, 200);
}

Answer begin(Services services, web::Request& request, Begin form) {
  const auto user = services.accounts.find(request.caller.user_id);
  if (!user) co_return web::unauthenticated();
  const auto proved = co_await services.accounts.prove_password(user->id, std::move(form.currentPassword));
  if (!proved) co_return proved.error();
  const auto secret = co_await services.factor.begin(user->id);
  if (!secret) co_return secret.error();
  const oauth::Parameters parameters{{"secret", *secret}, {"issuer", services.site.host()}};
  const Begun answer{
      *secret,
      oauth::with_query("otpauth://totp/" + oauth::encoded(services.site.host() + ":" + user->email), parameters)};
  co_return web::reply(answer, 200);
}

Answer confirm(Services services, web::Request& request, Code form) {
  auto codes = co_await services.factor.confirm(request.caller.user_id, std::move(form.code));
  const std::optional<web::Error> error = codes ? std::nullopt : std::optional(codes.error());
  co_await note(services, audit::of_request(request, "second factor set up", ""), error);
  if (error) co_return *error;
  const Confirmed answer{.recoveryCodes = std::move(*codes)};
  co_return web::reply(answer, 200);
}

Answer disable(Services services, web::Request& request, Code form) {
  const auto checked = co_await services.factor.check(request.caller.user_id, std::move(form.code));
  std::optional<web::Error> error;
  if (!checked) error = checked.error();
  if (checked) co_await services.factor.remove(request.caller.user_id);
  co_await note(services, audit::of_request(request, "second factor removed", ""), error);
  if (error) co_return *error;
  const Succeeded answer;
  co_return web::reply(answer, 200);
}

}  // namespace

std::vector<web::Route> routes(Services services) {
  const auto& session = services.guards.session;
  const std::string path = "/api/settings/second-factor";
  const auto showing = [services](web::Request& request) { return show(services, request); };
  const auto beginning = [services](web::Request& request, Begin form) {
    return begin(services, request, std::move(form));
  };
  const auto confirming = [services](web::Request& request, Code form) {
    return confirm(services, request, std::move(form));
  };
  const auto disabling = [services](web::Request& request, Code form) {
    return disable(services, request, std::move(form));
  };
  return {
      {web::GET, path, session, nullptr, web::plain(showing).returns<State>(), "Whether one's second factor is on"},
      {web::POST, path + "/begin", session, &changes,
       web::body<Begin>(beginning).returns<Begun>().describe(
           "A secret for an authenticator app (RFC 6238). It counts from its confirmation on."),
       "Begin to set a second factor up"},
      {web::POST, path + "/confirm", session, &changes,
       web::body<Code>(confirming)
           .returns<Confirmed>()
           .describe("A first code of the app. The ten recovery codes are shown this once; each stands for one code."),
       "Turn the second factor on"},
      {web::POST, path + "/disable", session, &changes,
       web::body<Code>(disabling).returns<Succeeded>().describe("Takes a code of the app or a recovery code."),
       "Turn the second factor off"},
  };
}

}  // namespace second_factor
