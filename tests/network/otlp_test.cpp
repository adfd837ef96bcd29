// OTLP's protobuf, with bodies that no SDK would send.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "appliance/network/otlp/import.h"
#include "appliance/network/otlp/protobuf.h"

namespace otlp_test {

using namespace std::chrono_literals;
using otlp::protobuf::append_bytes;
using otlp::protobuf::append_varint;
using otlp::protobuf::Message;
using testing::SizeIs;

std::string in_field(std::uint32_t field, std::string_view bytes) {
  std::string out;
  append_bytes(out, field, bytes);
  return out;
}

std::string request_with(const std::string& span) { return in_field(1, in_field(2, in_field(2, span))); }

std::string text_attribute(std::string_view key, std::string_view value) {
  return in_field(9, in_field(1, key) + in_field(2, in_field(1, value)));
}

TEST(Protobuf, ReadsWhatItWrites) {
  std::string bytes;
  for (const std::uint64_t value : {std::uint64_t(0), std::uint64_t(127), std::uint64_t(128), ~std::uint64_t(0)})
    append_varint(bytes, 1, value);
  append_bytes(bytes, 2'000, "text");
  Message message(bytes);
  for (const std::uint64_t value : {std::uint64_t(0), std::uint64_t(127), std::uint64_t(128), ~std::uint64_t(0)})
    EXPECT_EQ(message.next()->value, value);
  const auto text = message.next();
  EXPECT_TRUE(text->is_message(2'000));
  EXPECT_EQ(text->bytes, "text");
  EXPECT_FALSE(message.next());
  EXPECT_TRUE(message.is_valid());
}

TEST(Protobuf, RefusesMalformedMessages) {
  const std::string_view malformed[] = {
      std::string_view("\x00\x01", 2),                 // field 0
      "\x08",                                          // no value
      "\x08\x80",                                      // a number that does not end
      "\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02",  // more than 64 bits
      "\x0a\x05\x61",                                  // longer than what is left
      "\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01",  // much longer
      "\x0b",                                          // a group
      "\x09\x01",                                      // half a fixed64
      "\x0d\x01",                                      // half a fixed32
  };
  for (const auto bytes : malformed) {
    Message message(bytes);
    while (message.next()) {
    }
    EXPECT_FALSE(message.is_valid()) << testing::PrintToString(bytes);
    EXPECT_FALSE(otlp::read_protobuf(bytes)) << testing::PrintToString(bytes);
  }
}

TEST(Otlp, EveryPrefixOfARequestIsReadOrRefused) {
  const auto request =
      request_with(in_field(1, std::string(16, 'a')) + in_field(2, std::string(8, 'b')) + in_field(5, "name") +
                   text_attribute("gen_ai.operation.name", "chat") + in_field(15, in_field(2, "why")));
  for (std::size_t size = 0; size < request.size(); ++size)
    (void)otlp::read_protobuf(std::string_view(request).substr(0, size));
  const auto read = otlp::read_protobuf(request);
  ASSERT_TRUE(read);
  ASSERT_THAT(*read, SizeIs(1));
  EXPECT_EQ(read->front().name, "name");
  EXPECT_EQ(read->front().trace_id, "61616161616161616161616161616161");
  EXPECT_EQ(read->front().attributes.at("gen_ai.operation.name"), "chat");
}

TEST(Otlp, DeepValuesAreCutOff) {
  std::string value = in_field(1, "bottom");
  for (int depth = 0; depth < 1'000; ++depth) value = in_field(5, in_field(1, value));
  const auto read = otlp::read_protobuf(request_with(in_field(9, in_field(1, "deep") + in_field(2, value))));
  ASSERT_TRUE(read);
  EXPECT_TRUE(read->front().attributes.at("deep").is_array());
}

TEST(Otlp, WhatIsNotUtf8IsDropped) {
  const auto now = store::now();
  const auto nanoseconds = std::uint64_t(std::chrono::nanoseconds(now.time_since_epoch()).count());
  otlp::WireSpan wire{.trace_id = std::string(32, 'a'),
                      .span_id = std::string(16, 'b'),
                      .name = "na\xffme\xc3\xa9\xe2\x82",
                      .start = nanoseconds,
                      .end = nanoseconds + 1'500'000};
  const auto imported = otlp::import({wire}, {.user = 1, .agent = {}}, now);
  ASSERT_THAT(imported.spans, SizeIs(1));
  const auto& span = imported.spans[0];
  EXPECT_EQ(span.name, "name\xc3\xa9");
  EXPECT_EQ(span.agent, "unknown");
  EXPECT_EQ(span.type, spans::Type::monitor);
  EXPECT_EQ(span.duration_us, 1'500);
}

}  // namespace otlp_test
