// Spans in the store: what they add up to, and how many are kept.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

#include "appliance/billing/spans/recorder.h"
#include "tests/support/temporary_folder.h"

namespace spans_test {

using namespace std::chrono_literals;
using namespace test_support;
using spans::Span;
using spans::Status;
using spans::TraceContext;
using spans::Type;
using testing::ElementsAre;
using testing::SizeIs;

TEST(TraceContext, ReadsItsOwnHeaderAndNoOther) {
  const TraceContext context{.trace_id = spans::new_trace_id(), .parent_id = spans::new_span_id()};
  const auto read = TraceContext::parse(context.header());
  EXPECT_EQ(read.trace_id, context.trace_id);
  EXPECT_EQ(read.parent_id, context.parent_id);
  const std::string trace(32, 'a'), span(16, 'b');
  EXPECT_FALSE(TraceContext::parse("00-" + trace + "-" + span + "-00").is_empty());
  EXPECT_FALSE(TraceContext::parse("cc-" + trace + "-" + span + "-01-later").is_empty());
  for (const auto& text :
       {std::string(), "00-" + trace + "-" + span, "00-" + trace + "-" + span + "-01-more",
        "ff-" + trace + "-" + span + "-01", "00-" + std::string(32, '0') + "-" + span + "-01",
        "00-" + trace + "-" + std::string(16, '0') + "-01", "00-" + std::string(32, 'A') + "-" + span + "-01",
        "00-" + trace + "_" + span + "-01", "00-" + trace + "-" + span + "-0x"})
    EXPECT_TRUE(TraceContext::parse(text).is_empty()) << text;
}

TEST(HourCounts, CoverADay) {
  const store::Time start = std::chrono::sys_days(std::chrono::year(2026) / 11 / 24);
  spans::HourCounts counts;
  EXPECT_EQ(last_day(counts, start), 0);
  add(counts, start + 5min);
  add(counts, start + 50min);
  add(counts, start + 23h);
  EXPECT_EQ(last_day(counts, start + 23h + 59min), 3);
  EXPECT_EQ(last_day(counts, start + 24h), 1) << "the first hour has left the day";
  EXPECT_EQ(last_day(counts, start + 47h), 0);
  add(counts, start + 1h);  // late
  EXPECT_EQ(last_day(counts, start + 23h), 4);
  add(counts, start - 48h);
  EXPECT_EQ(last_day(counts, start + 23h), 4) << "too old to count";
  add(counts, start + 100h);
  EXPECT_EQ(last_day(counts, start + 100h), 1);
}

class SpansTest : public testing::Test {
 protected:
  SpansTest()
      : store(store::Store::open({.folder = folder.path() / "store",
                                  .master_key = std::string(32, 'k'),
                                  .tables = {store::describe(spans::table), store::describe(spans::traces),
                                             store::describe(spans::activities), store::describe(spans::links)}})),
        system(store->system()) {}

  spans::Recorder recorder(spans::Limits limits = {}) { return {system, home, limits}; }
  void write(spans::Recorder& recorder) {
    bool is_written = false;
    boost::asio::co_spawn(home, recorder.written(), [&](std::exception_ptr failure) {
      is_written = !failure;
      home.stop();
    });
    home.restart();
    home.run();
    ASSERT_TRUE(is_written);
  }
  Span span(std::string trace, std::string id, store::Time at) const {
    Span span;
    span.owner = 1;
    span.trace_id = std::move(trace);
    span.span_id = std::move(id);
    span.started_at = at;
    span.duration_us = 2'000;
    span.agent = "ag_1";
    span.name = "work";
    return span;
  }
  std::vector<spans::Trace> traces() const { return system.tenant(1).list(spans::traces); }

