// The queues before model servers: each of them works on a few requests at once, and the others wait here for their
// turn.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "appliance/models/queue/fair_queue.h"
#include "web/task.h"

namespace models {

// The queue of one provider. Callable from every thread; it must outlive its slots.
class ModelQueue {
 public:
  // One of the server's slots, or a place in its queue; given up when it is destroyed.
  class Slot {
   public:
    Slot() = default;  // none
    Slot(ModelQueue& queue, FairQueue::Id id) : queue_(&queue), id_(id) {}
    Slot(Slot&& other) noexcept : queue_(std::exchange(other.queue_, nullptr)), id_(other.id_) {}
    Slot& operator=(Slot&& other) noexcept {
      std::swap(queue_, other.queue_);
      std::swap(id_, other.id_);
      return *this;
    }
    ~Slot() {
      if (queue_) queue_->leave(id_);
    }

   private:
    ModelQueue* queue_ = nullptr;
    FairQueue::Id id_ = 0;
  };

  // Called on the waiting coroutine's thread, at once and every two seconds while it waits.
  using OnPlace = std::function<void(const FairQueue::Place&)>;
  // Waits for a slot. Cancelling the coroutine gives up the place and throws operation_aborted.
  web::Task<Slot> enter(WaitClass, std::string user, OnPlace, std::uint32_t weight = 1);

  // 0: no limit.
  void set_slots(std::size_t);
  struct State {
    std::size_t slots = 0, running = 0, waiting = 0;
  };
  State state() const;

 private:
  struct Waiter {
    Waiter(web::Executor on, FairQueue::Clock::time_point until) : executor(on), timer(on, until) {}
    const web::Executor executor;
    web::Timer timer;  // used on the executor
    std::atomic<bool> has_slot = false;
  };
  void leave(FairQueue::Id);
  void start_waiting();  // mutex_ is held

  mutable std::mutex mutex_;  // protects all below
  FairQueue queue_;
  std::map<FairQueue::Id, std::shared_ptr<Waiter>> waiters_;
};

// The requests that a server works on, and those that wait inside of it.
struct ServerLoad {
  std::size_t running = 0, waiting = 0;
};

// What a server reports of how many requests it works on at once.
struct ServerSize {
  std::optional<std::size_t> slots = {};
  std::optional<ServerLoad> load = {};  // of one that batches requests as its memory has room for them
};

// Asks a server: llama.cpp for its slots (/props); Ollama for its loaded models (/api/ps), of each of which it answers
// one request at a time unless OLLAMA_NUM_PARALLEL says otherwise; vLLM for its load (/metrics). `base_url` ends in
// /v1.
web::Task<ServerSize> look_up_size(std::string base_url);
// The load in vLLM's metrics, in Prometheus' text form; not set if it is not there.
std::optional<ServerLoad> load_in(std::string_view metrics);
// The requests to send at once to a server with this load, after `known`: as many as it works on, once others wait
// inside of it; a quarter more if all of those run and none waits. 0: no limit, as long as none has waited.
std::size_t next_size(std::size_t known, const ServerLoad&);

// Who waits in a queue: for whom, of which user, and with which weight among the users of the class.
struct QueuedRequest {
  WaitClass wait_class = WaitClass::person;
  std::string user;
  std::uint32_t weight = 1;
};

// The queues of all providers, and the sizes of those servers that tell them. Callable from every thread.
class ModelQueues {
 public:
  // `base_url`: of a server whose size is looked up; empty for vendors' APIs. `limit`: the configured one, which
  // decides if it is not 0. The size is looked up when a second request comes, and once a minute; every five seconds if
  // the server reports its load.
  web::Task<ModelQueue::Slot> enter(std::string provider, std::string base_url, std::size_t limit, QueuedRequest,
                                    ModelQueue::OnPlace);
  // Of providers that have had requests.
  std::map<std::string, ModelQueue::State> states() const;

 private:
  struct Entry {
    ModelQueue queue;
    FairQueue::Clock::time_point looked_up{};
    std::size_t found = 0;
    bool has_load = false;  // the server reports its load
  };
  Entry& entry(const std::string& provider);
  web::Task<> look_up(Entry&, std::string base_url);

  mutable std::mutex mutex_;  // protects entries_ and what is in them besides the queue; entries stay where they are
  std::map<std::string, Entry> entries_;
};

}  // namespace models
