// The side of the box: sends every write of its store to the standby that is connected, and in sync mode lets no
// durable write return before it is on the standby's disk.
#pragma once

#include <boost/asio/io_context.hpp>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "appliance/box/standby/connection.h"
#include "appliance/box/standby/folders.h"
#include "appliance/box/standby/timeline.h"
#include "appliance/foundation/platform.h"
#include "store/census.h"
#include "store/replication.h"
#include "store/store.h"

namespace standby {

struct Proof {
  store::Time at{};
  std::int64_t records = 0, compared = 0;
  std::string problem;  // empty: the standby has what the box has
};

struct Status {
  enum class State {
    waiting,      // no standby is connected
    base,         // a standby receives the copy that it begins with
    catching_up,  // it receives what it has missed
    following
  };
  State state = State::waiting;
  bool is_sync = false;
  bool is_degraded = false;  // sync is wanted, but writes return without the standby
  std::string problem;       // why the last connection ended; empty: it did not
  std::string address;       // of the standby
  store::Position newest = 0, acknowledged = 0;
  std::chrono::milliseconds lag{0};  // age of the oldest write that is not on the standby's disk
  std::uint64_t epoch = 0, bases = 0;
  std::optional<store::Time> folders_at;  // when the folders were last the same
  std::optional<Proof> proof;
};

std::string to_string(Status::State);

class Shipper final : public store::WriteObserver {
 public:
  // Called on the shipper's thread with a sentence when sync ends without having been told to, and when it is back.
  using Alarm = std::function<void(bool is_degraded, const std::string& sentence)>;

  // Begins a run, follows the store and listens. A box that has had a standby then waits up to three seconds for one,
  // or to learn that it was replaced, which ends the process. Throws agentbox::UsageError.
  Shipper(const agentbox::Platform&, store::Store&, Alarm);
  // Lets the standby catch up for up to two seconds.
  ~Shipper() override;
  Shipper(const Shipper&) = delete;
  Shipper& operator=(const Shipper&) = delete;

  // Both callable from every thread.
  Status status() const;
  // Has the standby compare its records with the box's, and sends it the folders at once. False if none follows.
  bool prove(store::Census);

  void written(store::Position first, store::Position last, std::string_view bytes, bool synced) noexcept override;

 private:
  using Clock = std::chrono::steady_clock;
  struct Written {
    store::Position first = 0, last = 0;
    std::string bytes;
    Clock::time_point at;
  };
  struct Hello;
  struct Session;

  void bind();
  void wait_for_contact();
  web::Task<> listen();
  web::Task<> serve(Connection::Socket);
  static web::Task<> guarded(Session&, web::Task<> work);
  web::Task<> converse(Session&);
  web::Task<> talk(Session&);
  web::Task<Hello> greet(Session&);
  web::Task<bool> begin(Session&, const Hello&);
  web::Task<> send_base(Session&);
  web::Task<> feed(Session&);
  web::Task<bool> send_next_writes(Session&);
  web::Task<> send_beat(Session&);
  web::Task<> hear(Session&);
  web::Task<> watch(Session&);
  web::Task<> fence(Session&, std::uint64_t epoch);
  void plan_folders(Session&);
  void acknowledge(store::Position);
  void note_proof(const std::string& content);
  std::shared_ptr<const Written> next_write(store::Position after);
  void set_state(Status::State);
  void note_end(const std::string& problem);

  const agentbox::Platform& platform_;
  store::Store& store_;
  store::Replication& source_;
  const Alarm alarm_;
  const bool is_sync_;
  Timeline timeline_;  // of the thread, after the constructor

  mutable std::mutex mutex_;  // protects what follows
  std::condition_variable changed_;
  std::deque<std::shared_ptr<const Written>> recent_;  // writes that the standby has not acknowledged, without gaps
  std::size_t recent_bytes_ = 0;
  store::Position newest_ = 0, acknowledged_ = 0;
  std::optional<Clock::time_point> behind_since_;
  bool is_collecting_ = false;  // a standby is connected: recent_ is filled
  bool is_woken_ = false, is_degraded_ = false, is_stopping_ = false, is_fenced_ = false, was_contacted_ = false;
  Status status_;
  std::optional<store::Census> census_;  // to be sent

  boost::asio::io_context io_{1};
  boost::asio::basic_socket_acceptor<Connection::Tcp, web::Executor> acceptor_{io_.get_executor()};
  Session* session_ = nullptr;  // of the thread; the standby that is connected
  web::Timer wake_{io_.get_executor()};
  boost::asio::thread_pool listing_{1};
  std::thread thread_;  // last: uses everything above
};

}  // namespace standby