  TemporaryFolder folder;
  std::unique_ptr<store::Store> store;
  store::System system;
  boost::asio::io_context home;
  const store::Time now = store::now();
};

TEST_F(SpansTest, ATraceIsTheSumOfItsSpansInAnyOrder) {
  auto recording = recorder();
  auto child = span("t1", "b", now + 3ms);
  child.parent_id = "a";
  child.type = Type::inference;
  child.input_tokens = 10;
  child.output_tokens = 4;
  child.cost = 700;
  child.name = "chat";
  recording.record(child);
  write(recording);
  EXPECT_FALSE(traces().at(0).has_root);
  auto root = span("t1", "a", now);
  root.status = Status::error;
  recording.record(root);
  recording.record(child);  // again
  recording.record(span("t2", "c", now + 1h));
  write(recording);
  const auto found = traces();
  ASSERT_THAT(found, SizeIs(2));
  const auto& trace = found[0];
  EXPECT_TRUE(trace.has_root);
  EXPECT_EQ(trace.name, "work");
  EXPECT_EQ(trace.started_at, now);
  EXPECT_EQ(trace.ended_at, now + 5ms);
  EXPECT_THAT((std::vector{trace.spans, trace.errors, trace.input_tokens, trace.output_tokens, trace.cost}),
              ElementsAre(2, 1, 10, 4, 700));
  EXPECT_EQ(system.counter(1, spans::count), 3);
  const auto activity = system.tenant(1).get(spans::activities, "ag_1");
  ASSERT_TRUE(activity);
  EXPECT_EQ(activity->value.turns, 2);
  EXPECT_EQ(activity->value.recent, "01");
}

TEST_F(SpansTest, WorkInProgressIsSeenUntilItEnds) {
  auto recording = recorder();
  Span work;
  work.owner = 1;
  work.name = "work";
  {
    auto turn = recording.begin(work);
    auto call = recording.begin(work, turn.context());
    EXPECT_THAT(recording.running(1), SizeIs(2));
    EXPECT_THAT(recording.running(2), SizeIs(0));
    call.end({});
    EXPECT_THAT(recording.running(1), SizeIs(1));
  }
  EXPECT_THAT(recording.running(1), SizeIs(0));
  write(recording);
  const auto found = system.tenant(1).list(spans::table);
  ASSERT_THAT(found, SizeIs(2));
  EXPECT_EQ(found[0].trace_id, found[1].trace_id);
  const auto& turn = found[0].parent_id.empty() ? found[0] : found[1];
  const auto& call = found[0].parent_id.empty() ? found[1] : found[0];
  EXPECT_EQ(call.parent_id, turn.span_id);
  EXPECT_EQ(call.status, Status::success);
  EXPECT_EQ(turn.status, Status::error) << "it was destroyed before its end";
  EXPECT_EQ(turn.error, "It was cut off.");
}

TEST_F(SpansTest, ThoseOfAMomentShareACommit) {
  auto recorder = this->recorder({.gathering = 1h});
  const auto commits_of = [&](int spans) {
    const auto before = store->stats().commits;
    for (int i = 0; i < spans; ++i) {
      recorder.record(span("a", {}, now));
      home.restart();
      home.poll();
    }
    write(recorder);
    return store->stats().commits - before;
  };
  recorder.record(span("a", {}, now));
  write(recorder);
  const auto one = commits_of(1);
  EXPECT_EQ(commits_of(20), one);
  EXPECT_THAT(traces(), SizeIs(1));
}

TEST_F(SpansTest, TheNewestAreKept) {
  auto recording = recorder({.max_waiting = 1'000, .batch = 10, .max_kept = 50, .max_foreign = 3});
  for (int at = 0; at < 200; ++at)
    recording.record(span(std::to_string(at), std::to_string(at), now + std::chrono::milliseconds(at)));
  write(recording);
  const auto kept = system.tenant(1).list(spans::table);
  EXPECT_LE(kept.size(), 65u);
  EXPECT_GE(kept.size(), 50u);
  EXPECT_EQ(system.counter(1, spans::count), std::int64_t(kept.size()));
  EXPECT_EQ(kept.back().span_id, "199");
  EXPECT_EQ(traces().size(), kept.size()) << "traces go with their spans";
  EXPECT_THAT(store->verify(), SizeIs(0));
}

TEST_F(SpansTest, AgentsElsewhereAreBounded) {
  auto recording = recorder({.max_waiting = 4, .batch = 10, .max_kept = 50, .max_foreign = 3});
  std::vector<Span> offered;
  for (const auto* name : {"a", "b", "c", "d"}) {
    auto foreign = span(name, name, now);
    foreign.is_foreign = true;
    foreign.agent = name;
    offered.push_back(foreign);
  }
  EXPECT_TRUE(recording.offer(offered));
  EXPECT_FALSE(recording.offer(offered)) << "so many are waiting";
  write(recording);
  EXPECT_THAT(system.tenant(1).list(spans::activities), SizeIs(3));
  EXPECT_THAT(traces(), SizeIs(4)) << "the others are seen in traces";
}

TEST_F(SpansTest, MessagesAreCountedAndForgottenWithTheirAgents) {
  auto recording = recorder();
  for (int at = 0; at < 3; ++at) recording.count_message(1, "ag_1", "ag_2");
  recording.count_message(1, "ag_2", "ag_3");
  recording.record(span("t1", "a", now));
  write(recording);
  recording.count_message(1, "ag_1", "ag_2");
  write(recording);
  const auto link = system.tenant(1).get(spans::links, spans::link_id("ag_1", "ag_2"));
  ASSERT_TRUE(link);
  EXPECT_EQ(spans::last_day(link->value.messages, store::now()), 4);
  boost::asio::co_spawn(home, recording.forget(1, "ag_1"), boost::asio::detached);
  home.restart();
  home.run();
  EXPECT_THAT(system.tenant(1).list(spans::links), SizeIs(1));
  EXPECT_THAT(system.tenant(1).list(spans::activities), SizeIs(0));
}

}  // namespace spans_test
