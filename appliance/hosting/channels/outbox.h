// What peers are sent. A message is stored before it is sent; those to one chat are sent in order, and chats do not
// wait for each other. A provider that may already have a message gets it once more at most.
#pragma once

#include <boost/asio/thread_pool.hpp>
#include <deque>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "appliance/foundation/periodic.h"
#include "appliance/foundation/task_group.h"
#include "appliance/hosting/channels/connections.h"
#include "store/store.h"

namespace channels {

// Where messages go.
struct Target {
  store::UserId owner = 0;
  std::string agent, channel, chat;
};

class Outbox {
 public:
  // `folder` has a folder for each agent. All of them must outlive it.
  Outbox(store::System, Connections&, std::filesystem::path folder, boost::asio::thread_pool& files,
         boost::asio::io_context& home);

  // The messages that a text becomes within the provider's limit; the first one replaces the message `edits`, if any,
  // else it replies to `reply_to`. Callable from every thread.
  std::vector<Outbound> compose(const Target&, std::string_view markdown, const std::string& edits = {},
                                const std::string& reply_to = {}) const;
  static Outbound file(const Target&, std::string path, std::string name);
  // Adds them to a change of their owner. wake() once it is committed. Callable from every thread.
  static void add(store::Change&, const std::vector<Outbound>&);
  void wake(const std::vector<Outbound>&);
  // compose(), add() and wake().
  web::Task<> send(Target, std::string markdown);
  // Sends a dead letter again; false if there is none.
  web::Task<bool> replay(store::UserId owner, std::string id);
  web::Task<bool> discard(store::UserId owner, std::string id);
  // What became of a message that the provider had taken. Callable from every thread.
  web::Task<> note(const Channel&, DeliveryReport);

  void start();
  web::Task<> stop();
  // Messages of the channel that were waiting for it. On `home`, like is_idle().
  void resume(const Channel&);
  bool is_idle(const std::string& channel, const std::string& chat) const;

 private:
  struct Waiting {
    store::UserId owner;
    std::string id;
  };
  enum class Step { done, later, parked };
  web::Task<> run_lane(std::string lane);
  web::Task<Step> deliver(Waiting);
  web::Task<Step> attempt(Outbound, Connection&);
  web::Task<Step> give_up(const Outbound&, std::string reason);
  web::Task<> finish(const Outbound&, const Traits&);
  web::Task<Step> settle(const Outbound&, const SendFailure&, Connection&);
  web::Task<web::Result<std::string>> read_file(const Outbound&, std::size_t max_bytes);
  web::Task<> prune();
  web::Task<> erase(store::UserId owner, const std::string& id, store::Durability);
  void enqueue(const Outbound&);

  store::System system_;
  Connections& connections_;
  const std::filesystem::path folder_;
  boost::asio::thread_pool& files_;
  boost::asio::io_context& home_;
  // Used on `home` only: by channel and chat.
  std::map<std::string, std::deque<Waiting>, std::less<>> lanes_;
  agentbox::TaskGroup tasks_;
  agentbox::Periodic pruning_;
};

// The accounts that the owner has linked to the agent's channels that are connected or will be.
std::vector<Target> owner_accounts(const store::System&, store::UserId owner, const std::string& agent);

}  // namespace channels
