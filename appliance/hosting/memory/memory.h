// What agents remember, for their owners: the facts in the agent's workspace that its own memory tools use. A running
// agent is asked itself, at its gateway; the file of one that does not run is used directly.
#pragma once

#include <boost/asio/thread_pool.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "appliance/hosting/agent_process/memory.h"
#include "appliance/hosting/agents/agents.h"
#include "appliance/identity/guards.h"
#include "web/route.h"

namespace memory {

using agent_process::Fact;

// Callable from every thread. What it is given must outlive it; `files` runs what blocks on the disk.
class Memories {
 public:
  // `folder`: data/agents.
  Memories(agents::Agents& agents, std::filesystem::path folder, boost::asio::thread_pool& files)
      : agents_(agents), folder_(std::move(folder)), files_(files) {}

  // Errors of all: not_found when the agent is not the caller's; bad_gateway when a running one does not say (an image
  // of another make has no such door); conflict when it is started while its file is written.

  // Facts that share a word with the query, the best match first; the newest `limit`, oldest first, for an empty one.
  web::Task<web::Result<std::vector<Fact>>> find(store::UserId, std::string agent, std::string query,
                                                 std::size_t limit);
  // A fact that is there already is answered as it is. conflict when there is no room.
  web::Task<web::Result<Fact>> keep(store::UserId, std::string agent, std::string text);
  // Also not_found when there is no such fact.
  web::Task<web::Result<Fact>> remove(store::UserId, std::string agent, std::string id);

 private:
  struct Door;
  web::Task<web::Result<agents::Agent>> settled(store::UserId, std::string agent);
  template <class T, class Work>
  web::Task<web::Result<T>> at_rest(agents::Agent, bool writes, Work work);

  agents::Agents& agents_;
  const std::filesystem::path folder_;
  boost::asio::thread_pool& files_;
};

// /api/memory on the web. The arguments must outlive the rows.
std::vector<web::Route> web_routes(Memories&, const agentbox::Guards&);

}  // namespace memory
