// The ssh transport for libgit2. Its own trusts known_hosts, has no timeout, and passes the path to the remote shell
// unquoted.
#pragma once

#include <git2.h>

#include <string>

#include "appliance/files/explorer/git/connection.h"
#include "appliance/files/explorer/git/push.h"

namespace git {

// The transport's parameters, and the place for its error message.
struct SshRequest {
  const Route& route;
  const Deadline& deadline;
  const Credential& credential;
  std::string path;     // of the repository, at the host
  std::string refusal;  // a sentence
};

// For git_remote_callbacks::transport. The request must outlive the transport.
int make_ssh_transport(git_transport** out, git_remote* owner, SshRequest& request);

}  // namespace git
