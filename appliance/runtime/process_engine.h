// Agents as child processes of the same binary: `agentbox agent --boot FILE`. They outlive the box and are adopted when
// it starts again; they end on stop, on remove, or by themselves.
//
// Files of an agent, in <folder>/<id>/run/ (0711, the box's own):
//   agent.pid   JSON {pid, start_ticks, boot_id, started_at}: the process. start_ticks is field 22 of
//               /proc/PID/stat, so that a reused pid is never taken for the agent.
//   boot.json   runtime::Boot, 0600, readable only by the agent; written for each start, removed half a minute later
//               (also after an adoption) or when the agent ends.
//   agent.log   stdout and stderr; agent.log.1 is the previous part. Copied and truncated at `log_bytes`.
//
// Each agent is confined (AgentConfinement): as root it gets its own user, so that agents can read neither the box's
// files nor each other's; everywhere it gets what the kernel permits of its own view of files and processes, file and
// port rules, and a list of system calls.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/thread_pool.hpp>
#include <filesystem>
#include <memory>

#include "appliance/runtime/engine.h"

namespace runtime {

struct ProcessOptions {
  std::filesystem::path binary;  // usually /proc/self/exe, resolved
  std::filesystem::path folder;  // data/agents
  std::uint64_t log_bytes = 8u << 20;
  std::chrono::milliseconds log_check{10'000};  // interval of the check for rotation
  std::chrono::seconds boot_file_life{30};
  bool requires_isolation = false;  // agents that are not kept apart are refused
};

class ProcessEngine final : public Engine {
 public:
  // Its state is used on `home`; spawning and file access run on `files`. Callers may be on any io_context.
  ProcessEngine(ProcessOptions, boost::asio::io_context& home, boost::asio::thread_pool& files);
  // Only after `home` has stopped (IoPool::stop). The agents keep running.
  ~ProcessEngine() override;

  std::string_view name() const override { return "process"; }
  bool has_images() const override { return false; }
  Isolation isolation() const override;
  web::Task<web::Result<Instance>> start(const AgentSpec&) override;
  web::Task<web::Result<void>> stop(std::string id, std::chrono::seconds grace) override;
  web::Task<web::Result<Instance>> inspect(std::string id) override;
  web::Task<web::Result<InstanceStats>> stats(std::string id) override;
  web::Task<web::Result<std::vector<std::string>>> logs(std::string id, std::size_t lines) override;
  web::Task<web::Result<LogPage>> read_log(std::string id, LogQuery) override;
  web::Task<web::Result<std::string>> log_end(std::string id) override;
  web::Task<web::Result<void>> follow_log(std::string id, std::string after, LogSink sink) override;
  web::Task<web::Result<std::vector<std::string>>> adopt(std::vector<std::string> ids) override;
  web::Task<web::Result<void>> remove(std::string id) override;

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace runtime
