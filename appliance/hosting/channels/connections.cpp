#include "appliance/hosting/channels/connections.h"

#include <algorithm>
#include <boost/system/system_error.hpp>

#include "web/log.h"

namespace channels {

namespace {

struct Farewell {
  Adapter& adapter;
  ~Farewell() { adapter.disconnected(); }
};

constexpr std::chrono::milliseconds first_reconnect{1'000}, longest_reconnect{60'000};
constexpr std::chrono::seconds review_pause{10};

}  // namespace

Connections::Connections(store::System system, AdapterSettings settings, Gate gate, boost::asio::io_context& home)
    : system_(std::move(system)),
      settings_(std::move(settings)),
      gate_(std::move(gate)),
      tasks_(home, "channel_connection_failed"),
      reviewing_(home, "channels that may run", review_pause, [this] { return review(); }) {}

void Connections::start() {
  system_.each(table, [this](const Channel& channel) {
    refresh(channel.owner, channel.id);
    return true;
  });
  reviewing_.start();
}

web::Task<> Connections::stop() {
  co_await reviewing_.stop();
  co_await tasks_.stop();
}

web::Task<> Connections::review() {
  std::vector<Channel> changed;
  system_.each(table, [&](const Channel& channel) {
    const bool is_off = channel.state == State::off, must_be_off = !gate_(channel).empty();
    if (is_off != must_be_off) changed.push_back(channel);
    return true;
  });
  for (const auto& channel : changed) refresh(channel.owner, channel.id);
  co_return;
}

void Connections::refresh(store::UserId owner, const std::string& channel) {
  drop(channel);
  tasks_.cancel(channel);
  tasks_.spawn(channel, run(owner, channel));
}

std::shared_ptr<Connection> Connections::find(std::string_view channel) const {
  const std::lock_guard lock(mutex_);
  const auto found = open_.find(channel);
  return found == open_.end() ? nullptr : found->second;
}

bool Connections::has_any() const {
  const std::lock_guard lock(mutex_);
  return !open_.empty();
}

void Connections::keep(const std::shared_ptr<Connection>& connection) {
  const std::lock_guard lock(mutex_);
  open_[connection->channel.id] = connection;
}

void Connections::drop(const std::string& id) {
  const std::lock_guard lock(mutex_);
  open_.erase(id);
}

web::Task<> Connections::run(store::UserId owner, std::string id) {
  auto pause = first_reconnect;
  for (;;) {
    const auto begun = std::chrono::steady_clock::now();
    std::string problem;
    bool is_over = false;
    try {
      is_over = co_await attempt(owner, id, problem);
    } catch (const boost::system::system_error& error) {
      if (error.code() == boost::asio::error::operation_aborted) throw;
      problem = "The channel failed: " + std::string(error.what());
    } catch (const std::exception& error) {
      // Such as a store that takes no writes: what was received is not acknowledged, and comes again.
      web::log::error("channel_failed", {{"channel", id}, {"reason", std::string(error.what())}});
      problem = "The box could not store what was received.";
    }
    if (is_over) co_return;
    if (std::chrono::steady_clock::now() - begun > longest_reconnect) pause = first_reconnect;
    co_await web::sleep_for(pause);
    pause = std::min(pause * 2, longest_reconnect);
  }
}

web::Task<bool> Connections::attempt(store::UserId owner, const std::string& id, std::string& problem) {
  const auto row = system_.get(table, owner, id);
  if (!row) {
    drop(id);
    co_return true;
  }
  const auto& channel = row->value;
  if (auto why_off = gate_(channel); !why_off.empty()) {
    drop(id);
    co_await note(channel, State::off, std::move(why_off));
    co_return true;
  }
  auto adapter = make_adapter(channel, settings_);
  if (!adapter) {
    drop(id);
    co_await note(channel, State::rejected, adapter.error().message);
    co_return true;
  }
  const auto connection = std::make_shared<Connection>();
  connection->channel = channel;
  connection->adapter = std::move(*adapter);
  keep(connection);
  auto& provider = *connection->adapter;
  const Farewell farewell{provider};  // also when the channel is changed meanwhile
  const auto identity = co_await provider.sign_in();
  const bool is_refused = !identity && identity.error().kind == web::Kind::unauthenticated;
  if (!identity) {
    if (is_refused) drop(id);
    problem = identity.error().message;
    const auto state = is_refused ? State::rejected : State::connecting;
    co_await note(channel, state, problem);
    co_return is_refused;
  }
  co_await note(channel, State::connected, {}, *identity);
  connection->is_ready = true;
  if (connected_) connected_(channel);
  auto cursor = channel.cursor;
  while (!provider.traits().is_pushed) {
    auto received = co_await provider.receive();
    if (received) {
      if (!received->empty()) co_await sink_(channel, std::move(*received));
      if (provider.cursor() != cursor) {
        cursor = provider.cursor();
        co_await keep_cursor(channel, cursor);
      }
      continue;
    }
    const bool is_revoked = received.error().kind == web::Kind::unauthenticated;
    if (is_revoked) drop(id);
    problem = received.error().message;
    const auto state = is_revoked ? State::rejected : State::connecting;
    co_await note(channel, state, problem);
    co_return is_revoked;
  }
  co_return true;
}

// After a crash that loses it, events come again; they are known by their ids.
web::Task<> Connections::keep_cursor(const Channel& channel, std::string cursor) {
  auto row = system_.get(table, channel.owner, channel.id);
  if (!row) co_return;
  row->value.cursor = std::move(cursor);
  auto change = system_.change();
  change.update(table, *row);
  co_await change.commit(store::Durability::relaxed);
}

// Written only when something has changed.
web::Task<> Connections::note(const Channel& channel, State state, std::string error, std::string identity) {
  const auto row = system_.get(table, channel.owner, channel.id);
  if (!row) co_return;
  const auto& now = row->value;
  const bool is_same = now.state == state && now.error == error && (identity.empty() || now.identity == identity);
  if (is_same && state != State::connected) co_return;
  if (!is_same && state != State::connected)
    web::log::info("channel_not_connected", {{"channel", channel.id}, {"reason", error}});
  auto edit = [&](Channel& stored) {
    if (state == State::connected) stored.connected_at = store::now();
    stored.state = state;
    stored.error = error;
    if (!identity.empty()) stored.identity = identity;
  };
  co_await system_.modify(table, channel.owner, channel.id, edit);
}

}  // namespace channels
