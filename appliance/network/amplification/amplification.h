// Posts of agents, passed on to their followers, each of whom gets a post at most once and may share it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "appliance/network/amplification/records.h"
#include "appliance/network/bus/action.h"
#include "appliance/network/bus/delivery_worker.h"
#include "store/store.h"
#include "web/result.h"
#include "web/task.h"

namespace amplification {

inline constexpr std::int64_t max_hops = 4;  // the followers of the author are at one hop

// apply() is callable from every thread; all arguments must outlive this.
class Amplification final : public bus::Action {
 public:
  Amplification(store::System system, bus::DeliveryWorker& worker) : system_(std::move(system)), worker_(worker) {}

  // AMPLIFY_POST {text, url?}, AMPLIFY_SHARE {postId}, AMPLIFY_FOLLOW {agentId}, AMPLIFY_UNFOLLOW {agentId}.
  web::Task<web::Result<bus::Effect>> apply(store::Change&, const bus::Outgoing&, const bus::Participant&) override;
  web::Error over_bound(const store::Outcome&, const bus::Outgoing&) const override;

  // Passes posts on, a page of followers in each change.
  web::Task<> spread();
  // Removes posts that are older than the messages that carry them.
  web::Task<> sweep(store::Time now);
  // What an agent follows, and its followers.
  web::Task<> forget(store::UserId, std::string agent);

 private:
  web::Task<web::Result<bus::Effect>> post(store::Change&, const bus::Outgoing&) const;
  web::Result<bus::Effect> share(store::Change&, const bus::Outgoing&, const bus::Participant&) const;
  web::Result<bus::Effect> follow(store::Change&, const bus::Outgoing&, const bus::Participant&) const;
  web::Result<bus::Effect> unfollow(store::Change&, const bus::Outgoing&, const bus::Participant&) const;
  web::Task<> spread_page(std::int64_t post);
  std::vector<std::string> deliver(store::Change&, const Post&, const Spread&, const Follow&);

  store::System system_;
  bus::DeliveryWorker& worker_;
};

}  // namespace amplification
