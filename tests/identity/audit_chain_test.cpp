#include <boost/asio/detached.hpp>
#include <functional>
#include <thread>

#include "appliance/identity/audit/chain.h"
#include "appliance/identity/audit/signed_heads.h"
#include "tests/identity/people_fixture.h"

namespace audit_chain_test {

using namespace std::chrono_literals;

class AuditChain : public people_tests::People {
 protected:
  void note(int count = 1, store::UserId user = 7) {
    for (int n = 0; n < count; ++n) {
      audit::Entry entry{
          .act = "act", .outcome = "ok", .user_id = user, .subject = "ada@example.org", .address = "::1"};
      run(log.note(std::move(entry)));
    }
  }
  std::vector<audit::Entry> all() const {
    std::vector<audit::Entry> found;
    system.each(audit::entries, [&](const audit::Entry& entry) {
      found.push_back(entry);
      return true;
    });
    return found;
  }
  // Writes to a table behind the log's back.
  template <class Table, class Id>
  void tamper(const Table& table, const Id& id, const auto& edit) {
    auto row = system.get(table, id).value();
    edit(row.value);
    auto change = system.change();
    change.update(table, row);
    ASSERT_TRUE(change.commit_blocking().ok());
  }
  template <class Table, class Id>
  void remove(const Table& table, const Id& id) {
    auto change = system.change();
    change.erase(table, system.get(table, id).value());
    ASSERT_TRUE(change.commit_blocking().ok());
  }
  void age(std::int64_t up_to) {  // with correct hashes, as if the log had been written then
    std::string previous(audit::before_first);
    for (const auto& entry : all()) {
      tamper(audit::entries, entry.id, [&](audit::Entry& changed) {
        if (entry.id <= up_to) changed.at -= std::chrono::days(20);
        changed.previous = previous;
        audit::seal(changed);
        previous = changed.hash;
      });
    }
    tamper(audit::chain_points, audit::end_point, [&](audit::ChainPoint& end) { end.hash = previous; });
  }
  // The first bad entry: 0 if there is none, -1 if it is not about an entry.
  std::int64_t bad() const {
    const auto report = heads.verify();
    if (!report.problem) return 0;
    return report.problem->entry_id == 0 ? -1 : report.problem->entry_id;
  }

