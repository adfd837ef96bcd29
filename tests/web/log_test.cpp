// The log as a reader of stderr sees it. Each test runs in a process of its own, whose end is part of it.
#include "web/log.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <boost/json/parse.hpp>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

namespace log_test {

// The stderr of a separate process that runs this. It is started anew, not forked, since the log's thread does not
// survive a fork. That process reaches this line, too, and finds the file's name in its environment.
std::string log_of(void (*act)()) {
  std::string fresh = testing::TempDir() + "agentbox-log-XXXXXX";
  const int made = ::mkstemp(fresh.data());
  ::setenv("AGENTBOX_LOG_STORY", fresh.c_str(), 0);
  const std::string path = ::getenv("AGENTBOX_LOG_STORY");
  const auto log_and_exit = [&] {
    if (!std::freopen(path.c_str(), "w", stderr)) std::abort();
    act();
    std::exit(0);
  };
  testing::GTEST_FLAG(death_test_style) = "threadsafe";
  EXPECT_EXIT(log_and_exit(), testing::ExitedWithCode(0), "");
  ::unsetenv("AGENTBOX_LOG_STORY");
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  ::close(made);
  ::unlink(fresh.c_str());
  return text.str();
}

TEST(Log, EveryLineOfEveryThreadIsWholeInOrderAndThereAtTheEnd) {
  const auto text = log_of([] {
    std::vector<std::jthread> writers;
    for (std::int64_t writer = 0; writer < 4; ++writer)
      writers.emplace_back([writer] {
        for (std::int64_t line = 0; line < 250; ++line)
          web::log::info("line", {{"writer", writer}, {"line", line}, {"text", std::string("a \"quote\"\n")}});
      });
  });
  std::map<std::int64_t, std::int64_t> next;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const auto object = boost::json::parse(line).as_object();
    EXPECT_EQ(object.at("text").as_string(), "a \"quote\"\n");
    EXPECT_EQ(object.at("line").as_int64(), next[object.at("writer").as_int64()]++);
  }
  EXPECT_EQ(next, (std::map<std::int64_t, std::int64_t>{{0, 250}, {1, 250}, {2, 250}, {3, 250}}));
}

TEST(Log, LinesBelowTheLevelAreNotWritten) {
  const auto text = log_of([] {
    web::log::set_level(web::log::Level::warning);
    web::log::info("quiet");
    web::log::warning("heard");
  });
  EXPECT_EQ(text.find("quiet"), std::string::npos);
  EXPECT_NE(text.find(R"("level":"warning","event":"heard")"), std::string::npos);
}

}  // namespace log_test
