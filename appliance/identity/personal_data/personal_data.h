// What the box keeps of a user, in the hands of the capabilities that keep it: each adds its part, which is in the
// user's export, and which is erased when the user leaves.
//
//   module.identity.personal_data.add(personal_data::rows_of(system, tasks, runs));
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "store/table.h"
#include "web/result.h"
#include "web/task.h"

namespace personal_data {

class Archive;

// Each function may be empty.
struct Part {
  // Why the user cannot leave yet, as a sentence that says what to do first; nothing if the user can.
  std::function<std::optional<web::Error>(store::UserId)> obstacle = {};
  // Ends what would write again, before anything is erased.
  std::function<web::Task<>(store::UserId)> stop = {};
  // May run several times.
  std::function<web::Task<>(store::UserId)> erase = {};
  // Without secrets of the box: tokens, hashes, private keys.
  std::function<web::Task<>(store::UserId, Archive&)> write = {};
};

// Callable from every thread.
class PersonalData {
 public:
  // Before anything is served.
  void add(Part part) { parts_.push_back(std::move(part)); }

  std::optional<web::Error> obstacle(store::UserId) const;
  web::Task<> write(store::UserId, Archive&) const;
  // What was added last goes first: higher modules refer to lower ones. All of it runs twice, since requests that were
  // under way may have written meanwhile.
  web::Task<> erase(store::UserId) const;

 private:
  std::vector<Part> parts_;
};

}  // namespace personal_data
