// The events of a user: what a reader gets, where it goes on, and what happens to one that is too far behind.
#include <gmock/gmock.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_future.hpp>

#include "appliance/box/live_events/feed.h"

namespace live_events {
namespace live_events_test {

using testing::ElementsAre;

class LiveEvents : public testing::Test {
 protected:
  std::shared_ptr<Reader> open(const std::string& after = {}) { return Reader::open(feed, io.get_executor(), after); }

  // What the reader's next events are called; an event of a thing is called by its data.
  std::vector<std::string> next(const std::shared_ptr<Reader>& reader) {
    auto future = boost::asio::co_spawn(
        io, [reader]() -> web::Task<std::vector<Event>> { co_return co_await reader->next(); },
        boost::asio::use_future);
    io.restart();
    io.run();
    std::vector<std::string> names;
    for (auto& event : future.get()) {
      last = event.id;
      names.push_back(event.name == "agent" ? event.data : event.name);
    }
    return names;
  }

  boost::asio::io_context io;
  const std::shared_ptr<Feed> feed = std::make_shared<Feed>(1, 3);
  std::string last;  // id of the last event
};

TEST_F(LiveEvents, ReachEveryReaderFromWhereItBegan) {
  const auto early = open();
  feed->append("agent", "1");
  const auto late = open();
  feed->append("agent", "2");
  EXPECT_THAT(next(early), ElementsAre("ready", "1", "2"));
  EXPECT_THAT(next(late), ElementsAre("ready", "2"));
}

TEST_F(LiveEvents, GoOnBehindTheLastOne) {
  const auto reader = open();
  feed->append("agent", "1");
  next(reader);
  const auto seen = last;
  feed->append("agent", "2");
  feed->append("agent", "3");
  feed->append("agent", "4");
  EXPECT_THAT(next(open(seen)), ElementsAre("ready", "2", "3", "4"));
  feed->append("agent", "5");
  EXPECT_THAT(next(open(seen)), ElementsAre("reset")) << "2 is no longer kept";
  EXPECT_THAT(next(open(last)), ElementsAre("ready"));
}

TEST_F(LiveEvents, AreLoadedAgainByReadersWithAnUnknownPlace) {
  feed->append("agent", "1");
  next(open());
  for (const auto& unknown : {std::string("nonsense"), last + "0", last + "x", last.substr(0, last.find('.') + 1)})
    EXPECT_THAT(next(open(unknown)), ElementsAre("reset")) << unknown;
}

TEST_F(LiveEvents, AreLoadedAgainByReadersThatAreTooSlow) {
  const auto slow = open();
  next(slow);
  for (const auto* data : {"1", "2", "3", "4"}) feed->append("agent", data);
  EXPECT_THAT(next(slow), ElementsAre("reset"));
  feed->append("agent", "5");
  EXPECT_THAT(next(slow), ElementsAre("5"));
}

TEST_F(LiveEvents, EndBehindTheRest) {
  const auto reader = open();
  feed->append("agent", "1");
  feed->end("The session has ended.");
  EXPECT_THAT(next(reader), ElementsAre("ready", "1"));
  EXPECT_THAT(next(reader), ElementsAre("end"));
}

TEST_F(LiveEvents, KnowWhetherSomebodyReads) {
  EXPECT_TRUE(feed->idle_since());
  {
    const auto reader = open();
    EXPECT_FALSE(feed->idle_since());
  }
  EXPECT_TRUE(feed->idle_since());
}

}  // namespace live_events_test
}  // namespace live_events
