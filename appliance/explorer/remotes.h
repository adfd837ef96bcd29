// Which remotes the box pushes to, and as whom.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "appliance/explorer/git/push.h"
#include "appliance/explorer/place.h"
#include "web/result.h"

namespace explorer {

// What GIT_CREDENTIALS holds of one remote host.
struct HostCredential {
  std::string scheme, host;  // lower case
  std::uint16_t port = 0;
  git::Credential credential;
};
// "https://user:token@git.example.org, ...": one URL a host, no paths; user and password percent-encoded where they
// must be. Nothing when one cannot be read.
std::optional<std::vector<HostCredential>> parse_credentials(std::string_view);

struct Destination {
  std::string url;                  // what git is to use; holds no credential
  std::optional<git::Route> route;  // none for a folder
  std::optional<git::Credential> credential;
};

// Judges a remote's URL. http and https, to hosts whose name resolves; a workspace's remotes must have public addresses
// unless the host has a credential. Folders (a path, or file://) for the operator's own repository only. A credential
// is given to the scheme, host and port it was set for, and the one in the URL is not used. Blocks on name resolution.
// Errors are sentences for the answer.
web::Result<Destination> judge(const std::string& url, const Place&, const std::vector<HostCredential>&);

}  // namespace explorer
