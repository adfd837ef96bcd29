// The box's accounts at git hosts: passwords, tokens and ssh keys, sealed, and by which keys it knows the ssh hosts.
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
  store::Sealed secret;                // password or token; for ssh the private key; never shown again
  std::vector<std::string> host_keys;  // SHA256:...; for ssh only
  store::Time updated_at{};
};
BOOST_DESCRIBE_STRUCT(GitHost, (), (id, user, secret, host_keys, updated_at))

inline const store::Global<GitHost, std::string> git_hosts{{.family = "git_hosts", .number = 50}, &GitHost::id, {}};

// What the administrator says of a host; what is not said stays as it was.
struct GitHostChange {
  Account account;
  std::optional<std::string> secret;
  std::optional<std::vector<std::string>> host_keys;
};

// Callable from every thread; must not outlive the store.
class GitHosts {
 public:
  explicit GitHosts(store::System system) : system_(std::move(system)) {}

  std::vector<GitHost> list() const;  // by id
  std::optional<git::Credential> find(const Origin&) const;
  // Kind::invalid: a new host without a secret, a secret that cannot serve, host keys that are no fingerprints or for
  // a host that has none.
  web::Task<web::Result<GitHost>> put(GitHostChange);
  // False: there is none.
  web::Task<bool> remove(std::string id);

 private:
  store::System system_;
};

}  // namespace explorer
