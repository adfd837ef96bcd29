// Where the box may push to, and with which credentials.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "appliance/files/explorer/git/push.h"
#include "appliance/files/explorer/place.h"
#include "appliance/files/explorer/remote_url.h"
#include "web/result.h"

namespace explorer {

// The box's account at a host, if it has one. Thread-safe.
using FindCredential = std::function<std::optional<git::Credential>(const Origin&)>;

struct Destination {
  std::string url;                  // for git; contains no secret
  std::optional<git::Route> route;  // none for a folder
  std::optional<std::filesystem::path> folder{};
  std::optional<git::Credential> credential;
  std::optional<std::string> ssh_path;  // for ssh: path of the repository on the host
};

// Checks and resolves a remote's URL. Allowed are http and https to hosts whose name resolves, and ssh to hosts where
// the box has an account. Remotes of a workspace must have public addresses unless the box has an account there.
// Folders (a path, or file://) are for the operator's own repository only. An account is used only for its own scheme,
// host and port; user and password in the URL are ignored. Blocks on name resolution. Error messages are for the
// client.
web::Result<Destination> resolve_destination(const std::string& url, const Place&, const FindCredential&);

}  // namespace explorer
