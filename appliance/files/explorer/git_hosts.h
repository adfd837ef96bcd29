// The box's accounts at git hosts: encrypted passwords, tokens and ssh keys, and the known host keys of ssh hosts.
#pragma once

#include <boost/describe.hpp>
#include <optional>
#include <string>
#include <vector>

#include "appliance/files/explorer/git/push.h"
#include "appliance/files/explorer/remote_url.h"
#include "store/store.h"
#include "web/result.h"
#include "web/task.h"

namespace explorer {

struct GitHost {
  std::string id;  // Origin::text
  std::string user;
  store::Sealed secret;                // password or token; for ssh the private key; never returned by a route
  std::vector<std::string> host_keys;  // SHA256:...; for ssh only
  store::Time updated_at{};
};
BOOST_DESCRIBE_STRUCT(GitHost, (), (id, user, secret, host_keys, updated_at))

inline const store::Global<GitHost, std::string> git_hosts{{.family = "git_hosts", .number = 50}, &GitHost::id, {}};

// Omitted members keep their values.
struct GitHostChange {
  Account account;
  std::optional<std::string> secret;
  std::optional<std::vector<std::string>> host_keys;
};

// Thread-safe; must not outlive the store.
class GitHosts {
 public:
  explicit GitHosts(store::System system) : system_(std::move(system)) {}

  std::vector<GitHost> list() const;  // by id
  std::optional<git::Credential> find(const Origin&) const;
  // Kind::invalid: a new host without a secret, an unusable secret, host keys that are not fingerprints or are for a
  // host without host keys.
  web::Task<web::Result<GitHost>> put(GitHostChange);
  // False if there is no such account.
  web::Task<bool> remove(std::string id);

 private:
  store::System system_;
};

}  // namespace explorer
