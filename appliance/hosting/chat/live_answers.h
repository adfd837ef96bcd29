// Answers on their way, for clients on any thread: the one that asked, and those that join later.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "appliance/hosting/chat/gateway_stream.h"
#include "appliance/hosting/chat/records.h"
#include "web/task.h"

namespace chat {

// Thread-safe.
class LiveAnswer {
 public:
  // How far a reader has read.
  struct Position {
    std::size_t piece = 0, byte = 0;  // the next piece, and where in it if it is text
    std::uint64_t place = 0;          // the number of places in the queue before
  };

  void add(const Piece&);
  // Readers get what was added before, then learn that it has ended.
  void end();

  // What was added since `position`, which then is at the end; of places in the queue only the newest. `has_ended`:
  // there will be no more.
  std::vector<Piece> read(Position& position, bool& has_ended) const;
  // Suspends until read() has news. False: the caller's client has disconnected.
  web::Task<bool> wait(Position) const;

  // The text so far.
  std::string text() const;
  // The agent's steps so far, as they are kept with the answer.
  std::vector<AnswerStep> steps() const;

 private:
  struct Waiter;
  bool has_news(const Position&) const;  // with mutex_ held
  static void wake(const std::vector<std::weak_ptr<Waiter>>&);

  mutable std::mutex mutex_;   // protects the rest
  std::vector<Piece> pieces_;  // texts that follow each other are one piece; without places in the queue
  QueuePlace place_;           // the newest
  std::uint64_t places_ = 0;   // so far
  bool has_ended_ = false;
  mutable std::vector<std::weak_ptr<Waiter>> waiters_;
};

// By the id of the question. Thread-safe.
class LiveAnswers {
 public:
  // Listed until the returned pointer and its copies are gone; then its readers learn that it has ended.
  std::shared_ptr<LiveAnswer> open(const std::string& question);
  // Nothing: the answer has ended, or was never asked for.
  std::shared_ptr<LiveAnswer> find(std::string_view question) const;

 private:
  struct Table {
    std::mutex mutex;  // protects answers
    std::map<std::string, std::weak_ptr<LiveAnswer>, std::less<>> answers;
  };
  // Outlives this object with the answers, whose coroutines may be destroyed later.
  const std::shared_ptr<Table> table_ = std::make_shared<Table>();
};

}  // namespace chat
