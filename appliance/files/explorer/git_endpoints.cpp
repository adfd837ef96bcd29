#include <boost/json.hpp>

#include "appliance/files/explorer/endpoints.h"
#include "appliance/files/explorer/route_parts.h"
#include "web/utf8.h"

namespace explorer {

namespace json = boost::json;

namespace {

constexpr std::int64_t most_commits = 100;
constexpr auto any = std::numeric_limits<std::int64_t>::max();  // more than the cap is the cap

struct DiffQuery {
  OptionalPath path;
  AgentId agent;
};
BOOST_DESCRIBE_STRUCT(DiffQuery, (), (path, agent))

struct SyncBody {
  std::optional<web::Prose<0, 10'000>> message;  // blank is as good as none
};
BOOST_DESCRIBE_STRUCT(SyncBody, (), (message))

struct LogQuery {
  std::optional<web::Integer<1, any>> limit;
  AgentId agent;
};
BOOST_DESCRIBE_STRUCT(LogQuery, (), (limit, agent))

struct ShowQuery {
  std::optional<web::Text<1, 250>> rev;
  OptionalPath path;
  AgentId agent;
};
BOOST_DESCRIBE_STRUCT(ShowQuery, (), (rev, path, agent))

struct ChangeItem {
  std::string status, path;
};
BOOST_DESCRIBE_STRUCT(ChangeItem, (), (status, path))

struct StatusAnswer {
  bool ok = true, isGitRepo = true;
  std::string branch;
  std::optional<std::string> remote;
  std::vector<ChangeItem> changes;
  bool hasChanges = false;
};
BOOST_DESCRIBE_STRUCT(StatusAnswer, (), (ok, isGitRepo, branch, remote, changes, hasChanges))

struct DiffAnswer {
  bool ok = true;
  std::optional<std::string> unstaged, staged;
};
BOOST_DESCRIBE_STRUCT(DiffAnswer, (), (ok, unstaged, staged))

struct SyncAnswer {
  bool ok = true, committed = false, pushed = false;
  std::optional<std::string> hash;
  std::string message;
};
BOOST_DESCRIBE_STRUCT(SyncAnswer, (), (ok, committed, pushed, hash, message))

struct CommitItem {
  std::string hash, shortHash, subject, author;
  std::chrono::sys_time<std::chrono::milliseconds> date;
};
BOOST_DESCRIBE_STRUCT(CommitItem, (), (hash, shortHash, subject, author, date))

struct LogAnswer {
  bool ok = true;
  std::vector<CommitItem> commits;
};
BOOST_DESCRIBE_STRUCT(LogAnswer, (), (ok, commits))

struct ShownFile {
  std::string status, path;
  std::optional<std::string> from;
};
BOOST_DESCRIBE_STRUCT(ShownFile, (), (status, path, from))

struct ShownCommitItem {
  std::string hash, shortHash, subject, author, email;
  std::chrono::sys_time<std::chrono::milliseconds> date;
  std::string message;
  std::vector<std::string> parents;
};
BOOST_DESCRIBE_STRUCT(ShownCommitItem, (), (hash, shortHash, subject, author, email, date, message, parents))

struct ShowAnswer {
  bool ok = true;
  ShownCommitItem commit;
  std::vector<ShownFile> changes;
  std::optional<std::string> diff, content;
};
BOOST_DESCRIBE_STRUCT(ShowAnswer, (), (ok, commit, changes, diff, content))

std::optional<std::string> unless_empty(std::string text) {
  if (text.empty()) return std::nullopt;
  return text;
}

// Adds the field `name` to an answer when it is true: else the answer is what it is without it.
web::Response with_flag(web::Response answer, std::string_view name, bool is_true) {
  if (!is_true) return answer;
  auto& text = std::get<std::string>(answer.body);
  text.pop_back();
  text.append(",\"").append(name).append("\":true}");
  return answer;
}

}  // namespace

web::Endpoint status_endpoint(Explorer& explorer) {
  return web::query<AgentQuery>([&explorer](web::Request&, AgentQuery asked) -> Answer {
           const auto found = co_await explorer.status(agent_of(asked.agent));
           if (!found) co_return found.error();
           if (!*found) co_return web::json(json::object{{"ok", true}, {"isGitRepo", false}});
           const auto& state = **found;
           StatusAnswer answer{.branch = state.branch, .remote = state.remote, .changes = {}};
           for (const auto& change : state.changes.list) answer.changes.push_back({change.code(), change.path});
           answer.hasChanges = !answer.changes.empty();
           co_return with_flag(web::reply(answer), "truncated", state.changes.is_cut);
         })
      .returns<StatusAnswer>()
      .fails({web::Kind::conflict})
      .describe(
          "`status` is the code of git status --porcelain without spaces: M, A, D, R, T, ??, AM, UU, ... The "
          "repository's status.renames, diff.renames and status.showUntrackedFiles hold here as they do there; what "
          "the last one leaves out is committed by git-sync all the same. `branch` is HEAD when none is checked out. "
          "Just {ok, isGitRepo: false} where there is no repository. After 10,000 changes the rest is left out, and "
          "`truncated` is true.");
}

web::Endpoint diff_endpoint(Explorer& explorer) {
  return web::query<DiffQuery>([&explorer](web::Request&, DiffQuery asked) -> Answer {
           auto found = co_await explorer.diff(agent_of(asked.agent), path_of(asked.path));
           if (!found) co_return found.error();
           const bool is_lossy = !web::is_utf8(found->unstaged) || !web::is_utf8(found->staged);
           const DiffAnswer answer{.unstaged = unless_empty(std::move(found->unstaged)),
                                   .staged = unless_empty(std::move(found->staged))};
           co_return with_flag(web::reply(answer), "lossy", is_lossy);
         })
      .returns<DiffAnswer>()
      .fails({web::Kind::conflict})
      .describe(
          "Patches as git diff and git diff --cached write them, except that a copied file is a new one whatever "
          "diff.renames says; null: nothing differs. Of a file in conflict `staged` "
          "says `* Unmerged path NAME`, and `unstaged` says so too and then compares our side with the file, as git "
          "diff --ours does. `lossy` is true when bytes that are no UTF-8 stand as U+FFFD in them, so that they must "
          "not "
          "be applied. 400 beyond 4 MB.");
}

web::Endpoint sync_endpoint(Explorer& explorer) {
  return body_at<SyncBody>([&explorer](Explorer::Agent agent, SyncBody body) -> Answer {
           std::string message = body.message ? std::string(*body.message) : std::string();
           const auto synced = co_await explorer.sync(std::move(agent), std::move(message));
           if (!synced) co_return synced.error();
           const SyncAnswer answer{.committed = synced->hash.has_value(),
                                   .pushed = synced->is_pushed,
                                   .hash = synced->hash,
                                   .message = synced->message};
           co_return web::reply(answer);
         })
      .returns<SyncAnswer>()
      .fails({web::Kind::conflict})
      .describe(
          "Stages everything, commits it as GIT_AUTHOR_NAME, and pushes the branch to its remote over http, https or "
          "ssh or to a folder, as who the box is there (/api/admin/git-hosts). `message` of the answer says what was "
          "done, why the push failed while the commit stands, or that earlier commits are not pushed yet. No hook and "
          "no filter runs: 500 and nothing done when a changed file needs a filter (git-lfs and the like). 409 while "
          "another sync is running.");
}

web::Endpoint log_endpoint(Explorer& explorer) {
  return web::query<LogQuery>([&explorer](web::Request&, LogQuery asked) -> Answer {
           const auto limit = std::min(asked.limit ? asked.limit->value : 20, most_commits);
           const auto found = co_await explorer.log(agent_of(asked.agent), std::size_t(limit));
           if (!found) co_return found.error();
           LogAnswer answer;
           for (const auto& commit : *found) {
             answer.commits.push_back({commit.hash, commit.short_hash, commit.subject, commit.author, commit.date});
           }
           co_return web::reply(answer);
         })
      .returns<LogAnswer>()
      .fails({web::Kind::conflict})
      .describe("Newest first; `limit` is at most 100. `date` is when it was written.");
}

web::Endpoint show_endpoint(Explorer& explorer) {
  return web::query<ShowQuery>([&explorer](web::Request&, ShowQuery asked) -> Answer {
           std::string revision = asked.rev ? std::string(*asked.rev) : "HEAD";
           auto found = co_await explorer.show(agent_of(asked.agent), std::move(revision), path_of(asked.path));
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
         })
      .returns<ShowAnswer>()
      .fails({web::Kind::conflict})
      .describe(
          "`rev` is a hash of at least 4 digits, a branch, a tag, or HEAD, which is the default; 404 when it is no "
          "commit. `diff` is the patch against the first parent (null: nothing differs) and `changes` its files: A, D, "
          "M, R or T, with `from` for what was renamed. With `path` both are of that file or folder, and `content` is "
          "the file as it was then; null when it was not there, is no UTF-8 text, or is larger than 1 MB. `lossy` is "
          "true "
          "when bytes that are no UTF-8 stand as U+FFFD in `diff`. 400 beyond a patch of 4 MB.");
}

}  // namespace explorer
