// The files of templates: read from workspaces, and written to those of new agents.
#include "appliance/hosting/agent_files/agent_files.h"
#include "appliance/hosting/templates/templates.h"

namespace templates {

namespace {

constexpr int tree_depth = 20;

void add_files(const explorer::Node& node, std::vector<std::string>& paths) {
  if (!node.is_folder) paths.push_back(node.path);
  if (node.children)
    for (const auto& child : *node.children) add_files(child, paths);
}

}  // namespace

web::Error too_many(std::string message) { return {.kind = web::Kind::too_many, .message = std::move(message)}; }

std::string filled(std::string text, const std::map<std::string, std::string>& answers) {
  for (const auto& [name, answer] : answers) {
    const auto place = "{{" + name + "}}";
    for (auto at = text.find(place); at != std::string::npos; at = text.find(place, at + answer.size()))
      text.replace(at, place.size(), answer);
  }
  return text;
}

web::Task<web::Result<std::vector<TemplateFile>>> Templates::read_files(store::UserId user, std::string agent,
                                                                        std::vector<std::string> paths) const {
  std::vector<std::string> wanted;
  if (!paths.empty()) {
    const auto tree = co_await parts_.files.explorer().tree(agent, std::string(), tree_depth);
    if (!tree) co_return tree.error();
    std::vector<std::string> all;
    add_files(tree->root, all);
    for (const auto& path : paths) {
      const auto before = wanted.size();
      for (const auto& file : all)
        if (file == path || file.starts_with(path + "/")) wanted.push_back(file);
      if (wanted.size() == before) co_return web::not_found("paths: there is no " + path + " in the workspace");
    }
  }
  if (wanted.size() > max_files) co_return too_many("A template has at most " + std::to_string(max_files) + " files");
  std::vector<TemplateFile> found;
  std::size_t bytes = 0;
  for (auto& path : wanted) {
    auto reading = parts_.files.explorer().read(agent, path);
    auto file = co_await std::move(reading);
    if (!file) co_return web::invalid("paths: " + path + ": " + file.error().message);
    bytes += file->content.size();
    if (bytes > max_bytes) co_return too_many("A template's files have at most 2 MB together");
    found.push_back({.owner = user, .id = std::move(path), .content = std::move(file->content)});
  }
  co_return found;
}

web::Task<web::Result<void>> Templates::write_files(store::UserId user, std::string agent, Template one,
                                                    std::map<std::string, std::string> answers) const {
  for (const auto& path : one.files) {
    const auto file = system_.get(files, one.owner, one.id + "/" + path);
    if (!file) continue;  // the template was removed meanwhile
    const auto access = parts_.files.access(user, agent);
    if (!access) co_return access.error();
    auto writing = parts_.files.write(*access, path, filled(file->value.content, answers));
    const auto written = co_await std::move(writing);
    if (!written) co_return written.error();
  }
  co_return web::Result<void>();
}

}  // namespace templates
