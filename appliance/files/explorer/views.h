// Bodies and answers about files and repositories, for every listener that serves them.
#pragma once

#include <boost/describe.hpp>
#include <chrono>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "appliance/files/explorer/explorer.h"
#include "web/routes/endpoint.h"

namespace explorer {

using Path = web::Text<1, 4096>;
using OptionalPath = std::optional<web::Text<0, 4096>>;  // empty: the whole folder
// Values above the handler's maximum are reduced to it.
using Limit = std::optional<web::Integer<1, std::numeric_limits<std::int64_t>::max()>>;

inline std::string path_of(const OptionalPath& path) { return path ? std::string(*path) : std::string(); }
// The levels of a tree, and the commits of a log, that a request asks for.
int depth_of(const Limit&);
std::size_t commits_of(const Limit&);

// Documents an answer that is not JSON.
web::Endpoint sends(std::string_view media_type, web::Endpoint);

// ---- Files

// Describe the answer in the OpenAPI document only; view() writes it without them.
struct TreeItem {
  std::string type, name, path;
  std::optional<std::vector<TreeItem>> children;
};
BOOST_DESCRIBE_STRUCT(TreeItem, (), (type, name, path, children))

struct TreeAnswer {
  bool ok = true;
  TreeItem root;
  std::optional<bool> truncated;
};
BOOST_DESCRIBE_STRUCT(TreeAnswer, (), (ok, root, truncated))

struct ReadAnswer {
  bool ok = true;
  std::string path, content;
  std::size_t size = 0;
  std::chrono::sys_time<std::chrono::milliseconds> modified;
};
BOOST_DESCRIBE_STRUCT(ReadAnswer, (), (ok, path, content, size, modified))

struct WriteBody {
  Path path;
  web::Verbatim<0, max_file_bytes> content;
};
BOOST_DESCRIBE_STRUCT(WriteBody, (), (path, content))

struct WriteAnswer {
  bool ok = true;
  std::string path;
  std::size_t size = 0;
};
BOOST_DESCRIBE_STRUCT(WriteAnswer, (), (ok, path, size))

struct MoveBody {
  Path from, to;
  std::optional<bool> overwrite;
};
BOOST_DESCRIBE_STRUCT(MoveBody, (), (from, to, overwrite))

struct MoveAnswer {
  bool ok = true;
  std::string from, to;
};
BOOST_DESCRIBE_STRUCT(MoveAnswer, (), (ok, from, to))

struct RemoveAnswer {
  bool ok = true;
  std::string path;
};
BOOST_DESCRIBE_STRUCT(RemoveAnswer, (), (ok, path))

struct MatchItem {
  std::string path;
  std::size_t line = 1, column = 1;
  std::string text;
};
BOOST_DESCRIBE_STRUCT(MatchItem, (), (path, line, column, text))

struct SearchAnswer {
  bool ok = true;
  std::vector<MatchItem> matches;
  std::size_t files = 0;
  bool truncated = false;
};
BOOST_DESCRIBE_STRUCT(SearchAnswer, (), (ok, matches, files, truncated))

web::Response view(const Tree&);
web::Response view(File);
web::Response view(SearchResult);
// The file, or the part of it that the request asks for (RFC 9110). The explorer must outlive the response.
web::Response view(const web::Request&, Raw, Explorer&);

// ---- Git

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

struct SyncBody {
  std::optional<web::Prose<0, 10'000>> message;  // blank: the default message
};
BOOST_DESCRIBE_STRUCT(SyncBody, (), (message))

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

web::Response view(const std::optional<Status>&);
web::Response view(Diffs);
web::Response view(const std::vector<git::Commit>&);
web::Response view(git::ShownCommit);

}  // namespace explorer
