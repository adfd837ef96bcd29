// Delivers messages: to the recipient's mailbox in the change that accepts them, then over its channels, at least once.
//
// Deliveries of one sender to one recipient over one channel form a lane, which is worked through in order by one
// coroutine. A failed attempt is repeated with exponential back-off for `patience`; then the delivery becomes a dead
// letter and the lane goes on.
#pragma once

#include <atomic>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/io_context.hpp>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "appliance/foundation/semaphore.h"
#include "appliance/network/bus/action.h"
#include "appliance/network/bus/participant.h"
#include "appliance/network/bus/records.h"
#include "store/store.h"
#include "web/task.h"

namespace bus {

// Why an attempt failed.
struct DeliveryProblem {
  std::string reason;     // a sentence
  bool is_final = false;  // the recipient wants no further attempt
};

// Makes one attempt over a channel. Nothing: the recipient has it, or no longer uses the channel.
using Transport =
    std::function<web::Task<std::optional<DeliveryProblem>>(const Participant& recipient, const Message& message)>;

struct DeliveryWorkerOptions {
  std::chrono::milliseconds first_pause{1'000}, longest_pause{3'600'000};
  std::chrono::milliseconds patience{std::chrono::hours(24)};
  std::size_t max_attempts = 256, max_attempts_of_owner = 8;  // at once
};

// post() and wake() are callable from every thread; everything else runs on `home`.
class DeliveryWorker {
 public:
  using Options = DeliveryWorkerOptions;
  DeliveryWorker(store::System, boost::asio::io_context& home, Transport webhook, Transport agent, Options = {});
  ~DeliveryWorker();  // after stop(), or with `home` stopped

  // Adds to the change: the message in the recipient's mailbox, and its deliveries over the channels that the
  // recipient's config names. Returns the lanes to wake once the change is committed.
  std::vector<std::string> post(store::Change&, const Outgoing&, const boost::json::object& context,
                                const Participant& recipient);
  void wake(std::vector<std::string> lanes);
  // Puts a dead letter back into its lane, with new patience; false if there is no such letter.
  web::Task<bool> replay(store::UserId owner, std::string dead_letter);

  // Continues with what was stored.
  void start();
  // Attempts in progress are cut off and repeated by the next start.
  web::Task<> stop();

 private:
  struct Lane;

  std::int64_t next_number();
  void run(const std::string& lane);
  void forget_lane(const std::shared_ptr<Lane>&);
  web::Task<> work_through(std::shared_ptr<Lane>);
  // False if the delivery waits for another attempt, and what is behind it with it.
  web::Task<bool> handle(Lane&, const Delivery&);
  web::Task<std::optional<DeliveryProblem>> attempt(const Delivery&);
  web::Task<> finish(const Delivery&);
  // False if there is to be another attempt.
  web::Task<bool> give_up_or_postpone(const Delivery&, DeliveryProblem);
  std::chrono::milliseconds pause_after(std::int64_t attempts) const;
  std::shared_ptr<agentbox::Semaphore> places_of(store::UserId);

  store::System system_;
  boost::asio::io_context& home_;
  const Transport webhook_, agent_;
  const Options options_;
  std::atomic<std::int64_t> last_number_{0};
  // Used on the home thread only.
  std::map<std::string, std::shared_ptr<Lane>, std::less<>> lanes_;
  std::map<store::UserId, std::weak_ptr<agentbox::Semaphore>> places_of_owners_;
  agentbox::Semaphore places_;
  web::Timer all_ended_;
  bool stopping_ = false;
};

}  // namespace bus
