#include "appliance/models/queue/model_queue.h"

#include <gtest/gtest.h>

#include <atomic>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace model_queue_test {

namespace asio = boost::asio;
using models::ModelQueue, models::WaitClass;

// One request, on an io_context of its own.
struct Request {
  asio::io_context io;
  asio::cancellation_signal cancel;
  std::optional<ModelQueue::Slot> slot;
  bool is_refused = false;
  std::size_t place = 0;

  void enter(ModelQueue& queue, std::string user) {
    asio::co_spawn(
        io,
        [this, &queue, user = std::move(user)]() -> web::Task<> {
          ModelQueue::OnPlace on_place = [this](const models::FairQueue::Place& now) { place = now.number; };
          auto entered = co_await queue.enter(WaitClass::person, user, std::move(on_place));
          slot.emplace(std::move(entered));
        },
        asio::bind_cancellation_slot(cancel.slot(),
                                     [this](std::exception_ptr failure) { is_refused = failure != nullptr; }));
    run();
  }
  // Until it can only wait.
  void run() {
    io.restart();
    while (io.poll() > 0) {
    }
  }
};

TEST(ModelQueue, GivesASlotToTheNextWhenOneIsFree) {
  ModelQueue queue;
  queue.set_slots(1);
  Request first, second, third;
  first.enter(queue, "ada");
  second.enter(queue, "ada");
  third.enter(queue, "ada");
  EXPECT_TRUE(first.slot);
  EXPECT_FALSE(second.slot || third.slot);
  EXPECT_EQ(second.place, 1U);
  EXPECT_EQ(third.place, 2U);
  EXPECT_EQ(queue.state().waiting, 2U);
  first.slot.reset();
  second.run();
  third.run();
  EXPECT_TRUE(second.slot);
  EXPECT_FALSE(third.slot);
  queue.set_slots(2);
  third.run();
  EXPECT_TRUE(third.slot) << "the server has become larger";
  second.slot.reset();
  third.slot.reset();
  EXPECT_EQ(queue.state().running, 0U);
}

TEST(ModelQueue, ARequestThatIsCancelledLosesItsPlace) {
  ModelQueue queue;
  queue.set_slots(1);
  Request first, leaving, last;
  first.enter(queue, "ada");
  leaving.enter(queue, "ada");
  last.enter(queue, "ada");
  leaving.cancel.emit(asio::cancellation_type::terminal);
  leaving.run();
  EXPECT_TRUE(leaving.is_refused);
  EXPECT_EQ(queue.state().waiting, 1U);
  first.slot.reset();
  last.run();
  EXPECT_TRUE(last.slot);
}

TEST(ModelQueue, NeverGivesOutMoreSlotsThanThereAre) {
  constexpr std::size_t slots = 3;
  ModelQueue queue;
  queue.set_slots(slots);
  std::atomic<std::size_t> running = 0, most = 0, served = 0;
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&, thread] {
      asio::io_context io;
      for (int request = 0; request < 50; ++request) {
        asio::co_spawn(
            io,
            [&, thread]() -> web::Task<> {
              std::string user = std::to_string(thread);
              ModelQueue::OnPlace nothing;
              const auto slot = co_await queue.enter(WaitClass::person, std::move(user), std::move(nothing));
              const auto now = ++running;
              for (auto before = most.load(); before < now && !most.compare_exchange_weak(before, now);) {
              }
              co_await asio::post(co_await asio::this_coro::executor, web::use_task);
              ++served;
              --running;
            },
            asio::detached);
      }
      io.run();
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(served, 200U);
  EXPECT_LE(most, slots);
  EXPECT_EQ(queue.state().running, 0U);
}

TEST(ModelQueue, LearnsTheSizeOfAServerThatBatches) {
  EXPECT_EQ(models::next_size(0, {.running = 40, .waiting = 0}), 0U) << "none has waited: no limit";
  EXPECT_EQ(models::next_size(0, {.running = 12, .waiting = 3}), 12U);
  EXPECT_EQ(models::next_size(12, {.running = 7, .waiting = 0}), 12U) << "not all of it is used";
  EXPECT_EQ(models::next_size(12, {.running = 12, .waiting = 0}), 15U) << "perhaps it can do more";
  EXPECT_EQ(models::next_size(15, {.running = 9, .waiting = 6}), 9U) << "longer prompts need more memory";
  EXPECT_EQ(models::next_size(4, {.running = 0, .waiting = 2}), 1U);
}

TEST(ModelQueue, ReadsTheLoadInMetrics) {
  const auto load = models::load_in(
      "# HELP vllm:num_requests_running Number of requests in model execution batches.\n"
      "# TYPE vllm:num_requests_running gauge\n"
      "vllm:num_requests_running{engine=\"0\",model_name=\"small\"} 3.0\n"
      "vllm:num_requests_running{engine=\"1\",model_name=\"small\"} 2.0\n"
      "vllm:num_requests_waiting{engine=\"0\",model_name=\"small\"} 1.0\n"
      "vllm:num_requests_waiting_by_reason{reason=\"capacity\"} 9.0\n");
  ASSERT_TRUE(load);
  EXPECT_EQ(load->running, 5U);
  EXPECT_EQ(load->waiting, 1U);
  EXPECT_FALSE(models::load_in("go_goroutines 7\n"));
  EXPECT_FALSE(models::load_in("vllm:num_requests_running NaN\nvllm:num_requests_waiting 1\n"));
}

}  // namespace model_queue_test
