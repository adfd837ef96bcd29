#include "appliance/hosting/uploads/uploads.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <optional>
#include <set>

#include "appliance/agent/storage.h"
#include "appliance/agent/workspace_path.h"
#include "appliance/billing/subscriptions/storage_upgrades.h"
#include "appliance/files/root.h"
#include "appliance/foundation/crypto/random.h"
#include "web/utf8.h"

namespace uploads {

namespace {

using web::Result;
using web::Task;

constexpr std::size_t max_levels = 32;

store::Time time_of(const timespec& time) {
  const auto since = std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
  return store::Time(std::chrono::duration_cast<std::chrono::milliseconds>(since));
}

// Visits every folder and regular file under `folder`, depth first and by name, until `visit` returns false. Skips
// links.
bool walk(const files::Descriptor& folder, const std::string& prefix, std::size_t level,
          const std::function<bool(const std::string& path, const struct stat&)>& visit) {
  auto names = files::names_in(folder);
  std::erase_if(names, [](const auto& name) { return agent_process::is_reserved(name) || !web::is_utf8(name); });
  std::ranges::sort(names);
  for (const auto& name : names) {
    struct stat info {};
    if (::fstatat(folder.get(), name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) continue;
    const bool is_folder = S_ISDIR(info.st_mode);
    if (!is_folder && !S_ISREG(info.st_mode)) continue;
    if (!visit(prefix + name + (is_folder ? "/" : ""), info)) return false;
    if (!is_folder || level == max_levels) continue;
    const files::Descriptor below(files::open_beneath(folder, name.c_str(), O_RDONLY | O_DIRECTORY));
    if (below && !walk(below, prefix + name + "/", level + 1, visit)) return false;
  }
  return true;
}

// nullopt for an agent that has never run.
Result<std::optional<files::Root>> open_workspace(const std::filesystem::path& workspace) {
  std::error_code unknown;
  if (!std::filesystem::exists(workspace, unknown)) return std::optional<files::Root>();
  auto root = files::Root::open(workspace);
  if (!root) return root.error();
  return std::optional(std::move(*root));
}

Result<Listing> list_of(const std::filesystem::path& workspace, const std::string& path) {
  const auto components = agent_process::path_components(path);
  if (!components) return components.error();
  Listing listing;
  const auto root = open_workspace(workspace);
  if (!root) return root.error();
  if (!*root && !components->empty()) return files::error_of(ENOENT);
  if (!*root) return listing;
  const auto folder = (*root)->open(*components, O_RDONLY | O_DIRECTORY);
  if (!folder) return folder.error();
  const auto prefix = components->empty() ? std::string() : files::join(*components) + "/";
  walk(*folder, prefix, components->size() + 1, [&](const std::string& found, const struct stat& info) {
    listing.truncated = listing.entries.size() == max_entries;
    if (listing.truncated) return false;
    const auto size = S_ISREG(info.st_mode) ? std::int64_t(info.st_size) : 0;
    listing.entries.push_back({.path = found, .size = size, .modified = time_of(info.st_mtim)});
    return true;
  });
  listing.used = agent_process::storage_use(**root).files;
  return listing;
}

// The destination of a file.
struct Destination {
  files::Components folder;
  std::string name;
};

Result<std::vector<Destination>> destinations_of(const std::vector<NewFile>& wanted) {
  std::vector<Destination> destinations;
  std::set<std::string> seen;
  for (const auto& file : wanted) {
    auto components = agent_process::path_components(file.path);
    if (!components) return web::invalid("file: " + components.error().message);
    if (components->empty() || file.path.ends_with('/')) return web::invalid("file must have a name");
    if (!seen.insert(files::join(*components)).second) return web::invalid("file: two of them have one name");
    auto name = std::move(components->back());
    components->pop_back();
    destinations.push_back({std::move(*components), std::move(name)});
  }
  if (const auto both = files::file_and_folder(seen))
    return web::invalid("file: " + *both + " is a file, and the folder of another");
  return destinations;
}

// The size of the file that is replaced, 0 if there is none; an error if it cannot be replaced.
Result<std::int64_t> size_before(const files::Root& root, const Destination& destination) {
  auto whole = destination.folder;
  whole.push_back(destination.name);
  const auto there = root.open(whole, O_PATH);
  if (!there && there.error().kind == web::Kind::not_found) return std::int64_t{0};
  struct stat info {};
  if (!there) return there.error();
  if (::fstat(there->get(), &info) != 0) return files::error_of(errno);
  if (!S_ISREG(info.st_mode)) return files::error_of(S_ISDIR(info.st_mode) ? EISDIR : ENXIO);
  return std::int64_t(info.st_size);
}

Result<Entry> write(const files::Root& root, const Destination& destination, const files::Slice& content) {
  const auto state = root.open_or_make({std::string(agent_process::state_folder)});
  if (!state) return state.error();
  const auto folder = root.open_or_make(destination.folder);
  if (!folder) return folder.error();
  const auto written =
      files::replace(*folder, destination.name, content, {.folder = *state, .name = "write-" + crypto::random_id(16)});
  if (!written) return written.error();
  auto path = destination.folder;
  path.push_back(destination.name);
  return Entry{.path = files::join(path), .size = std::int64_t(content.size), .modified = store::now()};
}

Result<std::vector<Entry>> put_all(const std::filesystem::path& workspace, std::int64_t quota,
                                   const Incoming& incoming) {
  const auto& wanted = incoming.files;
  const auto destinations = destinations_of(wanted);
  if (!destinations) return destinations.error();
  std::error_code failed;
  std::filesystem::create_directories(workspace, failed);
  if (failed) return web::internal("The agent's workspace cannot be made: " + failed.message());
  const auto root = files::Root::open(workspace);
  if (!root) return root.error();
  const auto used = agent_process::storage_use(*root).files;
  auto would_be = used;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const auto before = size_before(*root, (*destinations)[i]);
    if (!before) return before.error();
    would_be += std::int64_t(wanted[i].size) - *before;
  }
  if (would_be > quota && would_be > used) return agent_process::over_quota(would_be, used, quota);
  std::vector<Entry> entries;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const files::Slice content{.file = incoming.content.file(), .offset = wanted[i].offset, .size = wanted[i].size};
    auto entry = write(*root, (*destinations)[i], content);
    if (!entry) return entry.error();
    entries.push_back(std::move(*entry));
  }
  return entries;
}

Result<void> remove_one(const std::filesystem::path& workspace, const std::string& path) {
  auto components = agent_process::path_components(path);
  if (!components) return components.error();
  if (components->empty()) return web::invalid("path must name a file or a folder");
  const auto root = open_workspace(workspace);
  if (!root) return root.error();
  if (!*root) return files::error_of(ENOENT);
  const auto name = std::move(components->back());
  components->pop_back();
  const auto folder = (*root)->open(*components, O_RDONLY | O_DIRECTORY);
  if (!folder) return folder.error();
  if (::unlinkat(folder->get(), name.c_str(), 0) == 0) return {};
  // For a folder POSIX specifies EPERM, Linux returns EISDIR.
  if (errno != EISDIR && errno != EPERM) return files::error_of(errno);
  if (::unlinkat(folder->get(), name.c_str(), AT_REMOVEDIR) == 0) return {};
  if (errno == ENOTEMPTY || errno == EEXIST)
    return web::conflict("The folder is not empty: remove what is in it first.");
  return files::error_of(errno);
}

}  // namespace

