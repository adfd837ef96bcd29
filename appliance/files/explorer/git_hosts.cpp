#include "appliance/files/explorer/git_hosts.h"

#include <algorithm>

#include "appliance/files/explorer/ssh_key.h"
#include "store/transact.h"

namespace explorer {

namespace {

std::optional<std::string> problem_of_password(const std::string& text) {
  const bool has_control = std::ranges::any_of(text, [](unsigned char c) { return c < 0x20 || c == 0x7f; });
  if (text.empty() || has_control) return "secret must be a password or token of one line";
  return std::nullopt;
}

std::optional<std::string> problem_of(const GitHostChange& change) {
  const bool is_ssh = change.account.origin.scheme == "ssh";
  if (change.secret) {
    if (auto problem = is_ssh ? problem_of_ssh_key(*change.secret) : problem_of_password(*change.secret))
      return problem;
  }
  if (!change.host_keys) return std::nullopt;
  if (!is_ssh) return "hostKeys are for ssh hosts: others prove themselves by certificates";
  if (std::ranges::all_of(*change.host_keys, is_host_key_fingerprint)) return std::nullopt;
  return "hostKeys must be fingerprints as ssh-keygen -l prints them: SHA256: and 43 characters";
}

}  // namespace

std::vector<GitHost> GitHosts::list() const {
  std::vector<GitHost> hosts;
  system_.each(git_hosts, [&](const GitHost& host) {
    hosts.push_back(host);
    return true;
  });
  return hosts;
}

std::optional<git::Credential> GitHosts::find(const Origin& origin) const {
  auto row = system_.get(git_hosts, origin.text());
  if (!row) return std::nullopt;
  auto& host = row->value;
  return git::Credential{
      .user = std::move(host.user), .secret = std::move(host.secret.clear), .host_keys = std::move(host.host_keys)};
}

web::Task<web::Result<GitHost>> GitHosts::put(GitHostChange wanted) {
  if (const auto problem = problem_of(wanted)) co_return web::invalid(*problem);
  const auto id = wanted.account.origin.text();
  const auto put = [&](store::Change& change) -> web::Result<GitHost> {
    auto row = system_.get(git_hosts, id);
    if (!row && !wanted.secret) return web::invalid("secret is required: the box has no account at " + id + " yet");
    GitHost host = row ? row->value : GitHost{.id = id};
    host.user = wanted.account.user;
    if (wanted.secret) host.secret.clear = *wanted.secret;
    if (wanted.host_keys) host.host_keys = *wanted.host_keys;
    host.updated_at = store::now();
    if (row) {
      row->value = host;
      change.update(git_hosts, *row);
    } else {
      change.insert(git_hosts, host);
    }
    return host;
  };
  co_return co_await store::transact(system_, put);
}

web::Task<bool> GitHosts::remove(std::string id) {
  const auto erase = [&](store::Change& change) {
    const auto row = system_.get(git_hosts, id);
    if (row) change.erase(git_hosts, *row);
    return row.has_value();
  };
  co_return co_await store::transact(system_, erase);
}

}  // namespace explorer
