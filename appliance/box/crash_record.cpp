#include "appliance/box/crash_record.h"

#include <execinfo.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <boost/json.hpp>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <ctime>
#include <exception>
#include <fstream>
#include <memory>
#include <optional>

#include "appliance/foundation/version.h"
#include "store/codec.h"
#include "web/ascii.h"
#include "web/log.h"
#include "web/routes/reply.h"
#include "web/server/request_record.h"

namespace agentbox {

namespace {

namespace fs = std::filesystem;

constexpr std::array signals_of_crashes{SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS};
constexpr std::size_t max_crashes = 10, max_stack_bytes = 64 * 1024;
constexpr std::array<char, 8> magic{'a', 'b', 'o', 'x', 'r', 'u', 'n', '1'};

enum class State : std::uint32_t { running = 1, stopping = 2, ended = 3, crashed = 4 };

// The bytes of last-run, followed by the stack as text. Read by the same version only.
struct Record {
  std::array<char, 8> magic{};
  std::array<char, 32> version{};
  std::array<char, 40> boot_id{};
  std::int64_t process = 0, started_at = 0, crashed_at = 0;  // seconds since the epoch
  std::atomic<State> state{State::running};
  std::int32_t signal = 0;
  std::array<char, 16> thread{};
  std::array<char, 512> message{};
  web::RequestSlots requests;
};

std::unique_ptr<Record> kept_record;  // stays to the end: a thread may still be in a request
Record* record = nullptr;             // of this process
int record_file = -1;                 // at the end of the record
std::atomic<bool> has_crashed{false};
std::array<struct sigaction, signals_of_crashes.size()> earlier_actions;
std::array<void*, 64> frames;  // not on the stack, which may be exhausted

template <std::size_t Size>
void put(std::array<char, Size>& to, std::string_view text) {
  const auto end = std::copy_n(text.data(), std::min(text.size(), Size - 1), to.data());
  *end = '\0';
}

template <std::size_t Size>
std::string read_text(const std::array<char, Size>& bytes) {
  return {bytes.data(), strnlen(bytes.data(), Size)};
}

// Async-signal-safe. A failure cannot be reported anywhere.
void write_record() {
  const auto written = ::pwrite(record_file, static_cast<const void*>(record), sizeof(Record), 0);
  static_cast<void>(written);
}

// Async-signal-safe: reads memory and writes to an open file. backtrace() was called before, so that its library is
// loaded.
void note_crash(int signal, siginfo_t* info, void*) {
  const int cause = errno;
  for (std::size_t i = 0; i < signals_of_crashes.size(); ++i)
    if (signals_of_crashes[i] == signal) ::sigaction(signal, &earlier_actions[i], nullptr);
  // Not in a child between fork and exec.
  if (record && record->process == ::getpid() && !has_crashed.exchange(true)) {
    timespec now{};
    ::clock_gettime(CLOCK_REALTIME, &now);
    record->crashed_at = now.tv_sec;
    record->signal = signal;
    ::pthread_getname_np(::pthread_self(), record->thread.data(), record->thread.size());
    record->state = State::crashed;
    write_record();
    const int count = ::backtrace(frames.data(), static_cast<int>(frames.size()));
    ::backtrace_symbols_fd(frames.data(), count, record_file);
  }
  // A fault happens again when this returns, and ends the process; what was sent has to be sent again.
  if (info->si_code <= 0) ::raise(signal);
  errno = cause;
}

[[noreturn]] void note_exception() {
  try {
    if (const auto thrown = std::current_exception()) std::rethrow_exception(thrown);
  } catch (const std::exception& error) {
    if (record) put(record->message, error.what());
  } catch (...) {
    if (record) put(record->message, "something other than an exception was thrown");
  }
  std::abort();
}

std::string boot_id() {
  std::ifstream input("/proc/sys/kernel/random/boot_id");
  std::string id;
  input >> id;
  return id;
}

std::string shown_time(std::int64_t seconds) { return web::iso8601(store::Time(std::chrono::seconds(seconds))); }

// "./build/agentbox(+0x1f2e3d)[0x55d0c0de]" without the folder and the address, which is another one each time.
std::string shown_frame(std::string_view line) {
  line = line.substr(0, line.rfind('['));
  const auto slash = line.substr(0, line.find('(')).rfind('/');
  return std::string(slash == std::string_view::npos ? line : line.substr(slash + 1));
}

std::vector<std::string> stack_in(int file) {
  std::string text(max_stack_bytes, '\0');
  const auto count = ::pread(file, text.data(), text.size(), sizeof(Record));
  text.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
  std::vector<std::string> stack;
  for (std::size_t at = 0; at < text.size();) {
    const auto end = std::min(text.find('\n', at), text.size());
    stack.push_back(shown_frame(std::string_view(text).substr(at, end - at)));
    at = end + 1;
  }
  return stack;
}

// Of the last box of this folder; nothing if it ended by itself, was stopped, or the machine was.
std::optional<Crash> crash_in(int file) {
  struct stat info {};
  if (::fstat(file, &info) != 0 || info.st_size < static_cast<off_t>(sizeof(Record))) return std::nullopt;
  const auto last = std::make_unique<Record>();
  if (::pread(file, static_cast<void*>(last.get()), sizeof(Record), 0) != static_cast<ssize_t>(sizeof(Record)))
    return std::nullopt;
  if (last->magic != magic || read_text(last->version) != version) return std::nullopt;
  const auto state = last->state.load();
  const bool was_killed = state == State::running && read_text(last->boot_id) == boot_id();
  if (state != State::crashed && !was_killed) return std::nullopt;
  const char* const name = was_killed ? "KILL" : ::sigabbrev_np(last->signal);
  Crash crash{.at = shown_time(was_killed ? last->started_at : last->crashed_at),
              .version = read_text(last->version),
              .signal = std::string("SIG") + (name ? name : "?"),
              .message = read_text(last->message),
              .thread = read_text(last->thread),
              .lastRequest = {},
              .inProgress = {},
              .alsoBefore = {},
              .stack = was_killed ? std::vector<std::string>() : stack_in(file)};
  std::uint64_t newest = 0;
  for (const auto& slot : last->requests.slots) {
    const auto request = read_text(slot.name);
    if (slot.number.load() > newest) {
      newest = slot.number;
      crash.lastRequest = request;
    }
    if (slot.is_taken.load() != 0 && !request.empty()) crash.inProgress.push_back(request);
  }
  auto& requests = crash.inProgress;
  std::ranges::sort(requests);
  requests.erase(std::unique(requests.begin(), requests.end()), requests.end());
  return crash;
}

struct Crashes {
  std::vector<Crash> crashes;
  bool lastRunCrashed = false;  // the newest is that of the run before the running one
};
BOOST_DESCRIBE_STRUCT(Crashes, (), (crashes, lastRunCrashed))

fs::path crashes_file(const DataFolder& folder) { return folder.path() / "crashes.json"; }

Crashes read_crashes(const DataFolder& folder) {
  try {
    const auto text = read_folder_file(crashes_file(folder));
    return text ? boost::json::value_to<Crashes>(boost::json::parse(*text)) : Crashes();
  } catch (const std::exception&) {
    return {};
  }
}

void log_crash(const Crash& crash) {
  const auto level = crash.signal == "SIGKILL" ? web::log::Level::warning : web::log::Level::error;
  web::log::write(level, "crashed",
                  {{"at", crash.at},
                   {"signal", crash.signal},
                   {"reason", crash.message},
                   {"thread", crash.thread},
                   {"last_request", crash.lastRequest},
                   {"in_progress", web::join(crash.inProgress, ", ")},
                   {"in_progress_at_the_crash_before_too", web::join(crash.alsoBefore, ", ")},
                   {"stack", web::join(crash.stack, ", ")}});
}

// The crash of the last run, if it was one, goes to the log and to crashes.json.
void keep(const DataFolder& folder, std::optional<Crash> crash) {
  auto known = read_crashes(folder);
  if (!crash && !known.lastRunCrashed) return;
  if (crash) {
    if (known.lastRunCrashed && !known.crashes.empty())
      std::ranges::set_intersection(crash->inProgress, known.crashes.front().inProgress,
                                    std::back_inserter(crash->alsoBefore));
    log_crash(*crash);
    known.crashes.insert(known.crashes.begin(), *crash);
    if (known.crashes.size() > max_crashes) known.crashes.resize(max_crashes);
  }
  known.lastRunCrashed = crash.has_value();
  write_private_file(crashes_file(folder), boost::json::serialize(boost::json::value_from(known)));
}

void note_state(State state) {
  if (!record || has_crashed) return;
  record->state = state;
  write_record();
}

void install_handlers() {
  ::backtrace(frames.data(), 1);  // the first call loads a library, which is not allowed in a signal handler
  struct sigaction action {};
  action.sa_sigaction = note_crash;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  for (std::size_t i = 0; i < signals_of_crashes.size(); ++i)
    ::sigaction(signals_of_crashes[i], &action, &earlier_actions[i]);
  std::set_terminate(note_exception);
}

}  // namespace

std::vector<Crash> recorded_crashes(const DataFolder& folder) { return read_crashes(folder).crashes; }

CrashRecord::CrashRecord(const DataFolder& folder) {
  try {
    const auto path = folder.path() / "last-run";
    auto last = open_in_folder(folder.path(), path.filename(), O_RDWR);
    if (last && ::flock(last.get(), LOCK_EX | LOCK_NB) != 0) return;  // of a box that runs: the store refuses this one
    if (last) {
      keep(folder, crash_in(last.get()));
      // In its place: on a full disk there is no room for another, and none may become free that something else takes.
      record_file = last.release();
    } else {
      write_private_file(path, "");
      record_file = ::open(path.c_str(), O_RDWR | O_NOFOLLOW | O_CLOEXEC);
    }
    if (record_file < 0 || ::flock(record_file, LOCK_EX | LOCK_NB) != 0 ||
        ::lseek(record_file, sizeof(Record), SEEK_SET) < 0)
      throw UsageError(path.string() + ": " + std::strerror(errno));
    if (const int failed = ::posix_fallocate(record_file, 0, sizeof(Record)); failed != 0)  // there is room at a crash
      throw UsageError(path.string() + ": " + std::strerror(failed));
    kept_record = std::make_unique<Record>();
  } catch (const std::exception& error) {
    web::log::debug("no_crash_record", {{"reason", error.what()}});
    return;
  }
  record = kept_record.get();
  record->magic = magic;
  put(record->version, version);
  put(record->boot_id, boot_id());
  record->process = ::getpid();
  record->started_at = std::time(nullptr);
  write_record();
  install_handlers();
  web::record_requests_in(&record->requests);
}

CrashRecord::~CrashRecord() {
  web::record_requests_in(nullptr);
  note_state(State::ended);
}

void CrashRecord::expect_end() { note_state(State::stopping); }

}  // namespace agentbox
