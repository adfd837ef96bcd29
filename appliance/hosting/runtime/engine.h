// Where agents run: one contract, two engines (ProcessEngine, DockerEngine). All calls are coroutines on an io thread
// and return an Error whose message is a sentence with the engine's own reason; of kind unavailable when the engine
// itself does not answer.
#pragma once

#include <boost/describe.hpp>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "appliance/hosting/runtime/agent_profile.h"
#include "appliance/hosting/runtime/log_line.h"
#include "web/result.h"
#include "web/task.h"

namespace runtime {

struct ResourceLimits {
  std::uint64_t memory_bytes = 512ull << 20;
  std::uint64_t open_files = 1024;
  std::uint64_t file_bytes = 1ull << 30;
  unsigned processes = 64;
  double cpus = 1;  // cores, as many as the machine has at most; kept by the engine that can
};

// Everything an engine needs to run one agent. The gateway token and the box token travel in the boot file (0600) or a
// pipe, never in argv or the environment.
struct AgentSpec {
  std::string id;
  std::string name;
  std::string model;                // empty: the box's default
  std::string image;                // for engines of containers; empty: the box's default
  std::filesystem::path workspace;  // data/agents/<id>/workspace: a git repository
  std::uint16_t port = 0;           // host port of the agent's gateway
  std::string gateway_token;        // what callers of the agent present
  std::string box_token;            // what the agent presents to the box's backend
  std::string backend_url, summarizer_url;
  AgentProfile conduct;
  ResourceLimits limits;
};

// What the engine starts the agent with: `agentbox agent --boot FILE` reads this as JSON.
struct Boot {
  std::string agent_id, name, model, listen, workspace, gateway_token, box_token, backend_url, summarizer_url;
  std::optional<AgentProfile> conduct;  // always written; an image may be newer than the box, and is given none then
};
BOOST_DESCRIBE_STRUCT(Boot, (),
                      (agent_id, name, model, listen, workspace, gateway_token, box_token, backend_url, summarizer_url,
                       conduct))

enum class State { running, exited, missing };

// How an agent's surroundings see it. starting: it runs, and its gateway does not answer, yet or any more; unhealthy:
// it is in an unexpected state (paused, say) or cannot be inspected.
BOOST_DEFINE_ENUM_CLASS(Health, healthy, starting, stopped, unhealthy)

struct Instance {
  State state = State::missing;
  std::int64_t pid = 0;
  std::optional<int> exit_code;  // exited: code, or 128 + signal
  std::chrono::sys_time<std::chrono::milliseconds> started_at{};
  std::string backend_url, summarizer_url;  // running: as its spec gave them; empty: not known
  std::optional<Health> health;             // where the engine looks itself
  std::string image;                        // of containers: exactly what it was made from
};

struct InstanceStats {
  double cpu_percent = 0;          // since the last call, of one core
  std::uint64_t memory_bytes = 0;  // resident
  std::chrono::seconds uptime{0};
  std::optional<std::uint64_t> received_bytes, sent_bytes;  // over the network, where the engine counts it
};

using LogSink = std::function<bool(std::vector<LogLine>)>;

class Engine {
 public:
  virtual ~Engine() = default;
  virtual std::string_view name() const = 0;  // process, docker
  virtual bool has_images() const = 0;        // whether AgentSpec::image means anything
  // Starts the agent; returns once it runs (not: once it is ready). Starting a running one is an Error conflict.
  virtual web::Task<web::Result<Instance>> start(const AgentSpec&) = 0;
  // SIGTERM, then SIGKILL after `grace`. Stopping a stopped or missing one is success.
  virtual web::Task<web::Result<void>> stop(std::string id, std::chrono::seconds grace) = 0;
  virtual web::Task<web::Result<Instance>> inspect(std::string id) = 0;
  virtual web::Task<web::Result<InstanceStats>> stats(std::string id) = 0;
  // Last `lines` lines of the agent's log.
  virtual web::Task<web::Result<std::vector<std::string>>> logs(std::string id, std::size_t lines) = 0;
  // The same with ids, for those who go on reading.
  virtual web::Task<web::Result<LogPage>> read_log(std::string id, LogQuery) = 0;
  // An id behind the last line that is written now.
  virtual web::Task<web::Result<std::string>> log_end(std::string id) = 0;
  // Hands on the lines after this id as they are written, until `sink` answers false, the coroutine is cancelled, or
  // the engine tells no more (a container has ended). On an io thread.
  virtual web::Task<web::Result<void>> follow_log(std::string id, std::string after, LogSink sink) = 0;
  // Finds the agents a box that died left running and watches them again; ids known to the store are handed in. Answers
  // who runs: others may be among them. An Error says that the engine does not answer, so that nothing is known of
  // them.
  virtual web::Task<web::Result<std::vector<std::string>>> adopt(std::vector<std::string> ids) = 0;
  // Forgets the agent's run files and container; the workspace is the caller's.
  virtual web::Task<web::Result<void>> remove(std::string id) = 0;
  // Called on an io thread whenever an agent's process ends, also one that was adopted.
  std::function<void(std::string id, std::optional<int> exit_code)> on_exit;
  // Called on an io thread when the engine answers again after it did not.
  std::function<void()> on_back;
};

}  // namespace runtime
