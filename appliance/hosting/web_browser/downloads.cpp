#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "appliance/files/root.h"
#include "appliance/hosting/uploads/uploads.h"
#include "appliance/hosting/web_browser/handlers.h"
#include "web/ascii.h"

namespace browser {

namespace {

using web::Result;
using web::Task;

constexpr std::size_t max_file_name = 100;

// A page chooses the name.
std::string safe_name(std::string_view name) {
  if (const auto slash = name.find_last_of("/\\"); slash != name.npos) name.remove_prefix(slash + 1);
  std::string safe;
  for (const char c : name) safe += web::is_alphanumeric(c) || c == '-' || c == '_' || c == '.' ? c : '_';
  safe.erase(0, std::min(safe.find_first_not_of('.'), safe.size()));
  if (safe.size() > max_file_name) safe.erase(0, safe.size() - max_file_name);
  return safe.empty() ? "file" : safe;
}

// What is in the folder belongs to the browser: no link is followed. Blocks.
Result<std::string> read_download(const std::filesystem::path& folder, const std::string& file) {
  auto root = files::Root::open(folder);
  if (!root) return web::internal("The download cannot be read.");
  const files::Components path{downloads_folder, file};
  const auto opened = root->open(path, O_RDONLY | O_NONBLOCK);
  struct stat about {};
  if (!opened || ::fstat(opened->get(), &about) != 0 || !S_ISREG(about.st_mode) || about.st_size > max_download_bytes)
    return web::invalid("The download is not a regular file, or too large.");
  std::string content(std::size_t(about.st_size), '\0');
  for (std::size_t done = 0; done < content.size();) {
    const auto got = ::pread(opened->get(), content.data() + done, content.size() - done, off_t(done));
    if (got <= 0) return web::invalid("The download cannot be read.");
    done += std::size_t(got);
  }
  return content;
}

}  // namespace

Task<Result<PageAnswer>> store_download(const Services& services, const agents::Agent& agent, Download download) {
  const auto folder = services.spec_of(agent).workspace;
  const auto read = [&] { return read_download(folder, download.file); };
  auto content = co_await web::offload(services.blocking, read);
  if (!content) co_return content.error();
  PageAnswer answer{.url = std::move(download.url), .title = {}, .notes = {}};
  answer.bytes = std::int64_t(content->size());
  auto path = "downloads/" + safe_name(download.name);
  const auto written = co_await services.uploads.write(agent.owner, agent.id, path, std::move(*content));
  if (!written) co_return written.error();
  services.gate.turns().taint_file(agent.owner, agent.id, path, gate_source);
  answer.file = std::move(path);
  co_return answer;
}

}  // namespace browser
