#pragma once

#include <optional>
#include <string>
#include <vector>

#include "appliance/files/explorer/git/connection.h"

struct git_repository;

namespace git {

struct Credential {
  std::string user;
  std::string secret;                  // password or token; for ssh the private key
  std::vector<std::string> host_keys;  // for ssh: fingerprints (SHA256:...) of the only keys the host may have
};

// One branch, to a remote that was judged beforehand.
struct PushOrder {
  std::string remote;  // its name: refs/remotes/<name>/ is brought up to date
  std::string url;     // http(s), ssh, or the path of a folder
  std::string branch;
  std::optional<Route> route;            // for all but folders
  std::optional<Credential> credential;  // offered once, when the remote asks; ssh needs one
  std::optional<std::string> ssh_path;   // for ssh: where the repository is at the host
};

// Redirects are not followed, no proxy is used, and nothing but the order says where to and as whom: no agent, key or
// known_hosts of the machine. Nothing: pushed. Else the reason in a sentence that holds no secret; what the remote said
// in it is cut and free of control characters.
std::optional<std::string> push(git_repository*, const PushOrder&, const Deadline&);

}  // namespace git
