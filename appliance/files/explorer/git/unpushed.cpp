#include "appliance/files/explorer/git/unpushed.h"

#include "appliance/files/explorer/git/handles.h"

namespace git {

std::optional<std::size_t> unpushed(git_repository* repository, const std::string& remote, const std::string& branch) {
  const auto id_of = [&](const std::string& name) -> std::optional<git_oid> {
    git_oid id;
    const int code = git_reference_name_to_id(&id, repository, name.c_str());
    if (code == GIT_ENOTFOUND) return std::nullopt;
    check(code, "read the branch");
    return id;
  };
  const auto ours = id_of("refs/heads/" + branch);
  if (!ours) return 0;  // nothing was ever committed
  const auto theirs = id_of("refs/remotes/" + remote + "/" + branch);
  if (!theirs) return std::nullopt;
  std::size_t ahead = 0, behind = 0;
  if (git_graph_ahead_behind(&ahead, &behind, repository, &*ours, &*theirs) < 0) return std::nullopt;
  return ahead;
}

}  // namespace git
