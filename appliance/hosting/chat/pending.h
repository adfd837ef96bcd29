// The questions this box is waiting for answers to.
#pragma once

#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>

namespace chat {

// Callable from every thread.
class Pending {
 public:
  // Holds a question until its exchange ends, however that ends; may outlive the Pending it came from, as a coroutine
  // does that is destroyed with its io_context.
  class Place {
   public:
    Place(const Pending& pending, std::string id) : questions_(pending.questions_), id_(std::move(id)) {
      const std::lock_guard lock(questions_->mutex);
      questions_->ids.insert(id_);
    }
    Place(const Place&) = delete;
    Place& operator=(const Place&) = delete;
    ~Place() {
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
  const std::shared_ptr<Place::Questions> questions_ = std::make_shared<Place::Questions>();
};

}  // namespace chat
