// The commands that agents run, from their start to their end: what they write, how long they may take, and what ends
// them. They are children of the box and end with it.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/thread_pool.hpp>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "appliance/hosting/commands/command_text.h"
#include "appliance/runtime/commands.h"
#include "store/clock.h"
#include "web/result.h"
#include "web/task.h"

namespace commands {

inline constexpr std::size_t max_of_agent = 16, max_of_box = 64;  // that run at once
inline constexpr std::size_t max_programs = 256;                  // of the box, see Commands::serve
inline constexpr std::size_t max_kept_output = 1u << 20;          // bytes; older output is dropped
inline constexpr std::size_t max_output = 256u << 20;             // of a command, which is then killed
inline constexpr std::chrono::seconds longest_time{24 * 60 * 60}, longest_attended_time{30 * 60};

struct Summary {
  std::string id, agent, title;
  store::Time started_at{};
  bool is_running = true;
  std::optional<int> exit_code;
};

// A piece of what a command has written, and how it stands.
struct Output {
  std::string text;              // UTF-8; other bytes are replaced
  std::int64_t next = 0;         // where the next piece begins, in bytes since the start
  std::int64_t dropped = 0;      // bytes before this piece that are no longer kept
  bool is_running = true;        // false: this is the last piece
  std::optional<int> exit_code;  // 128 and the signal that ended it
  std::string ended_because;     // of one that the box has ended
  store::Time started_at{};
  std::chrono::milliseconds duration{0};
};

// Where a command's connections to its proxy arrive. Owns the socket.
struct Network {
  std::string agent, command;
  files::Descriptor listening;
};

// What a program that serves its agent writes, and its end. Called on `home`.
struct Follower {
  std::function<void(std::string_view)> output, error;
  std::function<void(std::optional<int> exit_code, const std::string& ended_because)> ended;  // the last call
  // Awaited before more is read, so that the program waits until what it wrote has been taken; unset: it never waits.
  std::function<web::Task<>()> ready = {};
};

// Thread-safe.
class Commands {
 public:
  struct Options {
    std::function<std::string()> authority;                // see text_of; unset: there is no proxy
    std::function<std::shared_ptr<void>(Network)> serve;   // called on `home`; serves as long as the result is kept
    std::function<bool(const std::string&)> may_run;       // whether the agent is still to run
    std::function<bool(const std::string&)> over_storage;  // whether its files take more than its plan has; blocks
    std::function<bool()> is_disk_full;
  };
  // Both must outlive it.
  Commands(runtime::CommandStarter&, boost::asio::io_context& home, Options);
  ~Commands();  // after stop(), or with `home` stopped

  // too_many beyond the limits; unavailable with a sentence if it cannot be started.
  web::Task<web::Result<std::string>> start(runtime::CommandSpec, Order);
  // The same for a program that serves the agent for as long as it runs, such as an MCP server: it has no time limit,
  // the agent neither sees nor reaches it, and only `follower` gets what it writes.
  web::Task<web::Result<std::string>> serve(runtime::CommandSpec, Order, Follower);
  // To such a program. Both are called on `home`. False if it has ended, or does not read what it was sent.
  bool send(const std::string& program, std::string_view text);
  void end(const std::string& program);
  // Of such a program with a terminal. Called on `home`.
  void resize(const std::string& program, runtime::TerminalSize);
  // Waits up to `patience` for output after `from`, or the end. not_found.
  web::Task<web::Result<Output>> read(std::string agent, std::string id, std::int64_t from,
                                      std::chrono::milliseconds patience);
  // not_found; conflict if it has ended or its input is closed; too_many if it does not read what it was sent.
  web::Task<web::Result<void>> write(std::string agent, std::string id, std::string text, bool is_last);
  // SIGTERM, then SIGKILL after two seconds; returns when it has ended. not_found.
  web::Task<web::Result<Output>> stop(std::string agent, std::string id);
  web::Task<std::vector<Summary>> summaries(std::string agent);
  // Kills all of an agent, and forgets them.
  web::Task<> forget(std::string agent);
  // Kills all. Called on `home`.
  web::Task<> stop_all();

 private:
  struct State;
  const std::shared_ptr<State> state_;
};

}  // namespace commands
