#include "appliance/hosting/chat/live_answers.h"

#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>
#include <utility>

#include "web/routes/disconnect.h"

namespace chat {

namespace {

// What is kept with an answer; each step's texts have at most 4 KB.
constexpr std::size_t max_kept_steps = 60, max_kept_bytes = 64 * 1024;

}  // namespace

// The timer is used on the waiter's own thread only.
struct LiveAnswer::Waiter {
  explicit Waiter(const web::Executor& given) : executor(given), timer(given, web::Timer::time_point::max()) {}
  const web::Executor executor;
  web::Timer timer;
};

void LiveAnswer::wake(const std::vector<std::weak_ptr<Waiter>>& waiters) {
  for (const auto& weak : waiters) {
    auto waiter = weak.lock();
    if (!waiter) continue;
    const auto executor = waiter->executor;
    boost::asio::post(executor, [waiter = std::move(waiter)] { waiter->timer.cancel(); });
  }
}

void LiveAnswer::add(const Piece& piece) {
  std::vector<std::weak_ptr<Waiter>> waiters;
  {
    const std::lock_guard lock(mutex_);
    const auto* place = std::get_if<QueuePlace>(&piece);
    const auto* text = std::get_if<std::string>(&piece);
    auto* last = pieces_.empty() ? nullptr : std::get_if<std::string>(&pieces_.back());
    if (place) {
      place_ = *place;
      ++places_;
    } else if (text && last) {
      last->append(*text);
    } else {
      pieces_.push_back(piece);
    }
    waiters.swap(waiters_);
  }
  wake(waiters);
}

void LiveAnswer::end() {
  std::vector<std::weak_ptr<Waiter>> waiters;
  {
    const std::lock_guard lock(mutex_);
    has_ended_ = true;
    waiters.swap(waiters_);
  }
  wake(waiters);
}

bool LiveAnswer::has_news(const Position& position) const {
  if (position.place != places_) return true;
  if (has_ended_ || position.piece < pieces_.size()) {
    if (has_ended_ || position.piece + 1 < pieces_.size()) return true;
    const auto* text = std::get_if<std::string>(&pieces_[position.piece]);
    return !text || position.byte < text->size();
  }
  return false;
}

std::vector<Piece> LiveAnswer::read(Position& position, bool& has_ended) const {
  const std::lock_guard lock(mutex_);
  std::vector<Piece> news;
  // One who joins when nothing waits any more has nothing to take back.
  const bool is_shown = position.place > 0 || place_.number > 0;
  if (std::exchange(position.place, places_) != places_ && is_shown) news.emplace_back(place_);
  while (position.piece < pieces_.size()) {
    const auto& piece = pieces_[position.piece];
    const auto* text = std::get_if<std::string>(&piece);
    if (!text)
      news.push_back(piece);
    else if (position.byte < text->size())
      news.push_back(text->substr(position.byte));
    // A text at the end may still grow.
    if (text && position.piece + 1 == pieces_.size()) {
      position.byte = text->size();
      break;
    }
    ++position.piece;
    position.byte = 0;
  }
  has_ended = has_ended_;
  return news;
}

web::Task<bool> LiveAnswer::wait(Position position) const {
  const auto waiter = std::make_shared<Waiter>(co_await boost::asio::this_coro::executor);
  {
    const std::lock_guard lock(mutex_);
    if (has_news(position)) co_return true;
    waiters_.push_back(waiter);
  }
  co_return co_await web::wait_unless_disconnected(waiter->timer);
}

std::string LiveAnswer::text() const {
  const std::lock_guard lock(mutex_);
  std::string all;
  for (const auto& piece : pieces_)
    if (const auto* text = std::get_if<std::string>(&piece)) all += *text;
  return all;
}

std::vector<AnswerStep> LiveAnswer::steps() const {
  const std::lock_guard lock(mutex_);
  std::vector<AnswerStep> kept;
  std::size_t bytes = 0;
  for (const auto& piece : pieces_) {
    const auto* step = std::get_if<Step>(&piece);
    if (!step || step->is_output || bytes + step->text.size() > max_kept_bytes) continue;
    if (!step->is_result) {
      if (kept.size() == max_kept_steps) continue;
      kept.push_back({.id = step->id, .name = step->name, .arguments = step->text, .result = {}, .failed = {}});
    } else {
      auto call = kept.rbegin();
      while (call != kept.rend() && (call->id != step->id || call->result)) ++call;
      if (call == kept.rend()) continue;
      call->result = step->text;
      call->failed = step->failed;
      call->duration_ms = step->duration_ms;
    }
    bytes += step->text.size();
  }
  return kept;
}

std::shared_ptr<LiveAnswer> LiveAnswers::open(const std::string& question) {
  const auto remove = [table = table_, question](LiveAnswer* answer) {
    const std::unique_ptr<LiveAnswer> owned(answer);
    {
      const std::lock_guard lock(table->mutex);
      table->answers.erase(question);
    }
  };
  std::shared_ptr<LiveAnswer> answer(new LiveAnswer, remove);
  const std::lock_guard lock(table_->mutex);
  table_->answers.insert_or_assign(question, answer);
  return answer;
}

std::shared_ptr<LiveAnswer> LiveAnswers::find(std::string_view question) const {
  const std::lock_guard lock(table_->mutex);
  const auto found = table_->answers.find(question);
  return found == table_->answers.end() ? nullptr : found->second.lock();
}

}  // namespace chat
