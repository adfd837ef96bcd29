#include "appliance/runtime/proc.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <charconv>
#include <chrono>
#include <fstream>
#include <memory>
#include <string_view>
#include <thread>

namespace runtime::proc {
namespace {

// /proc files have no size: read until the end.
std::string read_all(const std::string& path) {
  files::Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  std::string text;
  if (!file) return text;
  char buffer[4096];
  for (ssize_t got; (got = ::read(file.get(), buffer, sizeof buffer)) > 0;) text.append(buffer, std::size_t(got));
  return text;
}

std::vector<std::string_view> words(std::string_view text) {
  std::vector<std::string_view> found;
  while (!text.empty()) {
    auto end = text.find_first_of(" \n");
    if (end != 0) found.push_back(text.substr(0, end));
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
  return found;
}

std::uint64_t number(std::string_view text) {
  std::uint64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

bool is_number_taken_by_another(pid_t pid, std::uint64_t start_ticks) {
  auto now = stat(pid);
  return now && now->start_ticks != start_ticks;
}

}  // namespace

std::optional<Stat> stat(pid_t pid) {
  auto text = read_all("/proc/" + std::to_string(pid) + "/stat");
  // The second field is the program's name in parentheses and may hold spaces and parentheses itself.
  auto name_end = text.rfind(')');
  if (name_end == std::string::npos) return {};
  auto fields = words(std::string_view(text).substr(name_end + 1));  // [0] is field 3 of proc(5)
  if (fields.size() < 22) return {};
  static const auto page = std::uint64_t(::sysconf(_SC_PAGESIZE));
  return Stat{.pid = pid,
              .parent = pid_t(number(fields[1])),
              .state = fields[0].front(),
              .session = pid_t(number(fields[3])),
              .cpu_ticks = number(fields[11]) + number(fields[12]),
              .start_ticks = number(fields[19]),
              .resident_bytes = number(fields[21]) * page};
}

std::vector<std::string> arguments(pid_t pid) {
  auto text = read_all("/proc/" + std::to_string(pid) + "/cmdline");
  std::vector<std::string> found;
  for (std::size_t at = 0; at < text.size();) {
    auto end = std::min(text.find('\0', at), text.size());
    found.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return found;
}

void each_process(const std::function<void(pid_t)>& visit) {
  std::unique_ptr<DIR, int (*)(DIR*)> folder(::opendir("/proc"), ::closedir);
  if (!folder) return;
  while (auto* entry = ::readdir(folder.get())) {
    std::string_view name = entry->d_name;
    if (name.find_first_not_of("0123456789") == std::string_view::npos) visit(pid_t(number(name)));
  }
}

std::string boot_id() {
  auto text = read_all("/proc/sys/kernel/random/boot_id");
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

std::uint64_t ticks_per_second() { return std::uint64_t(::sysconf(_SC_CLK_TCK)); }

// As system calls: glibc 2.36 declares its wrappers without C linkage.
files::Descriptor open_process(pid_t pid) { return files::Descriptor(int(::syscall(SYS_pidfd_open, pid, 0))); }

void send_signal(int pidfd, int signal) { ::syscall(SYS_pidfd_send_signal, pidfd, signal, nullptr, 0); }

files::Descriptor open_process(pid_t pid, std::uint64_t start_ticks) {
  auto process = open_process(pid);
  // Read after opening: if the start agrees now, the process was already there when the pidfd was opened.
  auto now = process ? stat(pid) : std::nullopt;
  if (!now || now->start_ticks != start_ticks) return {};
  return process;
}

std::optional<uid_t> user_of(pid_t pid) {
  constexpr std::string_view field = "\nUid:\t";  // then the real, the effective, the saved and the file system's
  const auto text = read_all("/proc/" + std::to_string(pid) + "/status");
  const auto at = text.find(field);
  if (at == text.npos) return {};
  return static_cast<uid_t>(number(std::string_view(text).substr(at + field.size())));
}

namespace {

// Until no process matches `is_meant`, which is checked again right before each signal, or a second has passed.
void kill_all(const std::function<bool(const Stat&)>& is_meant) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(1);
  while (std::chrono::steady_clock::now() < deadline) {
    bool someone_left = false;
    each_process([&](pid_t pid) {
      const auto found = stat(pid);
      if (!found || found->state == 'Z' || !is_meant(*found)) return;
      const auto process = open_process(pid, found->start_ticks);
      if (!process || !is_meant(*found)) return;
      someone_left = true;
      send_signal(process.get(), SIGKILL);
    });
    if (!someone_left) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));  // SIGKILL takes effect when the target is scheduled
  }
}

}  // namespace

// The kernel reuses a number only when no process, group or session has it. A process with another start time therefore
// proves that the old session is empty.
void kill_session(pid_t leader, std::uint64_t start_ticks) {
  kill_all([&](const Stat& process) {
    return process.session == leader && !is_number_taken_by_another(leader, start_ticks);
  });
}

void kill_user(uid_t user) {
  if (user == ::getuid() || user == ::geteuid() || user == 0) return;
  kill_all([&](const Stat& process) { return user_of(process.pid) == user; });
}

}  // namespace runtime::proc
