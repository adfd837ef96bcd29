#include "appliance/runtime/run_folder.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <boost/json.hpp>
#include <fstream>
#include <system_error>

#include "web/client/authorities.h"

namespace runtime {
namespace {

namespace fs = std::filesystem;
constexpr std::size_t tail_bytes = 256 * 1024;

[[noreturn]] void fail(const fs::path& path) { throw std::system_error(errno, std::system_category(), path.string()); }

// Atomic: readers never see a partial file.
void write_file(const fs::path& path, std::string_view bytes, std::optional<uid_t> owner) {
  auto temporary = path;
  temporary += ".new";
  ::unlink(temporary.c_str());
  files::Descriptor file(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!file) fail(temporary);
  while (!bytes.empty()) {
    auto written = ::write(file.get(), bytes.data(), bytes.size());
    if (written < 0) fail(temporary);
    bytes.remove_prefix(std::size_t(written));
  }
  if (owner && ::fchown(file.get(), *owner, *owner) != 0) fail(temporary);
  if (::rename(temporary.c_str(), path.c_str()) != 0) fail(path);
}

}  // namespace

void RunFolder::create() const {
  fs::create_directories(folder_);
  const auto passage = fs::perms::owner_all | fs::perms::group_exec | fs::perms::others_exec;
  fs::permissions(folder_.parent_path(), passage);
  fs::permissions(folder_, passage);
}

void RunFolder::remove() const { fs::remove_all(folder_); }

void RunFolder::write_boot(std::string_view json, std::optional<uid_t> reader) const {
  write_file(boot_path(), json, reader);
}

void RunFolder::drop_boot() const {
  std::error_code ignored;  // it may be gone already
  fs::remove(boot_path(), ignored);
}

void RunFolder::write_proxy(std::string_view authority) const {
  fs::create_directories(proxy_path());
  fs::permissions(proxy_path(), fs::perms(0755));
  for (const auto& [name, text] : {std::pair(proxy_authority, std::string(authority)),
                                   std::pair(all_authorities, web::trusted_authorities().append(authority))}) {
    write_file(proxy_path() / name, text, {});
    fs::permissions(proxy_path() / name, fs::perms(0644));
  }
}

std::optional<PidFile> RunFolder::read_pid() const {
  std::ifstream file(folder_ / "agent.pid");
  std::string text{std::istreambuf_iterator<char>(file), {}};
  boost::system::error_code error;
  auto value = boost::json::parse(text, error);
  if (error) return {};
  auto parsed = boost::json::try_value_to<PidFile>(value);
  if (!parsed) return {};
  return *parsed;
}

void RunFolder::write_pid(const PidFile& pid) const {
  write_file(folder_ / "agent.pid", boost::json::serialize(boost::json::value_from(pid)), {});
}

void RunFolder::drop_pid() const {
  std::error_code ignored;
  fs::remove(folder_ / "agent.pid", ignored);
}

files::Descriptor RunFolder::open_log() const {
  auto path = folder_ / "agent.log";
  files::Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!file) fail(path);
  return file;
}

std::vector<std::string> RunFolder::last_lines(std::size_t count) const {
  std::string text;
  for (auto name : {"agent.log", "agent.log.1"}) {
    std::ifstream file(folder_ / name, std::ios::binary | std::ios::ate);
    if (!file) continue;
    auto size = std::size_t(file.tellg());
    auto wanted = std::min(size, tail_bytes - std::min(tail_bytes, text.size()));
    std::string end(wanted, '\0');
    file.seekg(std::streamoff(size - wanted));
    file.read(end.data(), std::streamsize(wanted));
    end.resize(std::size_t(file.gcount()));
    text.insert(0, end);
  }
  std::vector<std::string> lines;
  while (!text.empty() && lines.size() < count) {
    if (text.back() == '\n') text.pop_back();
    auto start = text.rfind('\n');
    start = start == std::string::npos ? 0 : start + 1;
    lines.push_back(text.substr(start));
    text.resize(start);
  }
  return {lines.rbegin(), lines.rend()};
}

}  // namespace runtime
