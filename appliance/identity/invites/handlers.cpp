#include "appliance/identity/invites/handlers.h"

#include "web/run_on.h"

namespace invites {

namespace {

constexpr std::size_t most_listed = 1'000;

NewInvites wanted(GenerateRequest body) {
  NewInvites invites;
  if (body.count) invites.count = *body.count;
  if (body.uses) invites.uses = *body.uses;
  if (body.expiresInDays) invites.lifetime = std::chrono::days(body.expiresInDays->value);
  if (body.plan) invites.plan = std::move(*body.plan);
  if (body.note) invites.note = std::move(*body.note);
  return invites;
}

}  // namespace

web::Answer generate_invites(const Services& services, const web::Request& request, GenerateRequest body) {
  const auto invites = wanted(std::move(body));
  auto entry = audit::of_request(request, "invites generated", invites.note);
  const auto generated = co_await services.invites.generate(invites);
  if (!generated) entry.outcome = generated.error().message;
  co_await services.audit.note(std::move(entry));
  if (!generated) co_return generated.error();
  const GeneratedView answer{.code = generated->codes.front(),
                             .codes = generated->codes,
                             .uses = invites.uses,
                             .plan = invites.plan,
                             .expiresAt = generated->expires_at};
  co_return web::reply(answer, 201);
}

web::Answer validate_invite(const Services& services, const web::Request& request, ValidateRequest body) {
  auto entry = audit::of_request(request, "invite used", body.code.substr(0, body.code.find('-')));
  const auto pass = co_await services.invites.consume(std::move(body.code));
  if (!pass) entry.outcome = pass.error().message;
  co_await services.audit.note(std::move(entry));
  if (!pass) {
    web::Error refused = pass.error();
    refused.extra["valid"] = false;
    co_return refused;
  }
  const PassView answer{.inviteCode = pass->code, .plan = pass->plan, .expiresAt = pass->expires_at};
  co_return web::reply(answer, 200);
}

web::Answer list_invites(const Services& services, const web::Request&, InviteQuery query) {
  const auto limit = query.limit ? std::size_t(query.limit->value) : most_listed;
  const std::string after = query.after.value_or("");
  const auto work = [&] { return services.invites.list(after, limit + 1); };
  auto found = co_await web::offload(services.blocking, work);
  InviteList answer;
  if (found.size() > limit) {
    found.pop_back();
    answer.next = found.back().id;
  }
  for (auto& invite : found)
    answer.invites.push_back({std::move(invite.id), invite.uses, invite.used, std::move(invite.plan),
                              std::move(invite.note), invite.created_at, invite.expires_at});
  co_return web::reply(answer, 200);
}

web::Answer revoke_invite(const Services& services, const web::Request& request) {
  const auto revoked = co_await services.invites.revoke(request.param("id"));
  if (!revoked) co_return revoked.error();
  auto entry = audit::of_request(request, "invite revoked", request.param("id"));
  co_await services.audit.note(std::move(entry));
  const web::Succeeded answer;
  co_return web::reply(answer, 200);
}

web::Answer show_registration(const Services& services, const web::Request&) {
  const RegistrationView answer{.registration = services.accounts.registration_mode()};
  co_return web::reply(answer, 200);
}

}  // namespace invites
