#include "appliance/box/standby/shipper.h"

#include <pthread.h>

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

#include "appliance/box/standby/shipper_session.h"
#include "web/log.h"

namespace standby {

namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using State = Status::State;

constexpr std::size_t max_recent_bytes = 16u << 20;  // beyond, the standby is served from the log
constexpr auto contact_limit = 3s, goodbye_limit = 2s;
constexpr auto sync_again = 250ms;  // sync mode resumes when the standby is no further behind

std::pair<std::string, std::string> host_and_port(const std::string& listen) {
  const auto colon = listen.rfind(':');
  auto host = listen.substr(0, colon);
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  return {host, listen.substr(colon + 1)};
}

}  // namespace

std::string to_string(Status::State state) {
  switch (state) {
    case Status::State::waiting:
      return "waiting";
    case Status::State::base:
      return "base";
    case Status::State::catching_up:
      return "catching_up";
    case Status::State::following:
      return "following";
  }
  return "";
}

Shipper::Shipper(const agentbox::Platform& platform, store::Store& store, Alarm alarm)
    : platform_(platform),
      store_(store),
      source_(*store.replication()),
      alarm_(std::move(alarm)),
      is_sync_(platform.settings.standby == "sync"),
      timeline_(read_timeline(platform.folder).value_or(Timeline())) {
  std::error_code ignored;
  for (fs::directory_iterator entry(folder_of(platform.folder), ignored), end; !ignored && entry != end;
       entry.increment(ignored))
    if (entry->path().filename().string().starts_with("base-")) fs::remove_all(entry->path(), ignored);
  newest_ = source_.newest();
  begin_run(timeline_, newest_);
  write_timeline(platform.folder, timeline_);
  status_.is_sync = is_sync_;
  status_.epoch = timeline_.epoch;
  bind();
  source_.observe(*this);
  boost::asio::co_spawn(io_, listen(), boost::asio::detached);
  thread_ = std::thread([this] { io_.run(); });
  pthread_setname_np(thread_.native_handle(), "standby");
  if (timeline_.had_standby) wait_for_contact();
}

Shipper::~Shipper() {
  {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, goodbye_limit, [this] { return !is_collecting_ || acknowledged_ >= newest_; });
    is_stopping_ = true;
  }
  changed_.notify_all();
  source_.forget(*this);
  io_.stop();
  thread_.join();
  listing_.join();
}

void Shipper::bind() {
  const auto& listen = platform_.settings.standby_listen;
  const auto [host, port] = host_and_port(listen);
  try {
    Connection::Tcp::resolver resolver(io_);
    const auto endpoint = resolver.resolve(host, port, Connection::Tcp::resolver::passive).begin()->endpoint();
    acceptor_.open(endpoint.protocol());
    acceptor_.set_option(Connection::Tcp::acceptor::reuse_address(true));
    acceptor_.bind(endpoint);
    acceptor_.listen();
    web::log::info("standby_listening", {{"address", host}, {"port", std::int64_t{acceptor_.local_endpoint().port()}}});
  } catch (const boost::system::system_error& error) {
    throw agentbox::UsageError("STANDBY_LISTEN: cannot listen on " + listen + ": " + error.code().message());
  }
}

// A standby that was promoted meanwhile says so.
void Shipper::wait_for_contact() {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, contact_limit, [this] { return was_contacted_; });
}

// By the writer.
void Shipper::written(store::Position first, store::Position last, std::string_view bytes, bool synced) noexcept {
  const auto now = Clock::now();
  std::unique_lock lock(mutex_);
  if (first <= newest_) {  // the store was reopened, and has lost writes that the standby may have
    boost::asio::post(io_, [this, after = first - 1] {
      begin_run(timeline_, after);
      write_timeline(platform_.folder, timeline_);
      if (session_) session_->connection.close();
    });
  }
  newest_ = last;
  if (!behind_since_) behind_since_ = now;
  if (is_collecting_) {
    try {
      recent_.push_back(std::make_shared<const Written>(Written{first, last, std::string(bytes), now}));
      recent_bytes_ += bytes.size();
    } catch (const std::bad_alloc&) {
      recent_.clear();
      recent_bytes_ = 0;
    }
    while (recent_bytes_ > max_recent_bytes) {
      recent_bytes_ -= recent_.front()->bytes.size();
      recent_.pop_front();
    }
    if (!std::exchange(is_woken_, true)) boost::asio::post(io_, [this] { wake_.cancel(); });
  }
  if (synced && is_fenced_) changed_.wait(lock, [] { return false; });  // acknowledges nothing any more
  if (!synced || !is_sync_ || is_degraded_) return;
  const auto is_done = [&] { return acknowledged_ >= last || is_degraded_ || is_stopping_; };
  if (changed_.wait_for(lock, silence_limit, is_done)) return;
  is_degraded_ = true;
  boost::asio::post(io_, [this] {
    alarm_(true,
           "The standby has not taken a change for five seconds: the box goes on without it, as with STANDBY=async.");
  });
}

std::shared_ptr<const Shipper::Written> Shipper::next_write(store::Position after) {
  const std::lock_guard lock(mutex_);
  is_woken_ = false;
  const auto found = std::lower_bound(recent_.begin(), recent_.end(), after + 1,
                                      [](const auto& write, store::Position first) { return write->first < first; });
  return found == recent_.end() || (*found)->first != after + 1 ? nullptr : *found;
}

void Shipper::acknowledge(store::Position position) {
  bool is_back = false;
  {
    const std::lock_guard lock(mutex_);
    acknowledged_ = std::max(acknowledged_, position);
    while (!recent_.empty() && recent_.front()->last <= acknowledged_) {
      recent_bytes_ -= recent_.front()->bytes.size();
      recent_.pop_front();
    }
    const bool is_level = acknowledged_ >= newest_;
    const bool is_near = !recent_.empty() && recent_.front()->first == acknowledged_ + 1;
    if (is_level)
      behind_since_.reset();
    else if (is_near)
      behind_since_ = recent_.front()->at;
    const bool keeps_up = is_level || (is_near && Clock::now() - *behind_since_ < sync_again);
    if (keeps_up && status_.state == State::catching_up) status_.state = State::following;
    if (keeps_up) is_back = std::exchange(is_degraded_, false);
  }
  changed_.notify_all();
  if (is_back) alarm_(false, "The standby has caught up: durable changes wait for it again.");
}

Status Shipper::status() const {
  const std::lock_guard lock(mutex_);
  auto now = status_;
  now.is_degraded = is_degraded_;
  now.newest = newest_;
  now.acknowledged = acknowledged_;
  if (behind_since_) now.lag = std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - *behind_since_);
  return now;
}

bool Shipper::prove(store::Census census) {
  const std::lock_guard lock(mutex_);
  if (status_.state != State::following) return false;
  census_ = std::move(census);
  boost::asio::post(io_, [this] {
    if (session_) session_->next_folders = Clock::now();
    wake_.cancel();
  });
  return true;
}

void Shipper::set_state(State state) {
  const std::lock_guard lock(mutex_);
  status_.state = state;
}

}  // namespace standby
