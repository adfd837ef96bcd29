#include "appliance/identity/audit/audit.h"

#include <numeric>

#include "appliance/identity/audit/failure_counter.h"
#include "tests/identity/people_fixture.h"

namespace audit_test {

using namespace std::chrono_literals;

class Audit : public people_tests::People {
 protected:
  // An entry of that id and time, as if it had been noted then.
  void put(std::int64_t id, store::Time at) {
    auto change = system.change();
    const audit::Entry entry{.id = id, .at = at, .act = "act", .outcome = "ok"};
    change.insert(audit::entries, entry);
    ASSERT_TRUE(change.commit_blocking(store::Durability::relaxed).ok());
  }
  static std::vector<std::int64_t> ids(const std::vector<audit::Entry>& entries) {
    std::vector<std::int64_t> all;
    for (const auto& entry : entries) all.push_back(entry.id);
    return all;
  }
  std::vector<std::int64_t> read_back(std::size_t page) const {
    std::vector<std::int64_t> all;
    for (auto found = audit.newest(std::nullopt, page); !found.empty(); found = audit.newest(all.back(), page))
      for (const auto& entry : found) all.push_back(entry.id);
    return all;
  }
  std::vector<std::int64_t> read_on(std::size_t page) const {
    std::vector<std::int64_t> all;
    for (auto found = audit.list(0, page); !found.empty(); found = audit.list(all.back(), page))
      for (const auto& entry : found) all.push_back(entry.id);
    return all;
  }

  audit::Audit audit{system};
};

TEST_F(Audit, PagesCanBeReadInBothDirections) {
  const auto now = store::now();
  // Years apart, within a millisecond, and noted in another order than numbered.
  const std::vector<std::pair<std::int64_t, store::Time>> entries{
      {1, now - 8'000h}, {2, now - 100h},  {3, now - 2h},  {4, now - 2h},  {5, now - 2h},
      {7, now - 1h},     {6, now - 30min}, {8, now - 1ms}, {9, now - 1ms}, {10, now}};
  std::vector<std::int64_t> in_order;
  for (const auto& [id, at] : entries) {
    put(id, at);
    in_order.push_back(id);
  }
  const std::vector<std::int64_t> backwards(in_order.rbegin(), in_order.rend());
  for (const std::size_t page : {1u, 2u, 3u, 10u, 100u}) {
    EXPECT_EQ(read_on(page), in_order) << page;
    EXPECT_EQ(read_back(page), backwards) << page;
  }
  EXPECT_TRUE(audit.newest(4711, 10).empty()) << "there is no such entry";
  EXPECT_TRUE(audit.newest(std::nullopt, 0).empty());
}

TEST_F(Audit, TheNewestAreFoundAmongVeryMany) {
  const auto now = store::now();
  constexpr std::int64_t count = 12'000;
  auto change = system.change();
  for (std::int64_t id = 1; id <= count; ++id) {
    const audit::Entry entry{.id = id, .at = now - std::chrono::milliseconds(count - id), .act = "act"};
    change.insert(audit::entries, entry);
  }
  ASSERT_TRUE(change.commit_blocking(store::Durability::relaxed).ok());
  EXPECT_EQ(ids(audit.newest(std::nullopt, 3)), (std::vector<std::int64_t>{count, count - 1, count - 2}));
  EXPECT_EQ(audit.newest(std::nullopt, 10'000).back().id, count - 9'999);
  EXPECT_EQ(ids(audit.newest(3, 10)), (std::vector<std::int64_t>{2, 1}));
}

TEST_F(Audit, FailuresAreCountedAndWrittenOncePerActAndAddress) {
  audit::FailureCounter failures{audit};
  const auto count = [&](const web::Request& request, std::string act, std::string reason) {
    failures.count(audit::failure_of(request, std::move(act), std::move(reason)));
  };
  web::Request request;
  request.method = web::Method::post;
  request.route = "/api/admin/users/:user";
  request.client_address = "192.0.2.1";
  for (int n = 0; n < 1'000; ++n) count(request, "key refused", n < 999 ? "Unknown" : "Forbidden");
  request.client_address = "192.0.2.2";
  count(request, "key refused", "Forbidden");
  count(request, "event refused", "The token's signature is wrong");
  EXPECT_TRUE(audit.list(0, 10).empty()) << "attempts alone write nothing";
  run(failures.write());
  const auto entries = audit.list(0, 10);
  ASSERT_EQ(entries.size(), 3u);
  EXPECT_EQ(entries[0].act, "event refused");
  EXPECT_EQ(entries[0].outcome, "The token's signature is wrong, 1 time");
  EXPECT_EQ(entries[1].act, "key refused");
  EXPECT_EQ(entries[1].outcome, "Forbidden, 1000 times") << "with the last reason";
  EXPECT_EQ(entries[1].subject, "POST /api/admin/users/:user");
  EXPECT_EQ(entries[1].address, "192.0.2.1");
  EXPECT_EQ(entries[2].outcome, "Forbidden, 1 time");
  EXPECT_EQ(entries[2].address, "192.0.2.2");
  run(failures.write());
  EXPECT_EQ(audit.list(0, 10).size(), 3u);

  for (int n = 0; n < 5'000; ++n) {
    request.client_address = "2001:db8::" + std::to_string(n);
    count(request, "key refused", "Forbidden");
  }
  count(request, "event refused", "The token is not a security event token");
  run(failures.write());
  EXPECT_EQ(audit.list(0, 1'000).size(), 3u + 101u + 1u) << "further addresses share an entry; other acts keep theirs";
}

}  // namespace audit_test
