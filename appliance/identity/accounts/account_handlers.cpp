#include "appliance/access/session_cookie.h"
#include "appliance/identity/accounts/handlers.h"
#include "appliance/identity/sign_in/http.h"
#include "web/protocol/set_cookie.h"
#include "web/routes/reply.h"

namespace accounts {

namespace {

Profile profile(const Services& services, const User& user) {
  auto held = services.plans.held(user.id);
  return {.id = std::to_string(user.id),
          .name = user.name,
          .email = user.email,
          .isAdmin = services.accounts.is_admin(user),
          .emailVerified = user.email_verified,
          .plan = held ? std::optional(std::move(held->plan)) : std::nullopt,
          .referralCode = user.referral_code,
          .credits = services.plans.credits(user.id),
          .createdAt = user.created_at};
}

}  // namespace

web::Answer register_user(const Services& services, const web::Request& request, Register form) {
  RegistrationAttempt attempt{.registration = {.email = std::move(form.email), .password = std::move(form.password)},
                              .user_agent = std::string(request.header("User-Agent")),
                              .honeypot = form.website.value_or("")};
  if (form.name) attempt.registration.name = std::move(*form.name);
  if (form.referralCode) attempt.registration.referral_code = std::move(*form.referralCode);
  if (form.inviteCode && !form.inviteCode->empty()) attempt.registration.invite_code = std::move(*form.inviteCode);
  auto actor = audit::actor_of(request);
  const auto user = co_await services.self_service.register_user(std::move(actor), std::move(attempt));
  if (!user) co_return user.error();
  const Registered answer{std::to_string(user->id), user->email, user->name};
  co_return web::reply(answer, 200);
}

web::Answer log_in(const Services& services, const web::Request& request, Login form) {
  PasswordSignIn attempt{.email = std::move(form.email),
                         .password = std::move(form.password),
                         .proof = {.code = std::move(form.code), .passkey = std::move(form.passkey)}};
  auto client = sign_in::client_of(request);
  const auto result = co_await services.self_service.sign_in(std::move(client), std::move(attempt));
  if (!result) co_return result.error();
  co_return sign_in::reply(*result);
}

web::Answer show_session(const Services& services, const web::Request& request) {
  auto found = services.sessions.find(session_token(request));
  if (!found) co_return without_planted_cookies(web::reply(SessionView(), 200), request);
  const User& user = *found->user;
  const SessionView answer{.user = SessionUser{.id = std::to_string(user.id),
                                               .name = user.name,
                                               .email = user.email,
                                               .isAdmin = services.accounts.is_admin(user),
                                               .isSupport = user.is_support,
                                               .secondFactorDue = services.second_factor_due(user)}};
  auto response = web::reply(answer, 200);
  response.set("X-CSRF-Token", std::move(found->session_id));
  co_return without_planted_cookies(std::move(response), request);
}

// Signing out means every session that the browser sent a cookie of, although two at once sign nobody in.
web::Answer sign_out(const Services& services, const web::Request& request) {
  std::vector<std::string> tokens;
  for (const auto token : request.cookies(session_cookie)) tokens.emplace_back(token);
  auto actor = audit::actor_of(request);
  const bool is_ended = co_await services.self_service.sign_out(std::move(actor), std::move(tokens));
  auto answer = is_ended ? web::reply(SignedOut(), 200) : web::reply(SignedOutHere(), 200);
  auto cleared = with_session_cookie(std::move(answer), Sessions::cleared(request.secure));
  co_return without_planted_cookies(std::move(cleared), request);
}

web::Answer show_settings(const Services& services, const web::Request& request) {
  const auto user = services.accounts.find(request.caller.user_id);
  if (!user) co_return web::unauthenticated();
  co_return web::reply(profile(services, *user), 200);
}

web::Answer edit_settings(const Services& services, const web::Request& request, EditSettings form) {
  if (!form.name && !form.email) co_return web::invalid("name or email is required");
  ProfileEdit edit{.name = {},
                   .email = {},
                   .proof = {.currentPassword = std::move(form.currentPassword),
                             .code = std::move(form.code),
                             .passkey = std::move(form.passkey)}};
  if (form.name) edit.name = std::move(*form.name);
  if (form.email) edit.email = std::move(*form.email);
  auto actor = audit::actor_of(request);
  const auto user = co_await services.self_service.edit_profile(std::move(actor), std::move(edit));
  if (!user) co_return user.error();
  co_return web::reply(profile(services, *user), 200);
}

web::Response succeeded_elsewhere_signed_out(const Services& services, const web::Request& request) {
  const web::Succeeded answer;
  const auto device = services.self_service.renewed_device(request.caller, sign_in::device_of(request), request.secure);
  auto response = web::reply(answer, 200);
  return device ? web::with_cookie(std::move(response), *device) : response;
}

web::Answer change_password(const Services& services, const web::Request& request, ChangePassword form) {
  PasswordChange change{.current = std::move(form.currentPassword), .replacement = std::move(form.newPassword)};
  auto actor = audit::actor_of(request);
  const auto changed = co_await services.self_service.change_password(std::move(actor), std::move(change));
  if (!changed) co_return changed.error();
  co_return succeeded_elsewhere_signed_out(services, request);
}

}  // namespace accounts
