#include "appliance/files/module.h"

#include "appliance/files/explorer/routes.h"

namespace files {

namespace {

explorer::Options explorer_options(const agentbox::Platform& platform, const explorer::GitHosts& git_hosts) {
  const auto& settings = platform.settings;
  explorer::Options options{.root = settings.browse_root,
                            .author = {.name = settings.git_author_name, .email = settings.git_author_email},
                            .find_credential = [&git_hosts](const auto& origin) { return git_hosts.find(origin); },
                            .remote_time = settings.git_remote_timeout};
  if (options.root.empty()) {
    options.root = platform.folder.agents();
    std::filesystem::create_directories(options.root);
  }
  return options;
}

}  // namespace

Module::Module(const agentbox::Platform& platform, identity::Module& identity, WorkspaceOf workspace_of)
    : identity_(identity),
      git_hosts_(platform.system),
      explorer_(explorer_options(platform, git_hosts_), std::move(workspace_of)) {}

agentbox::Rows Module::rows() {
  agentbox::Rows rows;
  web::append(rows.backend,
              explorer::backend_routes({explorer_, git_hosts_, identity_.authentication.audit(), identity_.guards}));
  return rows;
}

}  // namespace files
