#include "appliance/files/explorer/handlers.h"

namespace explorer {

namespace {

GitHostItem item_of(const GitHost& host) {
  return {.url = host.id, .user = host.user, .hostKeys = host.host_keys, .updatedAt = host.updated_at};
}

}  // namespace

Reply list_git_hosts(const Services& services, const web::Request&) {
  GitHostList answer;
  for (const auto& host : services.git_hosts.list()) answer.hosts.push_back(item_of(host));
  co_return web::reply(answer);
}

Reply set_git_host(const Services& services, const web::Request& request, GitHostBody body) {
  auto account = Account::parse(body.url);
  if (!account) {
    co_return web::invalid(
        "url must be a user at a host, such as ssh://git@git.example.org or https://box@git.example.org:8443, without "
        "password or path");
  }
  GitHostChange change{.account = std::move(*account), .secret = std::move(body.secret), .host_keys = {}};
  if (body.hostKeys) change.host_keys.emplace(body.hostKeys->begin(), body.hostKeys->end());
  auto entry = audit::of_request(request, "git host set by admin", change.account.origin.text());
  const auto stored = co_await services.git_hosts.put(std::move(change));
  if (!stored) entry.outcome = stored.error().message;
  co_await services.audit.note(std::move(entry));
  if (!stored) co_return stored.error();
  co_return web::reply(item_of(*stored));
}

Reply remove_git_host(const Services& services, const web::Request& request, GitHostQuery query) {
  const bool is_removed = co_await services.git_hosts.remove(query.url);
  if (!is_removed) co_return web::not_found("The box has no account at this host");
  auto entry = audit::of_request(request, "git host forgotten by admin", query.url);
  co_await services.audit.note(std::move(entry));
  const GitHostRemoved answer;
  co_return web::reply(answer);
}

}  // namespace explorer
