#include "appliance/files/explorer/views.h"

#include <algorithm>
#include <boost/json.hpp>
#include <memory>

#include "web/protocol/conditional.h"
#include "web/utf8.h"

namespace explorer {

namespace json = boost::json;

namespace {

constexpr std::int64_t default_tree_depth = 3, max_tree_depth = 4, default_commits = 20, max_commits = 100;

// Writes JSON text directly: there may be thousands of nodes.
void write_node(std::string& out, const Node& node) {
  out += node.is_folder ? R"({"type":"folder","name":)" : R"({"type":"file","name":)";
  web::write_json(out, node.name);
  out += R"(,"path":)";
  web::write_json(out, node.path);
  if (node.children) {
    out += R"(,"children":)";
    char separator = '[';
    for (const auto& child : *node.children) {
      out += separator;
      separator = ',';
      write_node(out, child);
    }
    out += separator == '[' ? "[]" : "]";
  }
  out += '}';
}

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

constexpr std::uint64_t streamed_piece_bytes = 256 * 1024;

web::Stream stream_of(Explorer& explorer, std::shared_ptr<const Raw> raw, web::Selection part) {
  return [&explorer, raw = std::move(raw), part](web::StreamWriter& writer) -> web::Task<> {
    for (std::uint64_t done = 0; done < part.length;) {
      const auto size = std::min(streamed_piece_bytes, part.length - done);
      auto piece = co_await explorer.piece(raw->file, part.begin + done, static_cast<std::size_t>(size));
      co_await writer.write(std::move(piece));
      done += size;
    }
  };
}

}  // namespace

int depth_of(const Limit& depth) { return int(std::min(depth ? depth->value : default_tree_depth, max_tree_depth)); }

std::size_t commits_of(const Limit& limit) {
  return std::size_t(std::min(limit ? limit->value : default_commits, max_commits));
}

web::Endpoint sends(std::string_view media_type, web::Endpoint endpoint) {
  endpoint.answer = [type = std::string(media_type)] {
    return boost::json::value{{"type", "string"}, {"contentMediaType", type}};
  };
  return endpoint;
}

web::Response view(const Tree& tree) {
  web::Response response;
  auto& out = response.body.emplace<std::string>();
  out += R"({"ok":true,"root":)";
  write_node(out, tree.root);
  if (tree.is_truncated) out += R"(,"truncated":true)";
  out += '}';
  return response;
}

web::Response view(File file) {
  const auto size = file.content.size();
  const ReadAnswer answer{
      .path = std::move(file.path), .content = std::move(file.content), .size = size, .modified = file.modified};
  return web::reply(answer);
}

web::Response view(SearchResult found) {
  SearchAnswer answer{.matches = {}, .files = found.files, .truncated = found.is_truncated};
  for (auto& match : found.matches) {
    answer.matches.push_back({std::move(match.path), match.line, match.column, std::move(match.text)});
  }
  return web::reply(answer);
}

web::Response view(const web::Request& request, Raw opened, Explorer& explorer) {
  const auto raw = std::make_shared<const Raw>(std::move(opened));
  const auto part = web::select(request, raw->validators, raw->size);
  auto response = web::selected(part, raw->validators, raw->size);
  response.set("Cache-Control", "private, no-cache");
  if (part.kind != web::Selection::Kind::whole && part.kind != web::Selection::Kind::part) return response;
  response.content_type = raw->type;
  response.set("Cross-Origin-Resource-Policy", "same-origin");
  // Always a download: images and players of the console's pages show it all the same.
  response.set("Content-Disposition", attachment(raw->name));
  response.stream_length = part.length;
  response.body = stream_of(explorer, raw, part);
  return response;
}

web::Response view(const std::optional<Status>& found) {
  if (!found) return web::json(json::object{{"ok", true}, {"isGitRepo", false}});
  StatusAnswer answer{.branch = found->branch, .remote = found->remote, .changes = {}};
  for (const auto& change : found->changes.list) answer.changes.push_back({change.code(), change.path});
  answer.hasChanges = !answer.changes.empty();
  return with_flag(web::reply(answer), "truncated", found->changes.is_truncated);
}

web::Response view(Diffs found) {
  const bool is_lossy = !web::is_utf8(found.unstaged) || !web::is_utf8(found.staged);
  const DiffAnswer answer{.unstaged = unless_empty(std::move(found.unstaged)),
                          .staged = unless_empty(std::move(found.staged))};
  return with_flag(web::reply(answer), "lossy", is_lossy);
}

web::Response view(const std::vector<git::Commit>& found) {
  LogAnswer answer;
  for (const auto& commit : found) {
    answer.commits.push_back({commit.hash, commit.short_hash, commit.subject, commit.author, commit.date});
  }
  return web::reply(answer);
}

web::Response view(git::ShownCommit found) {
  ShowAnswer answer;
  answer.commit = {.hash = found.commit.hash,
                   .shortHash = found.commit.short_hash,
                   .subject = found.commit.subject,
                   .author = found.commit.author,
                   .email = found.email,
                   .date = found.commit.date,
                   .message = found.message,
                   .parents = found.parents};
  for (const auto& file : found.files) answer.changes.push_back({{file.status}, file.path, file.from});
  const bool is_lossy = !web::is_utf8(found.patch);
  answer.diff = unless_empty(std::move(found.patch));
  answer.content = std::move(found.content);
  return with_flag(web::reply(answer), "lossy", is_lossy);
}

}  // namespace explorer
