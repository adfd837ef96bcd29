#include "appliance/identity/verification/handlers.h"

#include "web/routes/reply.h"

namespace verification {

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

}  // namespace verification