  audit::Audit log{system};
  audit::SignedHeads heads{system, std::string(32, 'k'), std::chrono::days(10)};
};

TEST_F(AuditChain, AnUnchangedLogIsVerified) {
  EXPECT_EQ(bad(), 0) << "also an empty one";
  run(heads.sign());
  note(3);
  EXPECT_EQ(heads.verify().not_signed, 3);
  run(heads.sign());
  run(heads.sign());
  note(2);
  const auto report = heads.verify();
  EXPECT_FALSE(report.problem);
  EXPECT_EQ(report.entries, 5);
  EXPECT_EQ(report.not_signed, 2);
  EXPECT_EQ(report.last_head->entry_id, all()[2].id);
}

TEST_F(AuditChain, ManyWritersMakeOneChain) {
  constexpr int writers = 4, each = 25;
  std::vector<std::thread> threads;
  for (int writer = 0; writer < writers; ++writer)
    threads.emplace_back([this] {
      boost::asio::io_context io;  // of each thread, as in the box
      for (int n = 0; n < each; ++n) {
        audit::Entry entry{.act = "act", .outcome = "ok"};
        boost::asio::co_spawn(io, log.note(std::move(entry)), boost::asio::detached);
      }
      io.run();
    });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(heads.verify().entries, 100);
  EXPECT_EQ(bad(), 0);
}

TEST_F(AuditChain, AChangedEntryIsFound) {
  note(5);
  run(heads.sign());
  const auto id = all()[2].id;
  const std::vector<std::function<void(audit::Entry&)>> edits{
      [](auto& entry) { entry.act = "another"; },  [](auto& entry) { entry.outcome = "failed"; },
      [](auto& entry) { entry.at += 1ms; },        [](auto& entry) { entry.user_id = 8; },
      [](auto& entry) { entry.subject = "eve"; },  [](auto& entry) { entry.address = "::2"; },
      [](auto& entry) { entry.by = "internal"; },  [](auto& entry) { entry.acting_as = "eve"; },
      [](auto& entry) { entry.hash.clear(); },     [](auto& entry) { entry.salt.clear(); },
      [](auto& entry) { entry.previous[0] = 'x'; }};
  for (const auto& edit : edits) {
    const auto before = system.get(audit::entries, id)->value;
    tamper(audit::entries, id, edit);
    EXPECT_EQ(bad(), id);
    tamper(audit::entries, id, [&](audit::Entry& entry) { entry = before; });
    ASSERT_EQ(bad(), 0);
  }
  tamper(audit::entries, id, [](audit::Entry& entry) {
    entry.act = "another";
    audit::seal(entry);
  });
  EXPECT_EQ(bad(), id + 1) << "its hash was made anew: the next one does not follow";
}

TEST_F(AuditChain, ARewrittenChainDoesNotFitItsSignedHeads) {
  note(5);
  run(heads.sign());
  note(2);
  tamper(audit::entries, all()[1].id, [](audit::Entry& entry) { entry.act = "another"; });
  age(0);  // seals all anew, and the end
  EXPECT_EQ(bad(), all()[4].id);
}

TEST_F(AuditChain, RemovedEntriesAreFound) {
  note(6);
  run(heads.sign());
  note(2);
  const auto ids = all();
  remove(audit::entries, ids[3].id);
  EXPECT_EQ(bad(), ids[4].id) << "in the middle";
}

TEST_F(AuditChain, ARemovedBeginningIsFound) {
  note(4);
  run(heads.sign());
  const auto ids = all();
  remove(audit::entries, ids[0].id);
  EXPECT_EQ(bad(), ids[1].id);
  tamper(audit::chain_points, audit::start_point, [&](audit::ChainPoint& start) { start.entry_id = ids[1].id; });
  EXPECT_NE(bad(), 0) << "also if the start is moved";
}

TEST_F(AuditChain, ARemovedTailIsFoundUpToTheLastHead) {
  note(6);
  run(heads.sign());
  const auto ids = all();
  remove(audit::entries, ids[5].id);
  remove(audit::entries, ids[4].id);
  EXPECT_EQ(bad(), ids[4].id);
  tamper(audit::chain_points, audit::end_point, [&](audit::ChainPoint& end) {
    end.entry_id = ids[3].id;
    end.hash = ids[3].hash;
  });
  EXPECT_EQ(bad(), ids[4].id) << "also if the end is moved: the head says otherwise";
}

TEST_F(AuditChain, SwappedEntriesAreFound) {
  note(5);
  run(heads.sign());
  const auto ids = all();
  const auto swap_in = [&](std::size_t at, std::size_t from) {
    tamper(audit::entries, ids[at].id, [&](audit::Entry& entry) {
      entry = ids[from];
      entry.id = ids[at].id;
    });
  };
  swap_in(1, 2);
  swap_in(2, 1);
  EXPECT_EQ(bad(), ids[1].id);
}

TEST_F(AuditChain, ForgedHeadsAreFound) {
  note(2);
  run(heads.sign());
  const auto id = [&] {
    std::string found;
    system.each(audit::heads, [&](const audit::Head& head) {
      found = head.id;
      return true;
    });
    return found;
  }();
  tamper(audit::heads, id, [](audit::Head& head) { head.at += 1h; });
  EXPECT_EQ(bad(), all()[1].id);
  const audit::SignedHeads other{system, std::string(32, 'x'), std::chrono::days(10)};
  EXPECT_TRUE(other.verify().problem) << "signed with another key";
}

TEST_F(AuditChain, OldEntriesLeaveASignedAnchor) {
  note(8);
  const auto ids = all();
  age(ids[4].id);
  run(heads.sign());
  run(heads.sweep(store::now()));
  EXPECT_EQ(all().front().id, ids[5].id);
  EXPECT_EQ(bad(), 0);
  EXPECT_EQ(heads.verify().entries, 3);

  note();
  run(heads.sweep(store::now() + std::chrono::days(11)));
  EXPECT_TRUE(all().empty());
  EXPECT_EQ(bad(), 0);
  run(heads.sign());
  note();
  EXPECT_EQ(bad(), 0) << "the chain goes on";
  EXPECT_EQ(all().front().id, ids.back().id + 2);

  note(2);
  remove(audit::entries, all().front().id);
  EXPECT_EQ(bad(), all().front().id) << "what the anchor does not say was removed";
}

TEST_F(AuditChain, AnAnchorCannotBeForged) {
  note(4);
  run(heads.sign());
  const auto ids = all();
  remove(audit::entries, ids[0].id);
  audit::Head anchor{.id = "anchor",
                     .kind = "anchor",
                     .at = store::now(),
                     .entry_id = ids[0].id,
                     .entry_hash = ids[0].hash,
                     .first = ids[0].id,
                     .signature = std::string(128, '0')};
  auto change = system.change();
  change.insert(audit::heads, anchor);
  ASSERT_TRUE(change.commit_blocking().ok());
  EXPECT_EQ(bad(), ids[0].id);
}

TEST_F(AuditChain, PersonalDataCanBeErased) {
  note(2, 7);
  note(2, 8);
  run(heads.sign());
  const auto found = log.concerning(7, {});
  EXPECT_EQ(found.size(), 2u);
  EXPECT_EQ(run(log.erase_personal_data(found)), 2u);
  EXPECT_EQ(run(log.erase_personal_data(found)), 0u);
  const auto entry = all().front();
  EXPECT_EQ(entry.user_id, 0);
  EXPECT_EQ(entry.subject + entry.address + entry.acting_as + entry.salt, "");
  EXPECT_EQ(entry.act, "act");
  EXPECT_EQ(bad(), 0);
  EXPECT_EQ(heads.verify().erased, 2);
  EXPECT_EQ(log.concerning(0, {"ada@example.org"}).size(), 2u);
  tamper(audit::entries, entry.id, [](audit::Entry& changed) { changed.subject = "eve"; });
  EXPECT_EQ(bad(), entry.id) << "nothing can be written in its place";
}

TEST_F(AuditChain, EntriesOfOlderStoresAreNotCoveredAndCounted) {
  for (int n = 0; n < 3; ++n) {
    audit::Entry entry{.id = run(system.next_id("audit")), .at = store::now() - std::chrono::days(20), .act = "old"};
    auto change = system.change();
    change.insert(audit::entries, entry);
    ASSERT_TRUE(change.commit_blocking().ok());
  }
  EXPECT_EQ(heads.verify().unprotected, 3);
  note(2);
  run(heads.sign());
  const auto report = heads.verify();
  EXPECT_FALSE(report.problem);
  EXPECT_EQ(report.unprotected, 3);
  EXPECT_EQ(report.entries, 2);
  const auto ids = all();
  EXPECT_GT(ids[3].id, ids[2].id);
  tamper(audit::entries, ids[4].id, [](audit::Entry& entry) { entry.hash.clear(); });
  EXPECT_EQ(bad(), ids[4].id) << "a later entry cannot pass as an old one";
  tamper(audit::entries, ids[4].id, [&](audit::Entry& entry) { entry = ids[4]; });
  run(heads.sweep(store::now()));
  EXPECT_EQ(all().size(), 2u);
  EXPECT_EQ(bad(), 0);
}

TEST_F(AuditChain, AnExportIsReadInParts) {
  note(5);
  run(heads.sign());
  note(2);
  run(heads.sign());
  std::vector<std::int64_t> ids;
  std::size_t signed_heads = 0;
  for (std::optional<std::int64_t> after = 0; after;) {
    const auto part = heads.export_part(*after, 3);
    for (const auto& entry : part.entries) ids.push_back(entry.id);
    signed_heads += part.heads.size();
    after = part.next;
  }
  ASSERT_EQ(ids.size(), 7u);
  EXPECT_EQ(ids.back(), all().back().id);
  EXPECT_EQ(signed_heads, 2u);
}

}  // namespace audit_chain_test
