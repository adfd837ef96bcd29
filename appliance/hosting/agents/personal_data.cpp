#include "appliance/hosting/agents/personal_data.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <stdexcept>

#include "appliance/files/root.h"
#include "appliance/foundation/data_folder.h"
#include "appliance/identity/personal_data/rows.h"

namespace agents {
namespace {

constexpr std::size_t max_levels = 64;

struct FoundFile {
  files::Components path;
  std::uint64_t size = 0;
  store::Time modified;
};

// Every regular file under the folder; links and what cannot be opened are skipped.
void collect(const files::Descriptor& folder, files::Components& path, std::vector<FoundFile>& found) {
  for (auto& entry : files::entries_in(folder)) {
    path.push_back(entry.name);
    if (entry.kind == files::EntryKind::folder && path.size() < max_levels) {
      const files::Descriptor below(files::open_beneath(folder, entry.name.c_str(), O_RDONLY | O_DIRECTORY));
      if (below) collect(below, path, found);
    }
    struct stat info {};
    if (entry.kind == files::EntryKind::file &&
        ::fstatat(folder.get(), entry.name.c_str(), &info, AT_SYMLINK_NOFOLLOW) == 0) {
      const store::Time modified(std::chrono::seconds(info.st_mtim.tv_sec));
      found.push_back({.path = path, .size = static_cast<std::uint64_t>(info.st_size), .modified = modified});
    }
    path.pop_back();
  }
}

std::string read_at(const files::Descriptor& file, std::uint64_t offset, std::size_t size) {
  std::string piece(size, '\0');
  std::size_t done = 0;
  while (done < size) {
    const auto got = ::pread(file.get(), piece.data() + done, size - done, static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    done += static_cast<std::size_t>(got);
  }
  piece.resize(done);
  return piece;
}

web::Task<> write_folder(std::filesystem::path folder, std::string prefix, personal_data::Archive& archive) {
  const auto root = files::Root::open(folder);
  if (!root) co_return;  // it has never run
  const auto list = [&] {
    std::vector<FoundFile> found;
    files::Components path;
    if (const auto top = root->open({}, O_RDONLY | O_DIRECTORY)) collect(*top, path, found);
    return found;
  };
  const auto listed = co_await web::offload(archive.blocking(), list);
  for (const auto& one : listed) {
    const auto open = [&] { return root->open(one.path, O_RDONLY | O_NONBLOCK | O_NOCTTY); };
    const auto file = co_await web::offload(archive.blocking(), open);
    if (!file) continue;
    const personal_data::Archive::Read read = [&file](std::uint64_t offset, std::size_t size) {
      return read_at(*file, offset, size);
    };
    std::string path = prefix + files::join(one.path);
    co_await archive.add_file(std::move(path), one.size, one.modified, read);
  }
}

}  // namespace

personal_data::Part personal_data_of(const store::System& system, Agents& agents, std::filesystem::path folder) {
  const auto rows = personal_data::rows_of(system, records);
  return {.stop = [&agents](store::UserId user) -> web::Task<> {
            for (const auto& agent : agents.directory.list(user))
              static_cast<void>(co_await agents.lifecycle.remove(user, agent.id));
            if (!agents.directory.list(user).empty()) throw std::runtime_error("an agent is not removed yet");
          },
          .write = [&agents, rows, folder](store::UserId user, personal_data::Archive& archive) -> web::Task<> {
            co_await rows.write(user, archive);
            for (const auto& agent : agents.directory.list(user)) {
              std::string prefix = "workspaces/" + agent.id + "/";
              co_await write_folder(folder / agent.id / agentbox::workspace_folder, std::move(prefix), archive);
              prefix = "volumes/" + agent.id + "/";
              co_await write_folder(folder / agent.id / agentbox::volumes_folder, std::move(prefix), archive);
            }
          }};
}

}  // namespace agents
