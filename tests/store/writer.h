// Runs store_writer (writer.cpp) and reads what it says.
#pragma once

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>

#include "tests/support/paths.h"

namespace store_test {

class Writer {
 public:
  Writer(const char* mode, const std::filesystem::path& folder) {
    int out[2], in[2];
    if (pipe2(out, O_CLOEXEC) != 0 || pipe2(in, O_CLOEXEC) != 0) throw std::runtime_error("pipe failed");
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, out[1], STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, in[0], STDIN_FILENO);
    const std::string where = folder.string();
    const std::string program = paths::program("store_writer").string();
    const char* const arguments[] = {program.c_str(), mode, where.c_str(), nullptr};
    const int failed =
        posix_spawn(&pid_, program.c_str(), &actions, nullptr, const_cast<char* const*>(arguments), environ);
    posix_spawn_file_actions_destroy(&actions);
    close(out[1]);
    close(in[0]);
    from_ = out[0];
    to_ = in[1];
    if (failed != 0) throw std::runtime_error("store_writer does not start");
  }
  ~Writer() {
    if (pid_ > 0) {
      kill(pid_, SIGKILL);
      wait();
    }
    close(from_);
    close(to_);
  }
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  // Appends what the writer says next to `text`; false when it has ended.
  bool read(std::string& text) {
    char buffer[4096];
    const auto got = ::read(from_, buffer, sizeof buffer);
    if (got <= 0) return false;
    text.append(buffer, static_cast<std::size_t>(got));
    return true;
  }
  void kill_nine() { kill(pid_, SIGKILL); }
  // Its exit code, or 128 and the signal.
  int wait() {
    int status = 0;
    waitpid(pid_, &status, 0);
    pid_ = 0;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }

 private:
  pid_t pid_ = 0;
  int from_ = -1, to_ = -1;
};

// What a log holds, without the room that was made behind it.
inline std::string written_to(const std::filesystem::path& log) {
  std::ifstream stream(log, std::ios::binary);
  std::string bytes((std::istreambuf_iterator<char>(stream)), {});
  bytes.resize(bytes.find_last_not_of('\0') + 1);
  return bytes;
}

}  // namespace store_test
