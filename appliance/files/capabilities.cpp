// What each capability of this module is built of, and what it brings: its tables, its rows, its background work.
#include "appliance/files/capabilities.h"

#include "appliance/files/explorer/handlers.h"
#include "appliance/files/module.h"

namespace explorer {

namespace {

Options options_of(const agentbox::Platform& platform, const GitHosts& git_hosts) {
  const auto& settings = platform.settings;
  Options options{.root = settings.browse_root,
                  .author = {.name = settings.git_author_name, .email = settings.git_author_email},
                  .find_credential = [&git_hosts](const auto& origin) { return git_hosts.find(origin); },
                  .remote_time = settings.git_remote_timeout};
  if (options.root.empty()) {
    options.root = platform.folder.agents();
    std::filesystem::create_directories(options.root);
  }
  return options;
}

struct Parts {
  explicit Parts(files::Module& module)
      : files(module),
        git_hosts(module.platform.system),
        explorer(options_of(module.platform, git_hosts),
                 [&module](std::string_view agent) { return module.workspace_of(agent); }) {}
  Services services() { return {explorer, git_hosts, files.identity.audit}; }

  files::Module& files;
  GitHosts git_hosts;
  Explorer explorer;
};

}  // namespace

files::Capability capability() {
  return files::Capability::of<Parts>({.tables = {store::describe(git_hosts)}, .backend = backend_routes});
}

}  // namespace explorer

namespace files {

// In the order in which they are built; they stop in reverse.
std::vector<Capability> capabilities() {
  return {
      ::explorer::capability(),
  };
}

}  // namespace files
