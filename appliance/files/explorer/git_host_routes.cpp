#include "appliance/files/explorer/routes.h"
#include "web/endpoint.h"

namespace explorer {

namespace {

using Answer = web::Task<web::Result<web::Response>>;

struct HostChange {
  web::Text<1, 300> url;
  std::optional<web::Prose<1, 20'000>> secret;
  std::optional<web::List<web::Text<1, 100>, 0, 16>> hostKeys;
};
BOOST_DESCRIBE_STRUCT(HostChange, (), (url, secret, hostKeys))

struct HostQuery {
  web::Text<1, 300> url;
};
BOOST_DESCRIBE_STRUCT(HostQuery, (), (url))

struct HostView {
  std::string url, user;
  std::vector<std::string> hostKeys;
  store::Time updatedAt;
};
BOOST_DESCRIBE_STRUCT(HostView, (), (url, user, hostKeys, updatedAt))

struct HostList {
  std::vector<HostView> hosts;
};
BOOST_DESCRIBE_STRUCT(HostList, (), (hosts))

struct Forgotten {
  bool success = true;
};
BOOST_DESCRIBE_STRUCT(Forgotten, (), (success))

HostView view(const GitHost& host) {
  return {.url = host.id, .user = host.user, .hostKeys = host.host_keys, .updatedAt = host.updated_at};
}

Answer list_hosts(const GitHosts& hosts) {
  HostList answer;
  for (const auto& host : hosts.list()) answer.hosts.push_back(view(host));
  co_return web::reply(answer);
}

Answer set_host(GitHosts& hosts, audit::Audit& audit, web::Request& request, HostChange wanted) {
  auto account = Account::parse(wanted.url);
  if (!account) {
    co_return web::invalid(
        "url must be a user at a host, such as ssh://git@git.example.org or https://box@git.example.org:8443, without "
        "password or path");
  }
  GitHostChange change{.account = std::move(*account), .secret = std::move(wanted.secret), .host_keys = {}};
  if (wanted.hostKeys) change.host_keys.emplace(wanted.hostKeys->begin(), wanted.hostKeys->end());
  auto entry = audit::of_request(request, "git host set by admin", change.account.origin.text());
  const auto set = co_await hosts.put(std::move(change));
  if (!set) entry.outcome = set.error().message;
  co_await audit.note(std::move(entry));
  if (!set) co_return set.error();
  co_return web::reply(view(*set));
}

Answer forget_host(GitHosts& hosts, audit::Audit& audit, web::Request& request, HostQuery asked) {
  const bool is_gone = co_await hosts.remove(asked.url);
  if (!is_gone) co_return web::not_found("The box has no account at this host");
  auto entry = audit::of_request(request, "git host forgotten by admin", asked.url);
  co_await audit.note(std::move(entry));
  const Forgotten answer;
  co_return web::reply(answer);
}

}  // namespace

std::vector<web::Route> admin_routes(GitHosts& hosts, audit::Audit& audit, const agentbox::Guards& guards) {
  const auto& key = guards.internal_key;
  auto list = [&hosts](web::Request&) { return list_hosts(hosts); };
  auto set = [&hosts, &audit](web::Request& request, HostChange wanted) {
    return set_host(hosts, audit, request, std::move(wanted));
  };
  auto forget = [&hosts, &audit](web::Request& request, HostQuery asked) {
    return forget_host(hosts, audit, request, std::move(asked));
  };
  return {
      {web::GET, "/api/admin/git-hosts", key, nullptr, web::plain(list).returns<HostList>(),
       "The box's accounts at git hosts"},
      {web::PUT, "/api/admin/git-hosts", key, nullptr,
       web::body<HostChange>(set).returns<HostView>().describe(
           "`url` is a user at a host: ssh://git@git.example.org, https://box@git.example.org:8443. `secret` is the "
           "password or token, for ssh a private key without a passphrase; it is kept sealed and never shown again. "
           "`hostKeys` are the fingerprints (SHA256:...) an ssh host may show; without any, it is refused. What is "
           "left "
           "out stays as it was."),
       "Set an account of the box at a git host"},
      {web::DELETE, "/api/admin/git-hosts", key, nullptr,
       web::query<HostQuery>(forget).returns<Forgotten>().describe("`url` is as the list has it."),
       "Forget an account of the box at a git host"},
  };
}

}  // namespace explorer
