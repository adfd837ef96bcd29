// Keeps channels connected to their providers: connects with back-off, waits for events, and notes how it is.
#pragma once

#include <atomic>
#include <boost/asio/io_context.hpp>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "appliance/foundation/periodic.h"
#include "appliance/foundation/task_group.h"
#include "appliance/hosting/channels/adapter.h"
#include "appliance/hosting/channels/records.h"

namespace channels {

// A channel at work. Its adapter is used on the home thread, but for Adapter::push.
struct Connection {
  Channel channel;  // as it was when the connection was made
  std::unique_ptr<Adapter> adapter;
  std::chrono::steady_clock::time_point not_before{};  // when the next message may be sent
  std::atomic<bool> is_ready = false;                  // it has connected once
};

class Connections {
 public:
  // Must be durable when it returns: the events are then acknowledged.
  using Sink = std::function<web::Task<>(const Channel&, std::vector<Received>)>;
  // Sentence why the channel may not run; empty if it may.
  using Gate = std::function<std::string(const Channel&)>;

  Connections(store::System, AdapterSettings, Gate, boost::asio::io_context& home);

  // Before start().
  void when_received(Sink sink) { sink_ = std::move(sink); }
  void when_connected(std::function<void(const Channel&)> connected) { connected_ = std::move(connected); }

  void start();
  web::Task<> stop();

  // Reads the record again and connects anew; for changes, new channels and removed ones. Callable from every thread.
  void refresh(store::UserId owner, const std::string& channel);
  // Callable from every thread. Null unless the channel is, or is being, connected.
  std::shared_ptr<Connection> find(std::string_view channel) const;
  bool has_any() const;
  const AdapterSettings& settings() const { return settings_; }

 private:
  web::Task<> run(store::UserId owner, std::string id);
  // Returns when the channel has no more to wait for: it is pushed, rejected, off or gone.
  web::Task<bool> attempt(store::UserId owner, const std::string& id, std::string& problem);
  web::Task<> note(const Channel&, State, std::string error, std::string identity = {});
  // Plans, groups and accounts change without a word to channels.
  web::Task<> review();
  web::Task<> keep_cursor(const Channel&, std::string cursor);
  void keep(const std::shared_ptr<Connection>&);
  void drop(const std::string& id);

  store::System system_;
  const AdapterSettings settings_;
  const Gate gate_;
  Sink sink_;
  std::function<void(const Channel&)> connected_;
  mutable std::mutex mutex_;  // protects open_
  std::map<std::string, std::shared_ptr<Connection>, std::less<>> open_;
  agentbox::TaskGroup tasks_;
  agentbox::Periodic reviewing_;
};

}  // namespace channels
