// Owners' access to their agents' memories: the facts in the workspace that the agent's memory tools use. For a running
// agent through its gateway, otherwise directly through the file.
#pragma once

#include <boost/asio/thread_pool.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "appliance/agent/memory.h"
#include "appliance/hosting/agents/directory.h"
#include "web/result.h"
#include "web/task.h"

namespace memory {

using agent_process::Fact;

// Thread-safe. All arguments must outlive it; blocking file access runs on `files`.
class Memories {
 public:
  // `folder`: data/agents.
  Memories(const agents::AgentDirectory& agents, std::filesystem::path folder, boost::asio::thread_pool& files)
      : agents_(agents), folder_(std::move(folder)), files_(files) {}

  // Errors of all functions: not_found when the agent is not the caller's; bad_gateway when a running agent does not
  // respond (foreign images have no memory endpoint); conflict when it starts while its file is being written.

  // `peer` is the name that the agent has for one (chat::peer_name_at_agent): what it remembers of that peer; empty:
  // the owner's memory.

  // Facts that share a word with the query, best match first; for an empty query the newest `limit`, oldest first.
  web::Task<web::Result<std::vector<Fact>>> find(store::UserId, std::string agent, std::string query, std::size_t limit,
                                                 std::string peer = {});
  // Returns the existing fact if it is already stored. With a `block` it writes that block of the agent's memory.
  // conflict when the memory is full.
  web::Task<web::Result<Fact>> add(store::UserId, std::string agent, std::string text, std::string block = {});
  // Also not_found when there is no such fact. Returns the removed fact.
  web::Task<web::Result<Fact>> remove(store::UserId, std::string agent, std::string id, std::string peer = {});

 private:
  web::Task<web::Result<agents::Agent>> settled_agent(store::UserId, std::string agent);
  template <class T, class Work>
  web::Task<web::Result<T>> with_file(agents::Agent, const std::string& peer, bool writes, Work work);

  const agents::AgentDirectory& agents_;
  const std::filesystem::path folder_;
  boost::asio::thread_pool& files_;
};

}  // namespace memory
