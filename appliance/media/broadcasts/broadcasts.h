// Agents on air: a text, spoken, or a sound file of the agent's workspace is sent to its stream as if a broadcaster
// sent it.
//
//   media/air/<agent>/    the folder of a broadcast, while it lasts
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/thread_pool.hpp>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "appliance/hosting/agents/records.h"
#include "appliance/media/programs/child.h"
#include "appliance/media/streams/streams.h"
#include "web/result.h"
#include "web/task.h"

namespace broadcasts {

inline constexpr std::size_t broadcasts_at_once = 4;

struct Program {
  std::string text;  // what is spoken; empty: `file` is played
  std::string language = "en";
  std::string file;   // in the agent's workspace
  std::string title;  // shown meanwhile
};

BOOST_DEFINE_ENUM_CLASS(State, preparing, on_air, ended, failed)

struct Broadcast {
  State state = State::preparing;
  std::string error;  // failed: why
  store::Time since{};
};

// Callable from every thread. The arguments must outlive it.
class Broadcasts {
 public:
  using WorkspaceOf = std::function<std::optional<std::filesystem::path>(std::string_view agent)>;
  Broadcasts(boost::asio::io_context& home, boost::asio::thread_pool& blocking, streams::Streams&, WorkspaceOf,
             std::filesystem::path folder);
  ~Broadcasts();

  // Goes on air and returns the stream; find() returns what happens then. invalid: no such file in the workspace,
  // or it is too large. conflict: the agent is on air. too_many: as many broadcasts as the box runs at once.
  // payment_required: its plan has no streams. internal: ffmpeg or espeak-ng is not installed.
  web::Task<web::Result<streams::Stream>> start(agents::Agent, Program);
  // False: the agent was not on air.
  web::Task<bool> end(std::string agent);
  // The agent's present or last broadcast since the box has started.
  web::Task<std::optional<Broadcast>> find(std::string agent);

  web::Task<> start();
  web::Task<> stop();

 private:
  struct OnAir;

  web::Task<web::Result<void>> begin(std::string agent, Program, streams::Stream, std::string sound);
  web::Task<> run(std::shared_ptr<OnAir>);
  web::Task<web::Result<void>> perform(OnAir&);
  web::Task<web::Result<void>> run_program(OnAir&, std::string name, std::vector<std::string> arguments,
                                           bool has_network);
  web::Task<web::Result<std::string>> sound_of(std::string agent, std::string file);
  web::Task<bool> cancel(std::string agent);
  web::Task<std::optional<Broadcast>> look_up(std::string agent);
  std::size_t count_running() const;

  boost::asio::io_context& home_;
  boost::asio::thread_pool& blocking_;
  streams::Streams& streams_;
  const WorkspaceOf workspace_of_;
  const std::filesystem::path folder_;

  // On the thread of home_.
  std::map<std::string, std::shared_ptr<OnAir>> on_air_;  // by agent; those that have ended, too
  bool is_stopping_ = false;
};

}  // namespace broadcasts
