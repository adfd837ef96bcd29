#include <boost/json.hpp>

#include "appliance/agent/tools/toolbox.h"
#include "appliance/agent/workspace_path.h"
#include "web/routes/reply.h"

namespace agent_process {

namespace json = boost::json;

namespace {

constexpr std::size_t max_changes = 200, max_patch_bytes = 24'000;

struct Status {};
BOOST_DESCRIBE_STRUCT(Status, (), ())

struct Diff {
  std::optional<web::Prose<0, 1'024>> path;
};
BOOST_DESCRIBE_STRUCT(Diff, (), (path))

struct Log {
  std::optional<web::Integer<1, 100>> limit;
};
BOOST_DESCRIBE_STRUCT(Log, (), (limit))

struct Commit {
  web::Prose<1, 2'000> message;
};
BOOST_DESCRIBE_STRUCT(Commit, (), (message))

json::value status(const Repository& repository) {
  json::array changes;
  for (const auto& change : repository.status(max_changes)) {
    changes.push_back({{"status", change.status}, {"path", change.path}});
  }
  json::object result;
  result["changes"] = std::move(changes);
  return result;
}

web::Result<json::value> diff(const Repository& repository, const Diff& asked) {
  const auto path = path_components(asked.path ? std::string_view(*asked.path) : std::string_view());
  if (!path) return path.error();
  const auto patch = repository.diff(path->empty() ? "" : files::join(*path), max_patch_bytes);
  if (!patch) return web::invalid("The differences are too large to show at once: ask for one path");
  return json::value(json::object{{"patch", *patch}});
}

json::value log(const Repository& repository, std::size_t limit) {
  json::array commits;
  for (const auto& commit : repository.log(limit)) {
    commits.push_back({{"hash", commit.hash},
                       {"short_hash", commit.short_hash},
                       {"subject", commit.subject},
                       {"author", commit.author},
                       {"date", web::iso8601(commit.date)}});
  }
  json::object result;
  result["commits"] = std::move(commits);
  return result;
}

}  // namespace

std::vector<Tool> git_tools(Repository& repository, boost::asio::thread_pool& files) {
  return {
      blocking_tool<Status>(files, "git_status", "What changed in the workspace since the last commit.",
                            [&repository](const Status&) -> web::Result<json::value> { return status(repository); }),
      blocking_tool<Diff>(files, "git_diff",
                          "The changes in tracked files since the last commit, as a patch; of one path, or of all.",
                          [&repository](const Diff& asked) { return diff(repository, asked); }),
      blocking_tool<Log>(files, "git_log", "The newest commits of the workspace.",
                         [&repository](const Log& asked) -> web::Result<json::value> {
                           return log(repository, asked.limit ? static_cast<std::size_t>(asked.limit->value) : 20);
                         }),
      blocking_tool<Commit>(files, "git_commit", "Commit all changes of the workspace with a message.",
                            [&repository](const Commit& asked) -> web::Result<json::value> {
                              const auto hash = repository.commit_all(asked.message);
                              json::object result;
                              result["committed"] = hash.has_value();
                              if (hash) result["hash"] = *hash;
                              return json::value(std::move(result));
                            }),
  };
}

}  // namespace agent_process