std::int64_t Uploads::quota_of(const agents::Agent& agent) const {
  return std::int64_t(billing::storage_limit(system_, agent.owner, agent.plan));
}

Task<Result<Listing>> Uploads::list(store::UserId user, std::string id, std::string path) {
  const auto agent = agents_.find(user, id);
  if (!agent) co_return web::not_found();
  const auto workspace = folder_ / agent->id / "workspace";
  const auto work = [&] { return list_of(workspace, path); };
  auto listing = co_await web::offload(files_, work);
  if (listing) listing->quota = quota_of(*agent);
  co_return listing;
}

Result<Incoming> Uploads::receive(store::UserId user, const std::string& id) const {
  const auto agent = agents_.find(user, id);
  if (!agent) return web::not_found();
  if (const auto room = disk_.admit(); !room) return room.error();
  auto spool = files::Spool::make(spools_);
  if (!spool) return spool.error();
  return Incoming{.agent = agent->id, .quota = quota_of(*agent), .content = std::move(*spool), .files = {}};
}

Task<Result<std::vector<Entry>>> Uploads::put(Incoming incoming) {
  const auto agent = incoming.agent;
  auto stored = co_await store_files(std::move(incoming));
  if (stored && received_)
    for (const auto& entry : *stored) received_(agent, entry.path);
  co_return stored;
}

Task<Result<std::vector<Entry>>> Uploads::store_files(Incoming incoming) {
  const auto workspace = folder_ / incoming.agent / "workspace";
  const auto work = [&]() -> Result<std::vector<Entry>> {
    const std::lock_guard lock(writing_);
    if (const auto room = disk_.admit(incoming.content.size()); !room) return room.error();
    return put_all(workspace, incoming.quota, incoming);
  };
  co_return co_await web::offload(receiving_, work);
}

Task<Result<Entry>> Uploads::write(store::UserId user, std::string id, std::string path, std::string content) {
  const auto components = agent_process::path_components(path);
  if (!components) co_return components.error();
  if (components->empty() || path.ends_with('/')) co_return web::invalid("path must name a file");
  const auto fill = [&]() -> Result<Incoming> {
    auto incoming = receive(user, id);
    if (!incoming) return incoming;
    if (auto taken = incoming->content.append(content); !taken) return taken.error();
    incoming->files.push_back({.path = path, .offset = 0, .size = content.size()});
    return incoming;
  };
  auto incoming = co_await web::offload(receiving_, fill);
  if (!incoming) co_return incoming.error();
  auto stored = co_await store_files(std::move(*incoming));
  if (!stored) co_return stored.error();
  co_return std::move(stored->front());
}

Task<Result<void>> Uploads::remove(store::UserId user, std::string id, std::string path) {
  const auto agent = agents_.find(user, id);
  if (!agent) co_return web::not_found();
  const auto workspace = folder_ / agent->id / "workspace";
  const auto work = [&] { return remove_one(workspace, path); };
  co_return co_await web::offload(files_, work);
}

}  // namespace uploads
