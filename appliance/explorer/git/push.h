#pragma once

#include <optional>
#include <string>

#include "appliance/explorer/git/remote_stream.h"

struct git_repository;

namespace git {

struct Credential {
  std::string user, password;
};

// One branch, to a remote that was judged beforehand.
struct PushOrder {
  std::string remote;  // its name: refs/remotes/<name>/ is brought up to date
  std::string url;     // http(s), or the path of a folder
  std::string branch;
  std::optional<Route> route;            // for http(s)
  std::optional<Credential> credential;  // offered once, when the remote asks
};

// Redirects are not followed, no proxy is used, and nothing but the order says where to and as whom. Nothing: pushed.
// Else the reason in a sentence that holds no credential.
std::optional<std::string> push(git_repository*, const PushOrder&, const Patience&);

}  // namespace git
