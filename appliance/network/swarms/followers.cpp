#include "appliance/network/swarms/followers.h"

#include <boost/asio/redirect_error.hpp>

namespace swarms {

Followers::Follower::Follower(const web::Executor& executor)
    : executor_(executor), changed_(executor, web::Timer::time_point::max()) {}

web::Task<> Followers::Follower::wait() {
  while (!has_changed_) {
    boost::system::error_code woken;
    co_await changed_.async_wait(boost::asio::redirect_error(web::use_task, woken));
  }
  has_changed_ = false;
}

std::shared_ptr<Followers::Follower> Followers::follow(const std::string& swarm, const web::Executor& executor) {
  auto follower = std::make_shared<Follower>(executor);
  const std::lock_guard lock(mutex_);
  auto& followers = followers_[swarm];
  std::erase_if(followers, [](const auto& one) { return one.expired(); });
  followers.push_back(follower);
  return follower;
}

void Followers::notify(const std::string& swarm) {
  const std::lock_guard lock(mutex_);
  const auto found = followers_.find(swarm);
  if (found == followers_.end()) return;
  std::erase_if(found->second, [](const auto& one) { return one.expired(); });
  for (const auto& one : found->second) {
    if (const auto follower = one.lock()) {
      boost::asio::post(follower->executor_, [follower] {
        follower->has_changed_ = true;
        follower->changed_.cancel();
      });
    }
  }
  if (found->second.empty()) followers_.erase(found);
}

}  // namespace swarms
