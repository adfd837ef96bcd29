#include "appliance/identity/second_factor/handlers.h"

#include "appliance/identity/oauth/form.h"
#include "web/routes/reply.h"

namespace second_factor {

namespace {

// What the QR code of an authenticator app holds.
std::string otpauth_url(const std::string& host, const AppSecret& app) {
  const oauth::Parameters parameters{{"secret", app.secret}, {"issuer", host}};
  return oauth::with_query("otpauth://totp/" + oauth::encoded(host + ":" + app.email), parameters);
}

}  // namespace

web::Answer show_state(const Services& services, const web::Request& request) {
  const auto found = services.settings.overview(request.caller.user_id);
  if (!found) co_return found.error();
  const auto& state = found->state;
  auto passkey_origin = services.site.passkey_origin();
  StateView answer{.enabled = state.is_on(),
                   .app = state.has_app,
                   .passkeys = state.passkeys,
                   .recoveryCodesLeft = static_cast<std::int64_t>(state.recovery_codes),
                   .required = found->is_required,
                   .hasPassword = found->has_password,
                   .passkeyOrigin = {}};
  if (!passkey_origin.empty()) answer.passkeyOrigin = std::move(passkey_origin);
  co_return web::reply(answer, 200);
}

web::Answer begin_app(const Services& services, const web::Request& request, StepUpProof proof) {
  auto actor = audit::actor_of(request);
  const auto app = co_await services.settings.begin_app(std::move(actor), std::move(proof));
  if (!app) co_return app.error();
  const AppSecretView answer{app->secret, otpauth_url(services.site.host(), *app)};
  co_return web::reply(answer, 200);
}

web::Answer confirm_app(const Services& services, const web::Request& request, AppCode form) {
  auto actor = audit::actor_of(request);
  auto codes = co_await services.settings.confirm_app(std::move(actor), std::move(form.code));
  if (!codes) co_return codes.error();
  const RecoveryCodes answer{.recoveryCodes = std::move(*codes)};
  co_return web::reply(answer, 200);
}

web::Answer remove_app(const Services& services, const web::Request& request, Proof proof) {
  auto actor = audit::actor_of(request);
  const auto removed = co_await services.settings.remove_app(std::move(actor), std::move(proof));
  if (!removed) co_return removed.error();
  const web::Succeeded answer;
  co_return web::reply(answer, 200);
}

web::Answer renew_codes(const Services& services, const web::Request& request, Proof proof) {
  auto actor = audit::actor_of(request);
  auto codes = co_await services.settings.renew_recovery_codes(std::move(actor), std::move(proof));
  if (!codes) co_return codes.error();
  const RecoveryCodes answer{.recoveryCodes = std::move(*codes)};
  co_return web::reply(answer, 200);
}

web::Answer disable(const Services& services, const web::Request& request, Proof proof) {
  auto actor = audit::actor_of(request);
  const auto disabled = co_await services.settings.disable(std::move(actor), std::move(proof));
  if (!disabled) co_return disabled.error();
  const web::Succeeded answer;
  co_return web::reply(answer, 200);
}

}  // namespace second_factor
