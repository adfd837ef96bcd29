#include <algorithm>

#include "appliance/hosting/uploads/multipart.h"
#include "appliance/hosting/uploads/uploads.h"
#include "web/endpoint.h"

namespace uploads {

namespace {

using web::Request;
using web::Response;
using web::Result;
using Handled = web::Task<Result<Response>>;

const web::RateLimit files_rate{.group = "files", .limit = 100};

constexpr std::size_t longest_field = 4'096, largest_form = 32u << 20;
constexpr std::size_t piece_bytes = 64 * 1024;  // of a form, which the parser keeps a copy of

struct Where {
  web::Text<1, 128> agentId;
  std::optional<web::Text<0, 4'000>> path;
};
BOOST_DESCRIBE_STRUCT(Where, (), (agentId, path))

struct Which {
  web::Text<1, 128> agentId;
  web::Text<1, 4'000> path;
};
BOOST_DESCRIBE_STRUCT(Which, (), (agentId, path))

struct Item {
  std::string path, type;
  std::int64_t size;
  store::Time modified;
};
BOOST_DESCRIBE_STRUCT(Item, (), (path, type, size, modified))

struct List {
  std::vector<Item> files;
  std::int64_t count = 0;
  bool truncated = false;
  std::int64_t usedBytes = 0, quotaBytes = 0;
};
BOOST_DESCRIBE_STRUCT(List, (), (files, count, truncated, usedBytes, quotaBytes))

struct Stored {
  bool success = true;
  std::vector<Item> files;
};
BOOST_DESCRIBE_STRUCT(Stored, (), (success, files))

struct Removed {
  bool success = true;
  std::string path;
};
BOOST_DESCRIBE_STRUCT(Removed, (), (success, path))

std::vector<Item> items_of(std::vector<Entry> entries) {
  std::vector<Item> items;
  for (auto& entry : entries) {
    const bool is_folder = entry.path.ends_with('/');
    if (is_folder) entry.path.pop_back();
    items.push_back({std::move(entry.path), is_folder ? "folder" : "file", entry.size, entry.modified});
  }
  return items;
}

struct Form {
  std::string agent, folder;
  std::vector<NewFile> files;
};

// The fields agentId and path, and every part that has a file name.
Result<Form> read_form(std::string_view content_type, std::string_view body) {
  const auto boundary = boundary_of(content_type);
  if (!boundary) return boundary.error();
  Form form;
  std::string* into = nullptr;
  std::string field;
  PartSink sink;
  sink.begin = [&](const PartHead& head) -> Result<void> {
    field.clear();
    if (head.filename) {
      if (head.filename->empty()) return web::invalid("file must have a name");
      form.files.push_back({.path = *head.filename, .content = {}});
      into = &form.files.back().content;
      return {};
    }
    field = head.name;
    into = field == "agentId" ? &form.agent : field == "path" ? &form.folder : nullptr;
    if (into && !into->empty()) return web::invalid(field + " must be given once");
    return {};
  };
  sink.data = [&](std::string_view bytes) -> Result<void> {
    if (!into) return {};
    into->append(bytes);
    if (!field.empty() && into->size() > longest_field) return web::invalid(field + " is too long");
    return {};
  };
  sink.end = []() -> Result<void> { return {}; };
  Multipart parser(*boundary, std::move(sink));
  for (; !body.empty(); body.remove_prefix(std::min(body.size(), piece_bytes)))
    if (auto taken = parser.take(body.substr(0, piece_bytes)); !taken) return taken.error();
  if (auto finished = parser.finish(); !finished) return finished.error();
  if (form.agent.empty()) return web::invalid("agentId is required");
  if (form.files.empty()) return web::invalid("file is required: a part with a filename");
  for (auto& file : form.files)
    if (!form.folder.empty()) file.path = form.folder + (form.folder.ends_with('/') ? "" : "/") + file.path;
  return form;
}

}  // namespace

std::vector<web::Route> web_routes(Uploads& service, const agentbox::Guards& guards) {
  auto list = [&service](Request& request, Where where) -> Handled {
    std::string path = where.path ? std::string(std::move(*where.path)) : std::string();
    auto found = co_await service.list(request.caller.user_id, std::move(where.agentId), std::move(path));
    if (!found) co_return found.error();
    List answer{.files = items_of(std::move(found->entries)),
                .truncated = found->truncated,
                .usedBytes = found->used,
                .quotaBytes = found->quota};
    answer.count = std::int64_t(answer.files.size());
    co_return web::reply(answer, 200);
  };
  auto upload = [&service](Request& request) -> Handled {
    const auto reading = [&request] { return read_form(request.header("Content-Type"), request.body); };
    auto form = co_await web::offload(service.pool(), reading);
    if (!form) co_return form.error();
    auto stored = co_await service.put(request.caller.user_id, std::move(form->agent), std::move(form->files));
    if (!stored) co_return stored.error();
    const Stored answer{.files = items_of(std::move(*stored))};
    co_return web::reply(answer, 201);
  };
  auto remove = [&service](Request& request) -> Handled {
    auto which = request.body.empty() ? web::parse_query<Which>(request) : web::parse_body<Which>(request);
    if (!which) co_return which.error();
    const Removed answer{.path = which->path};
    const auto removed = co_await service.remove(request.caller.user_id, std::move(which->agentId), answer.path);
    if (!removed) co_return removed.error();
    co_return web::reply(answer, 200);
  };
  auto removal = web::plain(remove).returns<Removed>().describe(
      "A file, or a folder that is empty. agentId and path come in the body or, without a body, in the query.");
  removal.body = web::schema_of<Which>;
  return {
      {web::GET, "/api/files", guards.session, &files_rate,
       web::query<Where>(list).returns<List>().describe(
           "Everything beneath `path` (the whole workspace), depth first and by name; at most 2,000 entries. The quota "
           "is the plan's: label 100 MiB, solo 500 MiB, collective 2 GiB, network 10 GiB."),
       "An agent's files"},
      {web::POST, "/api/files", guards.session, &files_rate,
       web::plain(upload)
           .returns<Stored>(201)
           .takes(largest_form)
           .describe(
               "multipart/form-data (RFC 7578), 32 MB in all (413 with `limit`, in bytes, beyond): the fields "
               "`agentId` and, when they are to go into a folder, `path`; and one part with a filename for each "
               "file, 64 parts at most. What has the same name is replaced, missing folders are made. 400 for names "
               "that lead out of the workspace, through a link, or into .git or the agent's own state; 429 with "
               "current and limit (bytes) and the code STORAGE_LIMIT_REACHED beyond the quota; 503 while four forms "
               "of more than 1 MB are under way, or two from one address. Nothing is written when one of the files "
               "is refused."),
       "Put files into an agent's workspace"},
      {web::DELETE, "/api/files", guards.session, &files_rate, std::move(removal), "Remove one of an agent's files"},
  };
}

}  // namespace uploads
