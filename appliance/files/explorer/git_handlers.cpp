#include <algorithm>
#include <boost/json.hpp>

#include "appliance/files/explorer/handlers.h"
#include "web/utf8.h"

namespace explorer {

namespace json = boost::json;

namespace {

constexpr std::int64_t default_commits = 20, most_commits = 100;

std::optional<std::string> unless_empty(std::string text) {
  if (text.empty()) return std::nullopt;
  return text;
}

// Adds the field `name` to a JSON answer if it is true.
web::Response with_flag(web::Response answer, std::string_view name, bool is_true) {
  if (!is_true) return answer;
  auto& text = std::get<std::string>(answer.body);
  text.pop_back();
  text.append(",\"").append(name).append("\":true}");
  return answer;
}

}  // namespace

Reply show_status(const Services& services, const web::Request&, AgentQuery query) {
  const auto found = co_await services.explorer.status(agent_of(query.agent));
  if (!found) co_return found.error();
  if (!*found) co_return web::json(json::object{{"ok", true}, {"isGitRepo", false}});
  const auto& state = **found;
  StatusAnswer answer{.branch = state.branch, .remote = state.remote, .changes = {}};
  for (const auto& change : state.changes.list) answer.changes.push_back({change.code(), change.path});
  answer.hasChanges = !answer.changes.empty();
  co_return with_flag(web::reply(answer), "truncated", state.changes.is_truncated);
}

Reply show_diff(const Services& services, const web::Request&, DiffQuery query) {
  auto found = co_await services.explorer.diff(agent_of(query.agent), path_of(query.path));
  if (!found) co_return found.error();
  const bool is_lossy = !web::is_utf8(found->unstaged) || !web::is_utf8(found->staged);
  const DiffAnswer answer{.unstaged = unless_empty(std::move(found->unstaged)),
                          .staged = unless_empty(std::move(found->staged))};
  co_return with_flag(web::reply(answer), "lossy", is_lossy);
}

Reply sync_repository(const Services& services, Explorer::Agent agent, SyncBody body) {
  std::string message = body.message ? std::string(*body.message) : std::string();
  const auto synced = co_await services.explorer.sync(std::move(agent), std::move(message));
  if (!synced) co_return synced.error();
  const SyncAnswer answer{.committed = synced->hash.has_value(),
                          .pushed = synced->is_pushed,
                          .hash = synced->hash,
                          .message = synced->message};
  co_return web::reply(answer);
}

Reply show_log(const Services& services, const web::Request&, LogQuery query) {
  const auto limit = std::min(query.limit ? query.limit->value : default_commits, most_commits);
  const auto found = co_await services.explorer.log(agent_of(query.agent), std::size_t(limit));
  if (!found) co_return found.error();
  LogAnswer answer;
  for (const auto& commit : *found) {
    answer.commits.push_back({commit.hash, commit.short_hash, commit.subject, commit.author, commit.date});
  }
  co_return web::reply(answer);
}

Reply show_commit(const Services& services, const web::Request&, ShowQuery query) {
  std::string revision = query.rev ? std::string(*query.rev) : "HEAD";
  auto found = co_await services.explorer.show(agent_of(query.agent), std::move(revision), path_of(query.path));
  if (!found) co_return found.error();
  ShowAnswer answer;
  answer.commit = {.hash = found->commit.hash,
                   .shortHash = found->commit.short_hash,
                   .subject = found->commit.subject,
                   .author = found->commit.author,
                   .email = found->email,
                   .date = found->commit.date,
                   .message = found->message,
                   .parents = found->parents};
  for (const auto& file : found->files) answer.changes.push_back({{file.status}, file.path, file.from});
  const bool is_lossy = !web::is_utf8(found->patch);
  answer.diff = unless_empty(std::move(found->patch));
  answer.content = std::move(found->content);
  co_return with_flag(web::reply(answer), "lossy", is_lossy);
}

}  // namespace explorer
