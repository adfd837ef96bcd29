// The messages whose answers the box is waiting for.
#pragma once

#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>

namespace chat {

// Thread-safe.
class Pending {
 public:
  // Registers a message until the exchange ends. May outlive its Pending, because coroutines are destroyed as late as
  // with their io_context.
  class Entry {
   public:
    Entry(const Pending& pending, std::string id) : questions_(pending.questions_), id_(std::move(id)) {
      const std::lock_guard lock(questions_->mutex);
      questions_->ids.insert(id_);
    }
    Entry(const Entry&) = delete;
    Entry& operator=(const Entry&) = delete;
    ~Entry() {
      const std::lock_guard lock(questions_->mutex);
      questions_->ids.erase(id_);
    }

   private:
    friend class Pending;
    struct Questions {
      std::mutex mutex;  // protects ids
      std::set<std::string, std::less<>> ids;
    };
    const std::shared_ptr<Questions> questions_;
    const std::string id_;
  };

  bool contains(std::string_view id) const {
    const std::lock_guard lock(questions_->mutex);
    return questions_->ids.contains(id);
  }

 private:
  const std::shared_ptr<Entry::Questions> questions_ = std::make_shared<Entry::Questions>();
};

}  // namespace chat
