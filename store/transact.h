// Transactions over several records, without locks: what a change was built from must be unchanged when it is
// committed, or it is built again.
#pragma once

#include <chrono>
#include <optional>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include "store/store.h"

namespace store {

// So long is a change built again that conflicts each time, as one does that is at odds with itself: then it is
// Unavailable.
class Patience {
 public:
  void spend() const {
    if (std::chrono::steady_clock::now() > end_)
      throw Unavailable("This change was at odds with others for 30 seconds, and was given up.");
  }

 private:
  std::chrono::steady_clock::time_point end_ = std::chrono::steady_clock::now() + std::chrono::seconds(30);
};

template <class Step>
using StepResult = std::invoke_result_t<Step&, Change&>;

// Runs `step` with an empty change of `view` (a Tenant or the System), commits the change, and returns what `step` has
// returned: a value that is true or false, such as bool, std::optional or web::Result. If it is false, nothing is
// committed. If a record that the change updates, erases or requires has changed meanwhile, or an id that it inserts
// was taken, `step` runs again; it must have no effect but on the change and on its result.
// `refused` is asked about each change that was not committed, such as one that exceeds a bound or takes a unique
// value: what it returns is the result; if it returns nothing, `step` runs again.
template <class View, class Step, class Refused>
Task<StepResult<Step>> transact(View view, Step step, Refused refused) {
  for (const Patience patience;; patience.spend()) {
    Change change = view.change();
    auto result = step(change);
    if (!result) co_return result;
    const Outcome outcome = co_await change.commit();
    if (outcome.ok()) co_return result;
    std::optional<StepResult<Step>> refusal = refused(outcome);
    if (refusal) co_return std::move(*refusal);
  }
}

// The same for changes without bounds (std::logic_error if one is exceeded).
template <class View, class Step>
Task<StepResult<Step>> transact(View view, Step step) {
  const auto refused = [](const Outcome& outcome) -> std::optional<StepResult<Step>> {
    if (outcome.kind == Outcome::Kind::over_bound) throw std::logic_error("nothing handles the bound of this change");
    return std::nullopt;
  };
  return transact(std::move(view), std::move(step), refused);
}

// Adds the record to a change of `tenant`: in the place of the one with its id, or as a new one. For the steps of
// transact().
template <class R>
void put(Change& change, const Tenant& tenant, const Owned<R>& table, const R& record) {
  if (auto row = tenant.get(table, record.*table.id)) {
    row->value = record;
    change.update(table, *row);
  } else {
    change.insert(table, record);
  }
}
template <class R, class Id>
void put(Change& change, const System& system, const Global<R, Id>& table, const R& record) {
  if (auto row = system.get(table, record.*table.id)) {
    row->value = record;
    change.update(table, *row);
  } else {
    change.insert(table, record);
  }
}

}  // namespace store
