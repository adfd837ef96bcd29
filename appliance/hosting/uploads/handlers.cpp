#include "appliance/hosting/uploads/handlers.h"

#include "appliance/hosting/uploads/form.h"

namespace uploads {

namespace {

using web::Request;

std::vector<FileItem> items_of(std::vector<Entry> entries) {
  std::vector<FileItem> items;
  for (auto& entry : entries) {
    const bool is_folder = entry.path.ends_with('/');
    if (is_folder) entry.path.pop_back();
    items.push_back({std::move(entry.path), is_folder ? "folder" : "file", entry.size, entry.modified});
  }
  return items;
}

}  // namespace

web::Answer list_files(const Services& services, const Request& request, ListQuery query) {
  std::string path = query.path ? std::string(std::move(*query.path)) : std::string();
  auto found = co_await services.uploads.list(request.caller.user_id, std::move(query.agentId), std::move(path));
  if (!found) co_return found.error();
  FileList answer{.files = items_of(std::move(found->entries)),
                  .truncated = found->truncated,
                  .usedBytes = found->used,
                  .quotaBytes = found->quota};
  answer.count = std::int64_t(answer.files.size());
  co_return web::reply(answer, 200);
}

web::Answer upload_files(const Services& services, const Request& request) {
  const auto parse = [&request] { return read_form(request.header("Content-Type"), request.body); };
  auto form = co_await web::offload(services.uploads.pool(), parse);
  if (!form) co_return form.error();
  auto stored = co_await services.uploads.put(request.caller.user_id, std::move(form->agent), std::move(form->files));
  if (!stored) co_return stored.error();
  const UploadAnswer answer{.files = items_of(std::move(*stored))};
  co_return web::reply(answer, 201);
}

web::Answer remove_file(const Services& services, const Request& request, RemoveRequest body) {
  const FileRemoved answer{.path = body.path};
  const auto removed = co_await services.uploads.remove(request.caller.user_id, std::move(body.agentId), answer.path);
  if (!removed) co_return removed.error();
  co_return web::reply(answer, 200);
}

}  // namespace uploads
