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
  std::vector<std::string> host_keys;  // for ssh: fingerprints (SHA256:...) of accepted host keys
};

// One branch, to a remote that was checked beforehand.
struct PushRequest {
  std::string remote;  // its name; refs/remotes/<name>/ is updated
  std::string url;     // http(s), ssh, or the path of a folder
  std::string branch;
  std::optional<Route> route;            // except for folders
  std::optional<Credential> credential;  // sent once, when the remote asks; required for ssh
  std::optional<std::string> ssh_path;   // for ssh: path of the repository on the host
};

// Redirects are not followed and no proxy is used. Destination and credentials come only from the request, never from
// an ssh agent, keys or known_hosts of the machine. Returns nullopt on success, else the reason in a sentence that
// contains no secret; text of the remote in it is truncated and free of control characters.
std::optional<std::string> push(git_repository*, const PushRequest&, const Deadline&);

}  // namespace git
