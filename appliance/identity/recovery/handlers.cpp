#include "appliance/identity/recovery/handlers.h"

#include "web/routes/reply.h"

namespace recovery {

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

}  // namespace recovery
