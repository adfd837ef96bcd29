// libgit2's way to an ssh host, in place of its own: that one trusts known_hosts, waits for ever, and hands the path to
// the other end's shell as it is.
#pragma once

#include <git2.h>

#include <string>

#include "appliance/files/explorer/git/connection.h"
#include "appliance/files/explorer/git/push.h"

namespace git {

// What the transport needs to know, and where it notes why it failed.
struct SshOrder {
  const Route& route;
  const Deadline& deadline;
  const Credential& credential;
  std::string path;     // of the repository, at the host
  std::string refusal;  // a sentence
};

// As git_remote_callbacks::transport wants it. The order must outlive the transport.
int make_ssh_transport(git_transport** out, git_remote* owner, SshOrder& order);

}  // namespace git
