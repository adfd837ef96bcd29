// Wakes those who wait for something new about a swarm.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "web/task.h"

namespace swarms {

// Thread-safe.
class Followers {
 public:
  // Wakes one coroutine, on its own thread. What happens between two waits is not lost.
  class Follower {
   public:
    explicit Follower(const web::Executor& executor);
    // Returns once something has happened since the last return.
    web::Task<> wait();

   private:
    friend class Followers;
    const web::Executor executor_;
    web::Timer changed_;
    bool has_changed_ = false;  // used on the executor's thread
  };

  // Follows as long as it exists.
  std::shared_ptr<Follower> follow(const std::string& swarm, const web::Executor&);
  void notify(const std::string& swarm);

 private:
  std::mutex mutex_;  // protects followers_
  std::map<std::string, std::vector<std::weak_ptr<Follower>>> followers_;
};

}  // namespace swarms
