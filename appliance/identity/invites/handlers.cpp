#include "appliance/identity/invites/handlers.h"

#include "web/run_on.h"

namespace invites {

namespace {

constexpr std::size_t max_listed = 1'000;

NewInvites wanted(GenerateRequest body) {
  NewInvites invites;
  if (body.count) invites.count = *body.count;
  if (body.uses) invites.uses = *body.uses;
  if (body.expiresInDays) invites.lifetime = std::chrono::days(body.expiresInDays->value);
  if (body.plan) invites.plan = std::move(*body.plan);
  if (body.group) invites.group = std::move(*body.group);
  if (body.note) invites.note = std::move(*body.note);
  return invites;
}

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
                             .group = invites.group,
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
  const auto limit = query.limit ? std::size_t(query.limit->value) : max_listed;
  const std::string after = query.after.value_or("");
  const auto work = [&] { return services.invites.list(after, limit + 1); };
  auto found = co_await web::offload(services.blocking, work);
  InviteList answer;
  if (found.size() > limit) {
    found.pop_back();
    answer.next = found.back().id;
  }
  for (auto& invite : found) {
    InviteView shown{.id = std::move(invite.id),
                     .uses = invite.uses,
                     .used = invite.used,
                     .plan = std::move(invite.plan),
                     .group = std::move(invite.group),
                     .groupName = {},
                     .note = std::move(invite.note),
                     .createdAt = invite.created_at,
                     .expiresAt = invite.expires_at};
    if (shown.group)
      if (const auto group = services.groups.find(*shown.group)) shown.groupName = group->name;
    answer.invites.push_back(std::move(shown));
  }
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

const web::RateLimit validate_limit{.group = "invite", .limit = 20, .limits_guesses = true};

constexpr const char* generate_text =
    "Makes `count` codes (1), each for `uses` registrations (1) within `expiresInDays` (30). `plan` is given to those "
    "who register with them, and they join `group` (an id); without `plan` they get the group's. The codes are shown "
    "only once; `code` is the first of `codes`.";
constexpr const char* validate_text =
    "Uses the code once, also if many ask at the same time, and returns `inviteCode`: a code for one registration "
    "within the hour. An unused invite code can also be sent with the registration itself, which then uses it. 404 "
    "{error, valid: false} for codes that are unknown, used up or expired.";

std::vector<web::Route> shared_routes(const agentbox::Guards& guards, const web::Bind<Services>& on) {
  return {
      {web::POST, "/api/invite/generate", guards.backend.internal, nullptr,
       web::body<GenerateRequest>(on(generate_invites)).returns<GeneratedView>(201).describe(generate_text),
       "Make invite codes"},
      {web::POST, "/api/invite/validate", guards.none, &validate_limit,
       web::body<ValidateRequest>(on(validate_invite))
           .returns<PassView>()
           .fails({web::Kind::not_found})
           .describe(validate_text),
       "Use an invite code"},
  };
}

}  // namespace

std::vector<web::Route> web_routes(const agentbox::Guards& guards, const web::Bind<Services>& on) {
  std::vector<web::Route> rows{
      {web::GET, "/api/registration", guards.none, nullptr,
       web::plain(on(show_registration))
           .returns<RegistrationView>()
           .describe("`registration` is the setting REGISTRATION: open, invite or closed."),
       "Who may register"},
  };
  web::append(rows, shared_routes(guards, on));
  return rows;
}

std::vector<web::Route> backend_routes(const agentbox::Guards& guards, const web::Bind<Services>& on) {
  std::vector<web::Route> rows{
      {web::GET, "/api/admin/invites", guards.backend.users, nullptr,
       web::query<InviteQuery>(on(list_invites))
           .returns<InviteList>()
           .describe("By id, without the secrets of the codes. Expired codes stay in the list for a month. `next` is "
                     "the `after` of "
                     "the next page, or null."),
       "List the invite codes"},
      {web::POST, "/api/admin/invites", guards.backend.internal, nullptr,
       web::body<GenerateRequest>(on(generate_invites)).returns<GeneratedView>(201).describe(generate_text),
       "Make invite codes, as POST /api/invite/generate"},
      {web::DELETE, "/api/admin/invites/:id", guards.backend.users, nullptr,
       web::plain(on(revoke_invite)).returns<web::Succeeded>().describe("The code can no longer be used."),
       "Revoke an invite code"},
  };
  web::append(rows, shared_routes(guards, on));
  return rows;
}

}  // namespace invites
