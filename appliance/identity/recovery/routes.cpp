#include "appliance/identity/recovery/routes.h"

#include "web/endpoint.h"

namespace recovery {

namespace {

using Answer = web::Task<web::Result<web::Response>>;

const web::RateLimit requests_a_minute{.group = "forgot-password", .limit = 5};
const web::RateLimit resets_a_minute{.group = "reset-password", .limit = 10};

struct Forgot {
  web::Text<1, 254> email;
};
BOOST_DESCRIBE_STRUCT(Forgot, (), (email))

struct Asked {
  bool ok = true;
  std::string message = "If there is an account of this email, a mail with a link is on its way.";
};
BOOST_DESCRIBE_STRUCT(Asked, (), (ok, message))

struct Reset {
  web::Text<1, 100> token;
  web::Text<8, 256> password;
};
BOOST_DESCRIBE_STRUCT(Reset, (), (token, password))

struct Succeeded {
  bool success = true;
};
BOOST_DESCRIBE_STRUCT(Succeeded, (), (success))

}  // namespace

std::vector<web::Route> routes(Recovery& recovery, audit::Audit& audit, const agentbox::Guards& guards) {
  const auto forgot = [&recovery, &audit](web::Request& request, Forgot form) -> Answer {
    auto entry = audit::of_request(request, "password forgotten", form.email);
    co_await audit.note(std::move(entry));
    co_await recovery.request(std::move(form.email));
    const Asked answer;
    co_return web::reply(answer, 200);
  };
  const auto reset = [&recovery, &audit](web::Request& request, Reset form) -> Answer {
    auto entry = audit::of_request(request, "password reset", "");
    const auto user = co_await recovery.reset(std::move(form.token), std::move(form.password));
    if (user) {
      entry.user_id = user->id;
      entry.subject = user->email;
    } else {
      entry.outcome = user.error().message;
    }
    co_await audit.note(std::move(entry));
    if (!user) co_return user.error();
    const Succeeded answer;
    co_return web::reply(answer, 200);
  };
  return {
      {web::POST, "/api/auth/forgot-password", guards.none, &requests_a_minute,
       web::body<Forgot>(forgot).returns<Asked>().describe(
           "The answer is the same for every address. The mail goes out by SMTP_URL; without one the administrator "
           "reads it with `agentbox admin outbox`."),
       "Ask for a new password"},
      {web::POST, "/api/auth/reset-password", guards.none, &resets_a_minute,
       web::body<Reset>(reset).returns<Succeeded>().describe(
           "The token of the mail is good for 30 minutes and one use. All sessions of the user end."),
       "Choose a new password"},
  };
}

}  // namespace recovery
