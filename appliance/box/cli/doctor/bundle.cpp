#include "appliance/box/cli/doctor/bundle.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <regex>
#include <sstream>

#include "appliance/box/cli/box_client.h"
#include "appliance/foundation/data_folder.h"
#include "appliance/foundation/settings/settings_table.h"
#include "appliance/identity/personal_data/archive.h"

namespace agentbox::cli::doctor {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t tar_block = 512, max_listed = 20'000;

std::string read_text(const fs::path& path) {
  std::ifstream input(path, std::ios::binary);
  std::stringstream text;
  text << input.rdbuf();
  return text.str();
}

// URLs may have a password before the host, and a key behind the path.
std::string without_credentials(const std::string& value) {
  static const std::regex user("://[^/@\\s]*@"), query("\\?[^\\s,]*");
  return std::regex_replace(std::regex_replace(value, user, "://[set]@"), query, "?[set]");
}

std::string settings_text(const Settings& settings) {
  const Settings defaults;
  std::string text;
  for (const auto& setting : settings_table()) {
    const auto value = setting.show(settings);
    if (value == setting.show(defaults)) continue;
    text += setting.name + "=" + (setting.secret && !value.empty() ? "[set]" : without_credentials(value)) + "\n";
  }
  return text;
}

// Kind, mode, owner, size and name of each file, without following links. Agents' workspaces are named, not listed.
std::string folder_listing(const fs::path& folder) {
  std::ostringstream lines;
  std::error_code failed;
  std::size_t count = 0;
  for (auto entry = fs::recursive_directory_iterator(folder, failed);
       !failed && entry != fs::end(entry) && count < max_listed; entry.increment(failed), ++count) {
    struct stat status {};
    if (::lstat(entry->path().c_str(), &status) != 0) continue;
    if (agentbox::is_kept_of_agents(entry->path().filename().string())) entry.disable_recursion_pending();
    const char kind = S_ISDIR(status.st_mode)   ? 'd'
                      : S_ISLNK(status.st_mode) ? 'l'
                      : S_ISREG(status.st_mode) ? '-'
                                                : '?';
    lines << kind << ' ' << std::oct << (status.st_mode & 07777) << std::dec << ' ' << status.st_uid << ' '
          << status.st_size << ' ' << fs::relative(entry->path(), folder).string() << '\n';
  }
  if (count == max_listed) lines << "... and more\n";
  return lines.str();
}

std::string answer_of(const BoxClient& box, const std::string& path) {
  try {
    return box.get_text(path);
  } catch (const UsageError& error) {
    return std::string(error.what()) + "\n";
  }
}

void write_all(int file, const std::string& bytes, const fs::path& path) {
  for (std::size_t done = 0; done < bytes.size();) {
    const auto count = ::write(file, bytes.data() + done, bytes.size() - done);
    if (count < 0) throw UsageError("cannot write " + path.string() + ": " + std::strerror(errno));
    done += static_cast<std::size_t>(count);
  }
}

}  // namespace

BundleFiles bundle_files(const Settings& settings, BundleFiles said) {
  auto files = std::move(said);
  files.emplace_back("settings.txt", settings_text(settings));
  files.emplace_back("data-folder.txt", folder_listing(settings.data));
  if (const auto crashes = read_folder_file(settings.data / "crashes.json"))
    files.emplace_back("crashes.json", *crashes);
  for (const std::string name : {"version", "meminfo", "loadavg", "self/limits", "self/cgroup"})
    files.emplace_back("proc-" + name.substr(name.find('/') + 1) + ".txt", read_text("/proc/" + name));
  files.emplace_back("os-release.txt", read_text("/etc/os-release"));
  const BoxClient box(settings);
  if (!box.is_running()) return files;
  files.emplace_back("box-health.json", answer_of(box, "/health"));
  if (!settings.internal_api_key.empty()) files.emplace_back("box-metrics.txt", answer_of(box, "/metrics"));
  return files;
}

void write_bundle(const fs::path& path, const BundleFiles& files) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (file < 0) throw UsageError("cannot write " + path.string() + ": " + std::strerror(errno));
  const std::unique_ptr<const int, void (*)(const int*)> closer(&file, [](const int* fd) { ::close(*fd); });
  const auto now = std::chrono::floor<std::chrono::seconds>(store::now());
  std::string archive;
  for (const auto& [name, content] : files) {
    archive += personal_data::tar_header("agentbox-support/" + name, content.size(), now) + content;
    archive.append((tar_block - content.size() % tar_block) % tar_block, '\0');
  }
  archive.append(2 * tar_block, '\0');
  write_all(file, archive, path);
}

}  // namespace agentbox::cli::doctor
