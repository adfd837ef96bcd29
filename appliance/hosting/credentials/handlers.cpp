#include "appliance/hosting/credentials/handlers.h"

namespace credentials {

namespace {

using web::Request;

constexpr std::size_t shown_uses = 200;

template <class To, class List>
std::vector<To> plain(const std::optional<List>& list) {
  std::vector<To> found;
  if (list) found.assign(list->begin(), list->end());
  return found;
}

Credential credential_of(CredentialRequest body) {
  return {.owner = 0,
          .id = {},
          .name = std::move(body.name),
          .secret = {body.secret ? std::string(*body.secret) : std::string()},
          .agents = plain<std::string>(body.agents),
          .scheme = body.scheme ? std::string(*body.scheme) : "https",
          .hosts = {body.hosts.begin(), body.hosts.end()},
          .paths = plain<std::string>(body.paths),
          .methods = plain<std::string>(body.methods),
          .form = body.form,
          .parameter = body.parameter ? std::string(*body.parameter) : std::string(),
          .created_at = {},
          .updated_at = {}};
}

CredentialView view_of(const Credential& one) {
  return {.id = one.id,
          .name = one.name,
          .agents = one.agents,
          .scheme = one.scheme,
          .hosts = one.hosts,
          .paths = one.paths,
          .methods = one.methods,
          .form = one.form,
          .parameter = one.parameter,
          .createdAt = one.created_at,
          .updatedAt = one.updated_at};
}

web::Answer list(const Services& services, const Request& request) {
  CredentialList answer;
  for (const auto& one : services.credentials.list(request.caller.user_id)) answer.credentials.push_back(view_of(one));
  answer.count = std::int64_t(answer.credentials.size());
  co_return web::reply(answer, 200);
}

web::Answer add(const Services& services, const Request& request, CredentialRequest body) {
  if (!body.secret) co_return web::invalid("secret is required");
  auto added = co_await services.credentials.add(request.caller.user_id, credential_of(std::move(body)));
  if (!added) co_return added.error();
  co_await services.audit.note(audit::of_request(request, "credential added", added->name));
  const CredentialAnswer answer{view_of(*added)};
  co_return web::reply(answer, 201);
}

web::Answer change(const Services& services, const Request& request, CredentialRequest body) {
  auto wanted = credential_of(std::move(body));
  auto changed = co_await services.credentials.change(request.caller.user_id, request.param("id"), std::move(wanted));
  if (!changed) co_return changed.error();
  co_await services.audit.note(audit::of_request(request, "credential changed", changed->name));
  const CredentialAnswer answer{view_of(*changed)};
  co_return web::reply(answer, 200);
}

web::Answer remove(const Services& services, const Request& request) {
  const auto removed = co_await services.credentials.remove(request.caller.user_id, request.param("id"));
  if (!removed) co_return removed.error();
  co_await services.audit.note(audit::of_request(request, "credential removed", removed->name));
  co_return web::reply(web::Succeeded(), 200);
}

web::Answer list_uses(const Services& services, const Request& request) {
  UseList answer;
  for (auto& use : services.credentials.uses(request.caller.user_id, shown_uses))
    answer.uses.push_back({.credential = std::move(use.credential),
                           .agent = std::move(use.agent),
                           .host = std::move(use.host),
                           .method = std::move(use.method),
                           .status = use.status,
                           .bytesOut = use.bytes_out,
                           .bytesIn = use.bytes_in,
                           .refused = use.is_refused,
                           .at = use.at});
  co_return web::reply(answer, 200);
}

constexpr auto binding =
    "Commands of agents write cred:NAME where the secret would be; the box "
    "puts it in on the way to a host, path and "
    "method that it is bound to, in its form (a header, a parameter of the "
    "query, basic or bearer), and takes it out of "
    "the answer. agents: that may use it, without any all of yours. hosts: "
    ".example.org is every name beneath it. "
    "parameter: the header's or the parameter's name; for basic the user name. "
    "The secret is never shown again.";

}  // namespace

std::vector<web::Route> web_routes(const agentbox::Guards& guards, const web::Bind<Services>& on) {
  const auto& session = guards.session;
  return {
      {web::GET, "/api/credentials", session, nullptr, web::plain(on(list)).returns<CredentialList>(),
       "List the credentials for agents"},
      {web::POST, "/api/credentials", session, nullptr,
       web::body<CredentialRequest>(on(add)).returns<CredentialAnswer>(201).describe(binding),
       "Add a credential for agents"},
      {web::PUT, "/api/credentials/:id", session, nullptr,
       web::body<CredentialRequest>(on(change))
           .returns<CredentialAnswer>()
           .describe("Everything is replaced; without a secret it stays as it was."),
       "Change a credential"},
      {web::DELETE, "/api/credentials/:id", session, nullptr, web::plain(on(remove)).returns<web::Succeeded>(),
       "Remove a credential, at once"},
      {web::GET, "/api/credentials/uses", session, nullptr,
       web::plain(on(list_uses))
           .returns<UseList>()
           .describe("The newest 200 requests that carried a credential, and "
                     "those that were refused."),
       "List the uses of credentials"},
  };
}

}  // namespace credentials
