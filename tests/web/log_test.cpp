// The log as whoever reads stderr sees it. Each story runs in a process of its own, whose end is part of it.
#include "web/log.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <boost/json/parse.hpp>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

namespace {

// What a child process that does this writes to stderr until it has ended.
std::string log_of(void (*act)()) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> kept(std::tmpfile(), std::fclose);
  const auto child = ::fork();
  if (child == 0) {
    ::dup2(::fileno(kept.get()), STDERR_FILENO);
    act();
    std::exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  std::rewind(kept.get());
  std::string text;
  char part[4096];
  while (const auto count = std::fread(part, 1, sizeof part, kept.get())) text.append(part, count);
  return text;
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

}  // namespace
