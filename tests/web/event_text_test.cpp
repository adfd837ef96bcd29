// Server-sent events as they are written.
#include "web/protocol/event_text.h"

#include <gtest/gtest.h>

namespace event_text_test {

std::string event_of(std::string_view data, std::string_view name = {}, std::string_view id = {}) {
  std::string text;
  web::append_event(text, data, name, id);
  return text;
}

TEST(EventText, HasALineForEachLineOfData) {
  EXPECT_EQ(event_of("one"), "data: one\n\n");
  EXPECT_EQ(event_of(""), "data: \n\n");
  EXPECT_EQ(event_of("a\nb\r\nc\rd"), "data: a\ndata: b\ndata: c\ndata: d\n\n");
  EXPECT_EQ(event_of("a\n"), "data: a\ndata: \n\n");
}

TEST(EventText, KeepsANameAndAnIdToOneLine) {
  EXPECT_EQ(event_of("x", "delta", "7"), "id: 7\nevent: delta\ndata: x\n\n");
  EXPECT_EQ(event_of("x", "de\nlta\r", std::string_view("7\0data: y", 9)), "id: 7data: y\nevent: delta\ndata: x\n\n");
}

TEST(EventText, IsAppended) {
  auto text = event_of("one");
  web::append_event(text, "two");
  EXPECT_EQ(text, "data: one\n\ndata: two\n\n");
}

TEST(LineEnd, IsWhicheverComesFirst) {
  EXPECT_EQ(web::find_line_end("ab\r\n"), 2u);
  EXPECT_EQ(web::find_line_end("ab\ncd\r"), 2u);
  EXPECT_EQ(web::find_line_end("ab\rcd\n"), 2u);
  EXPECT_EQ(web::find_line_end("\r"), 0u);
  EXPECT_EQ(web::find_line_end("abc"), std::string_view::npos);
  EXPECT_EQ(web::find_line_end(""), std::string_view::npos);
}

}  // namespace event_text_test
