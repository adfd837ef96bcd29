// Which remotes the box pushes to, and as whom.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "appliance/files/explorer/git/push.h"
#include "appliance/files/explorer/place.h"
#include "appliance/files/explorer/remote_url.h"
#include "web/result.h"

namespace explorer {

// The box's account at a host; nothing when it has none there. Callable from every thread.
using FindCredential = std::function<std::optional<git::Credential>(const Origin&)>;

struct Destination {
  std::string url;                  // what git is to use; holds no secret
  std::optional<git::Route> route;  // none for a folder
  std::optional<std::filesystem::path> folder{};
  std::optional<git::Credential> credential;
  std::optional<std::string> ssh_path;  // for ssh: where the repository is at the host
};

// Judges a remote's URL. http and https, to hosts whose name resolves, and ssh to hosts where the box has an account; a
// workspace's remotes must have public addresses unless the box has an account there. Folders (a path, or file://) for
// the operator's own repository only. An account is used at its own scheme, host and port alone, and user and password
// in the URL are not. Blocks on name resolution. Errors are sentences for the answer.
web::Result<Destination> judge(const std::string& url, const Place&, const FindCredential&);

}  // namespace explorer
