// A confined program as a child of the box: it ends when the box does, however that happens.
#pragma once

#include <sys/types.h>

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "web/task.h"

namespace programs {

// The users that the programs run as if the box runs as root: one for each kind of work.
enum class User : uid_t {
  renderer = 1'900'070'000,
  stream_server = 1'900'070'001,
  broadcaster = 1'900'070'002,
  converter = 1'900'070'004
};

struct Plan {
  std::vector<std::string> command;  // the first item is the program's path
  std::filesystem::path folder;      // its working folder, which it owns meanwhile; it can write nowhere else
  std::string log = "log";           // the file there that gets what it writes to stderr
  User user = User::renderer;
  bool has_network = false;
  std::uint64_t memory_mb = 1'024, file_mb = 256;
  std::chrono::seconds processor_time{0};  // 0: unlimited
};

// How a program ended.
struct End {
  int status = 0;  // as of waitpid
  bool is_success() const { return status == 0; }
  std::string text() const;  // "signal 9" or "status 1"
};

// Used on the thread of `home` only, which must live as long as the box.
class Child {
 public:
  // Throws std::runtime_error if the process cannot be created.
  Child(boost::asio::io_context& home, const Plan&);
  ~Child();  // kills it, and waits until it is gone
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  pid_t pid() const;
  // The next line of its standard output; nothing once that is closed.
  web::Task<std::optional<std::string>> next_line();
  // Suspends until the program has ended.
  web::Task<End> wait();
  void kill();
  // The end of what it wrote to stderr, at most a kilobyte: for the log.
  std::string last_words() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace programs
