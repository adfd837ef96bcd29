#include "appliance/identity/recovery/handlers.h"

#include "web/routes/endpoint.h"
#include "web/routes/reply.h"

namespace recovery {

namespace {

web::Answer forgot_password(const Services& services, const web::Request& request, ForgotPassword form) {
  auto entry = audit::of_request(request, "password forgotten", form.email);
  co_await services.audit.note(std::move(entry));
  co_await services.recovery.request(std::move(form.email));
  const ResetRequested answer;
  co_return web::reply(answer, 200);
}

web::Answer reset_password(const Services& services, const web::Request& request, ResetPassword form) {
  auto entry = audit::of_request(request, "password reset", "");
  second_factor::Proof proof{.code = std::move(form.code), .passkey = std::move(form.passkey)};
  const auto user = co_await services.recovery.reset(std::move(form.token), std::move(form.password), std::move(proof));
  if (!user && user.error().code == "SECOND_FACTOR_REQUIRED") co_return user.error();  // not an attempt
  if (user) {
    entry.user_id = user->id;
    entry.subject = user->email;
  } else {
    entry.outcome = user.error().message;
  }
  co_await services.audit.note(std::move(entry));
  if (!user) co_return user.error();
  const web::Succeeded answer;
  co_return web::reply(answer, 200);
}

const web::RateLimit forgot_limit{.group = "forgot-password", .limit = 5, .limits_guesses = true};
const web::RateLimit reset_limit{.group = "reset-password", .limit = 10, .limits_guesses = true};

constexpr const char* reset_description =
    "The token in the mail is valid for 30 minutes and one use. All sessions of the user end, and the address counts "
    "as verified. A second factor stays: users with one prove it with `code` (the app's or a recovery code) or "
    "`passkey`; without either the answer is 401, SECOND_FACTOR_REQUIRED, with `passkey` as in sign-in. Neither that "
    "nor a wrong proof spends the token.";

}  // namespace

std::vector<web::Route> web_routes(const agentbox::Guards& guards, const web::Bind<Services>& on) {
  const auto& none = guards.none;
  return {
      {web::POST, "/api/auth/forgot-password", none, &forgot_limit,
       web::body<ForgotPassword>(on(forgot_password))
           .returns<ResetRequested>()
           .describe("The answer is the same for every address. The mail is sent through SMTP_URL; without one the "
                     "administrator reads it with `agentbox admin outbox`."),
       "Request a password reset"},
      {web::POST, "/api/auth/reset-password", none, &reset_limit,
       web::body<ResetPassword>(on(reset_password))
           .returns<web::Succeeded>()
           .describe(reset_description)
           .fails({web::Kind::unauthenticated}),
       "Choose a new password"},
  };
}

}  // namespace recovery
