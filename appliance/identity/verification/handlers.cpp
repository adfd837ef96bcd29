#include "appliance/identity/verification/handlers.h"

#include "web/routes/endpoint.h"
#include "web/routes/reply.h"

namespace verification {

namespace {

web::Answer verify_email(const Services& services, const web::Request& request, VerifyEmail form) {
  auto entry = audit::of_request(request, "email verified", "");
  const auto user = co_await services.verification.verify(request.caller, std::move(form.token));
  if (user)
    entry.subject = user->email;
  else
    entry.outcome = user.error().message;
  co_await services.audit.note(std::move(entry));
  if (!user) co_return user.error();
  const VerifiedEmail answer{.email = user->email};
  co_return web::reply(answer, 200);
}

web::Answer send_mail(const Services& services, const web::Request& request) {
  const auto sent = co_await services.verification.send(request.caller.user_id);
  if (!sent) co_return sent.error();
  const web::Succeeded answer;
  co_return web::reply(answer, 200);
}

const web::RateLimit verify_limit{.group = "verify-email", .limit = 10, .limits_guesses = true};
const web::RateLimit mail_limit{.group = "verify-email-mail", .limit = 5, .limits_guesses = true};

constexpr const char* verify_description =
    "Registration, and a change of the address, send a mail with a token that is valid for seven days, until the "
    "address is verified. It is accepted from a session of the account only: 400 for a token of another account.";
constexpr const char* mail_description =
    "At most three mails an hour (429). 409 if the address is verified. The mail is sent through SMTP_URL; without one "
    "the administrator reads it with `agentbox admin outbox`.";

}  // namespace

std::vector<web::Route> web_routes(const agentbox::Guards& guards, const web::Bind<Services>& on) {
  const auto& session = guards.session;
  return {
      {web::POST, "/api/auth/verify-email", session, &verify_limit,
       web::body<VerifyEmail>(on(verify_email)).returns<VerifiedEmail>().describe(verify_description),
       "Verify the e-mail address"},
      {web::POST, "/api/auth/verify-email/mail", session, &mail_limit,
       web::plain(on(send_mail)).returns<web::Succeeded>().describe(mail_description).fails({web::Kind::conflict}),
       "Send the verification mail again"},
  };
}

}  // namespace verification
