// Boxes that share a store on a server: rows of _boxes and _lease (schema.h).
#pragma once

#include <string>
#include <vector>

#include "store/boxes.h"
#include "store/postgres/lease.h"
#include "store/postgres/pool.h"

namespace store::postgres {

class SharedBoxes final : public Boxes {
 public:
  SharedBoxes(Pool& pool, BoxLease& lease) : pool_(pool), lease_(lease) {}

  std::int64_t epoch() const override { return lease_.epoch(); }
  Clock::time_point holds_until() const override { return lease_.holds_until(); }
  std::vector<Box> list() const override;
  std::vector<Box> dead() const override;
  void recovered(std::int64_t epoch) override;
  std::optional<NamedLease> take(const std::string& name) override;
  void give_back(const NamedLease&) override;
  Task<> reach_everywhere() override;
  void reach_everywhere_blocking() override;

 private:
  std::vector<Box> read(const Statement&) const;
  // What other boxes have to have seen.
  std::int64_t announce();
  // Throws Unavailable after the deadline.
  bool is_everywhere(std::int64_t announced, Clock::time_point deadline) const;
  void check() const;

  Pool& pool_;
  BoxLease& lease_;
};

// The row of _lease. A prefix keeps it apart from the lease of a box that is alone.
inline std::string row_of_lease(std::string_view name) { return "job/" + std::string(name); }

}  // namespace store::postgres
