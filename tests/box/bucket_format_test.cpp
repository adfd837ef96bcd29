// What is in a bucket: names that say what they are, and contents that only the box's key opens.
#include "appliance/box/standby/bucket_format.h"

#include <gtest/gtest.h>

namespace standby {
namespace bucket_format_test {

TEST(BucketFormat, OnlyTheKeyAndTheNameOpenAnObject) {
  const BucketSealer sealer(std::string(32, 'k')), other(std::string(32, 'o'));
  const std::string clear(100'000, 'x'), name = "segments/g/s1";
  auto sealed = sealer.seal(name, clear);
  EXPECT_LT(sealed.size(), 1'000u) << "it is compressed";
  EXPECT_EQ(sealer.open(name, sealed), clear);
  EXPECT_EQ(sealer.open("empty", sealer.seal("empty", "")), "");
  EXPECT_THROW(sealer.open("segments/g/s2", sealed), WrongKey);
  EXPECT_THROW(other.open(name, sealed), WrongKey);
  EXPECT_THROW(sealer.open(name, sealed.substr(0, 20)), WrongKey);
  sealed[40] = static_cast<char>(sealed[40] ^ 1);
  EXPECT_THROW(sealer.open(name, sealed), WrongKey);
}

TEST(BucketFormat, NamesAreReadAndOrderByPosition) {
  const auto name = bucket_names::segment("g", {.first = 9, .last = 300, .at = 1'769'860'800'123});
  const auto read = bucket_names::read_segment(name);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->first, 9u);
  EXPECT_EQ(read->last, 300u);
  EXPECT_EQ(read->at, 1'769'860'800'123);
  EXPECT_EQ(bucket_names::generation_in(name), "g");
  EXPECT_LT(name, bucket_names::segment("g", {.first = 301, .last = 301, .at = 0}));
  EXPECT_LT(bucket_names::segments_around("g", 1u << 25),
            bucket_names::segment("g", {.first = 1u << 25, .last = 1u << 25}));
  EXPECT_EQ(bucket_names::read_end(bucket_names::end(bucket_names::bases, "g", 'b', 123), 'b'), 123);
  EXPECT_FALSE(bucket_names::read_end(bucket_names::part(bucket_names::bases, "g", 'b', 123, 4), 'b'));
  for (const auto* foreign : {"", "bases/", "segments/g/s1", "segments/g/notes.txt", "bases/g/bxxxxxxxxxxxxx-end"}) {
    EXPECT_FALSE(bucket_names::read_segment(foreign)) << foreign;
    EXPECT_FALSE(bucket_names::read_end(foreign, 'b')) << foreign;
  }
}

TEST(BucketFormat, SegmentsAndFramesComeBackAsTheyWere) {
  std::string segment;
  append_write(segment, {.first = 1, .last = 2, .at = 5, .bytes = std::string("\0one", 4)});
  append_write(segment, {.first = 3, .last = 3, .at = 6, .bytes = ""});
  const auto writes = read_segment_content(segment);
  ASSERT_EQ(writes.size(), 2u);
  EXPECT_EQ(writes[0].bytes, std::string("\0one", 4));
  EXPECT_EQ(writes[1].at, 6);
  EXPECT_THROW(read_segment_content(segment.substr(0, 34)), std::runtime_error);

  std::string text;
  append_frame(text, Kind::file, "path", "more");
  append_frame(text, Kind::piece, "");
  FrameReader reader;
  for (const char byte : text) reader.add(std::string_view(&byte, 1));
  const auto first = reader.next(), second = reader.next();
  ASSERT_TRUE(first && second);
  EXPECT_EQ(first->content, "pathmore");
  EXPECT_EQ(second->kind, Kind::piece);
  EXPECT_TRUE(reader.is_empty());
  EXPECT_FALSE(reader.next());
}

}  // namespace bucket_format_test
}  // namespace standby
