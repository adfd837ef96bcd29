#include "appliance/box/cli/doctor/bundle.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <fstream>
#include <regex>
#include <sstream>

#include "appliance/box/cli/box_client.h"
#include "appliance/foundation/data_folder.h"
#include "appliance/foundation/settings/settings_table.h"

namespace agentbox::cli::doctor {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t tar_block = 512, most_listed = 20'000;

// A header of the ustar format (POSIX.1-1988).
std::string tar_header(const std::string& name, std::size_t size, std::time_t time) {
  std::string header(tar_block, '\0');
  const auto put = [&header](std::size_t at, const std::string& text) { header.replace(at, text.size(), text); };
  const auto octal = [](std::uint64_t number, std::size_t digits) {
    std::string text(digits, '0');
    for (std::size_t at = digits; at-- > 0; number /= 8) text[at] = static_cast<char>('0' + number % 8);
    return text;
  };
  put(0, name.substr(0, 99));
  put(100, "0000600");
  put(108, "0000000");
  put(116, "0000000");
  put(124, octal(size, 11));
  put(136, octal(static_cast<std::uint64_t>(time), 11));
  put(148, "        ");  // the checksum counts as spaces
  put(156, "0");
  put(257, std::string("ustar\0"
                       "00",
                       8));
  unsigned sum = 0;
  for (const char c : header) sum += static_cast<unsigned char>(c);
  put(148, octal(sum, 6) + '\0' + ' ');
  return header;
}

std::string text_of(const fs::path& path) {
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
std::string listing(const fs::path& folder) {
  std::ostringstream lines;
  std::error_code failed;
  std::size_t count = 0;
  for (auto entry = fs::recursive_directory_iterator(folder, failed);
       !failed && entry != fs::end(entry) && count < most_listed; entry.increment(failed), ++count) {
    struct stat status {};
    if (::lstat(entry->path().c_str(), &status) != 0) continue;
    if (entry->path().filename() == "workspace") entry.disable_recursion_pending();
    const char kind = S_ISDIR(status.st_mode)   ? 'd'
                      : S_ISLNK(status.st_mode) ? 'l'
                      : S_ISREG(status.st_mode) ? '-'
                                                : '?';
    lines << kind << ' ' << std::oct << (status.st_mode & 07777) << std::dec << ' ' << status.st_uid << ' '
          << status.st_size << ' ' << fs::relative(entry->path(), folder).string() << '\n';
  }
  if (count == most_listed) lines << "... and more\n";
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
  files.emplace_back("data-folder.txt", listing(settings.data));
  for (const std::string name : {"version", "meminfo", "loadavg", "self/limits", "self/cgroup"})
    files.emplace_back("proc-" + name.substr(name.find('/') + 1) + ".txt", text_of("/proc/" + name));
  files.emplace_back("os-release.txt", text_of("/etc/os-release"));
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
  std::string archive;
  for (const auto& [name, content] : files) {
    archive += tar_header("agentbox-support/" + name, content.size(), std::time(nullptr)) + content;
    archive.append((tar_block - content.size() % tar_block) % tar_block, '\0');
  }
  archive.append(2 * tar_block, '\0');
  write_all(file, archive, path);
}

}  // namespace agentbox::cli::doctor
