#include "appliance/hosting/uploads/form.h"

#include <algorithm>

#include "appliance/hosting/uploads/multipart.h"

namespace uploads {

namespace {

constexpr std::size_t longest_field = 4'096;
constexpr std::size_t piece_bytes = 64 * 1024;  // the parser copies one piece at a time

}  // namespace

web::Result<Form> read_form(std::string_view content_type, std::string_view body) {
  const auto boundary = boundary_of(content_type);
  if (!boundary) return boundary.error();
  Form form;
  std::string folder;
  std::string* into = nullptr;
  std::string field;
  PartSink sink;
  sink.begin = [&](const PartHead& head) -> web::Result<void> {
    field.clear();
    if (head.filename) {
      if (head.filename->empty()) return web::invalid("file must have a name");
      form.files.push_back({.path = *head.filename, .content = {}});
      into = &form.files.back().content;
      return {};
    }
    field = head.name;
    into = field == "agentId" ? &form.agent : field == "path" ? &folder : nullptr;
    if (into && !into->empty()) return web::invalid(field + " must be given once");
    return {};
  };
  sink.data = [&](std::string_view bytes) -> web::Result<void> {
    if (!into) return {};
    into->append(bytes);
    if (!field.empty() && into->size() > longest_field) return web::invalid(field + " is too long");
    return {};
  };
  sink.end = []() -> web::Result<void> { return {}; };
  Multipart parser(*boundary, std::move(sink));
  for (; !body.empty(); body.remove_prefix(std::min(body.size(), piece_bytes)))
    if (auto taken = parser.take(body.substr(0, piece_bytes)); !taken) return taken.error();
  if (auto finished = parser.finish(); !finished) return finished.error();
  if (form.agent.empty()) return web::invalid("agentId is required");
  if (form.files.empty()) return web::invalid("file is required: a part with a filename");
  for (auto& file : form.files)
    if (!folder.empty()) file.path = folder + (folder.ends_with('/') ? "" : "/") + file.path;
  return form;
}

}  // namespace uploads
