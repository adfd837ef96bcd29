#include "appliance/hosting/agent_files/agent_files.h"

#include <algorithm>

#include "appliance/access/records.h"

namespace agent_files {

namespace {

constexpr std::size_t max_in_progress = 8;

explorer::Options options_of(const std::filesystem::path& folder, files::IsReserved hides) {
  // Users have no account at git hosts here: they commit, and push with tools of their own.
  return {.root = folder,
          .author = {},
          .find_credential = [](const auto&) { return std::nullopt; },
          .hides = hides,
          .makes_workspaces = true};
}

// git refuses names with these.
std::string without_brackets(std::string text) {
  std::erase_if(text, [](unsigned char c) { return c == '<' || c == '>' || c < 0x20; });
  return text;
}

}  // namespace

AgentFiles::AgentFiles(store::System system, const agents::AgentDirectory& agents, uploads::Uploads& uploads,
                       std::filesystem::path folder, files::IsReserved hides)
    : system_(std::move(system)),
      agents_(agents),
      uploads_(uploads),
      explorer_(options_of(folder, hides), [folder](std::string_view agent) { return folder / agent / "workspace"; }) {}

web::Result<AgentFiles::Access> AgentFiles::access(store::UserId user, const std::string& agent) {
  if (!agents_.find(user, agent)) return web::not_found();
  auto slot = std::make_unique<web::ConcurrencyLimit::Slot>(in_progress_, std::to_string(user));
  if (slot->before() >= max_in_progress) {
    return web::Error{.kind = web::Kind::too_many,
                      .message = "8 of your requests to files are in progress already, please wait for one."};
  }
  return Access(user, agent, std::move(slot));
}

web::Task<web::Result<std::string>> AgentFiles::write(const Access& access, std::string path, std::string content) {
  auto written = co_await uploads_.write(access.user, access.agent, std::move(path), std::move(content));
  if (!written) co_return written.error();
  co_return std::move(written->path);
}

web::Task<web::Result<explorer::CommitResult>> AgentFiles::commit(const Access& access, std::string message) {
  auto author = author_of(access.user);
  auto committed = co_await explorer_.commit(access.agent, std::move(message), std::move(author));
  co_return for_owner(std::move(committed));
}

git::Identity AgentFiles::author_of(store::UserId user) const {
  const auto found = system_.cached(accounts::users, user);
  git::Identity author;
  if (found) author = {.name = without_brackets(found->name), .email = without_brackets(found->email)};
  if (author.name.find_first_not_of(' ') == std::string::npos) author.name = "user " + std::to_string(user);
  if (author.email.empty()) author.email = std::to_string(user) + "@agentbox.invalid";
  return author;
}

}  // namespace agent_files
