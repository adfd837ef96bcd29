#include "appliance/hosting/uploads/multipart.h"

#include <gmock/gmock.h>

#include <ctime>
#include <random>
#include <vector>

namespace multipart_test {

using testing::HasSubstr;

struct Read {
  std::string name;
  std::optional<std::string> filename;
  std::string content;
  bool ended = false;
  friend bool operator==(const Read&, const Read&) = default;
};

// The body, taken in pieces of these sizes (the last one again and again).
web::Result<std::vector<Read>> read(std::string_view body, const std::vector<std::size_t>& sizes = {1'000'000},
                                    uploads::MultipartLimits limits = {}) {
  std::vector<Read> parts;
  uploads::PartSink sink;
  sink.begin = [&](const uploads::PartHead& head) -> web::Result<void> {
    parts.push_back({.name = head.name, .filename = head.filename, .content = {}});
    return {};
  };
  sink.data = [&](std::string_view bytes) -> web::Result<void> {
    EXPECT_FALSE(parts.back().ended);
    parts.back().content += bytes;
    return {};
  };
  sink.end = [&]() -> web::Result<void> {
    parts.back().ended = true;
    return {};
  };
  uploads::Multipart parser("XX", std::move(sink), limits);
  for (std::size_t i = 0; !body.empty(); ++i) {
    const auto size = std::min(body.size(), sizes[std::min(i, sizes.size() - 1)]);
    if (auto taken = parser.take(body.substr(0, size)); !taken) return taken.error();
    body.remove_prefix(size);
  }
  if (auto finished = parser.finish(); !finished) return finished.error();
  return parts;
}

std::string part(std::string disposition, std::string content) {
  return "--XX\r\nContent-Disposition: " + disposition + "\r\n\r\n" + content + "\r\n";
}

const std::string whole = "a preamble\r\n" + part("form-data; name=\"agentId\"", "ag_1") +
                          part("form-data; name=\"file\"; filename=\"a \\\"b\\\" %22c%22.txt\"",
                               "one\r\n--XY\r\n--X\r\n--XXno\r\n--XX-\r\r\n") +
                          part("form-data; name=file; filename=empty", "") + "--XX--\r\nan epilogue --XX";

TEST(Multipart, ReadsPartsAsTheyAre) {
  const auto parts = read(whole);
  ASSERT_TRUE(parts) << parts.error().message;
  const std::vector<Read> expected{{"agentId", std::nullopt, "ag_1", true},
                                   {"file", "a \"b\" \"c\".txt", "one\r\n--XY\r\n--X\r\n--XXno\r\n--XX-\r\r\n", true},
                                   {"file", "empty", "", true}};
  EXPECT_EQ(*parts, expected);
}

TEST(Multipart, ReadsTheSameHoweverTheBytesArrive) {
  const auto expected = read(whole);
  ASSERT_TRUE(expected);
  for (std::size_t cut = 1; cut < whole.size(); ++cut) {
    const auto parts = read(whole, {cut, 1'000'000});
    ASSERT_TRUE(parts) << cut << ": " << parts.error().message;
    ASSERT_EQ(*parts, *expected) << cut;
  }
  std::minstd_rand random(4711);
  for (int round = 0; round < 300; ++round) {
    std::vector<std::size_t> sizes(40);
    for (auto& size : sizes) size = 1 + random() % 9;
    const auto parts = read(whole, sizes);
    ASSERT_TRUE(parts);
    ASSERT_EQ(*parts, *expected);
  }
}

TEST(Multipart, AnyContentRoundTrips) {
  std::minstd_rand random(7);
  for (int round = 0; round < 500; ++round) {
    std::string content(random() % 60, '\0');
    for (auto& c : content) c = "\r\n-X \t\0a"[random() % 8];
    if (content.find("\r\n--XX") != std::string::npos) continue;
    const auto body = part("form-data; name=f; filename=f", content) + "--XX--";
    const auto parts = read(body, {1 + random() % 5});
    // What begins a line with the boundary is no content that this boundary can carry.
    if (content.starts_with("--XX")) continue;
    ASSERT_TRUE(parts) << parts.error().message;
    ASSERT_EQ(parts->size(), 1u);
    ASSERT_EQ(parts->front().content, content);
  }
}

TEST(Multipart, RefusesMalformedBodies) {
  const auto good = part("form-data; name=a", "b");
  const std::vector<std::pair<std::string, std::string>> wrong{
      {"", "closing delimiter"},
      {"text", "closing delimiter"},
      {good, "closing delimiter"},
      {good + "--XX-", "closing delimiter"},
      {"--XX\r\n\r\nb\r\n--XX--", "no Content-Disposition"},
      {"--XX\r\nContent-Type: text/plain\r\n\r\nb\r\n--XX--", "no Content-Disposition"},
      {"--XX\r\nnonsense\r\n\r\nb\r\n--XX--", "malformed"},
      {part("attachment; name=a", "b") + "--XX--", "form-data"},
      {part("form-data", "b") + "--XX--", "name"},
      {part("form-data; name=a; name=b", "b") + "--XX--", "name twice"},
      {part("form-data; name=a; filename=b; filename=c", "b") + "--XX--", "filename twice"},
      {part("form-data; name=\"a", "b") + "--XX--", "name"},
      {part("form-data; name=a; filename=", "b") + "--XX--", "name"},
      {part("form-data; name=a\r\nContent-Transfer-Encoding: base64", "b") + "--XX--", "Transfer-Encoding"},
      {part("form-data; name=a\r\nContent-Disposition: form-data; name=b", "b") + "--XX--", "two"},
  };
  for (const auto& [body, expected] : wrong) {
    const auto parts = read(body);
    ASSERT_FALSE(parts) << body;
    EXPECT_EQ(parts.error().kind, web::Kind::invalid);
    EXPECT_THAT(parts.error().message, HasSubstr(expected)) << body;
  }
}

TEST(Multipart, IsBounded) {
  std::string many;
  for (int i = 0; i < 3; ++i) many += part("form-data; name=a", "b");
  EXPECT_TRUE(read(many + "--XX--", {1}, {.parts = 3}));
  EXPECT_FALSE(read(many + "--XX--", {1}, {.parts = 2}));
  EXPECT_FALSE(read("--XX\r\nX: " + std::string(5'000, 'x'))) << "headers without an end";
  const std::string head = "\r\nContent-Disposition: form-data; name=a\r\nX: ";
  for (const std::size_t piece : {1u, 3u, 10'000u}) {
    const auto with_headers = [&](std::size_t size) {
      return read("--XX" + head + std::string(size - head.size(), 'x') + "\r\n\r\nb\r\n--XX--", {piece});
    };
    EXPECT_TRUE(with_headers(4'096)) << piece;
    EXPECT_FALSE(with_headers(4'097)) << piece;
  }
}

TEST(Multipart, ThePreambleIsBounded) {
  const auto form = part("form-data; name=a", "b") + "--XX--";
  EXPECT_TRUE(read(std::string(4'094, 'p') + "\r\n" + form));
  EXPECT_FALSE(read(std::string(5'000, 'p') + "\r\n" + form));
  EXPECT_FALSE(read(std::string(1'000'000, 'p'), {1'000}));
}

// Processor time of reading `body` in one piece.
double seconds_of(const std::string& body) {
  uploads::Multipart parser("XX", {.begin = [](const auto&) { return web::Result<void>(); },
                                   .data = [](std::string_view) { return web::Result<void>(); },
                                   .end = [] { return web::Result<void>(); }});
  const auto begun = std::clock();
  EXPECT_TRUE(parser.take(body));
  EXPECT_TRUE(parser.finish());
  return double(std::clock() - begun) / CLOCKS_PER_SEC;
}

// What takes time is what begins like a delimiter: each occurrence is looked at again.
TEST(Multipart, TakesLinearTime) {
  for (const auto& piece :
       {std::string("\r\n--XX."), std::string("\r"), std::string("\r\n--X"), "\r\n--XX" + std::string(60, ' ') + "."}) {
    const auto body_of = [&piece](std::size_t size) {
      std::string content;
      while (content.size() < size) content += piece;
      return part("form-data; name=f; filename=f", content) + "--XX--";
    };
    EXPECT_LT(seconds_of(body_of(1 << 20)), 0.2 + 10 * seconds_of(body_of(1 << 18))) << piece;
  }
}

TEST(Multipart, KnowsItsBoundary) {
  EXPECT_EQ(*uploads::boundary_of("multipart/form-data; boundary=XX"), "XX");
  EXPECT_EQ(*uploads::boundary_of("Multipart/Form-Data ; charset=utf-8; BOUNDARY=\"a b:c\""), "a b:c");
  for (const auto& wrong :
       {std::string(), std::string("text/plain"), std::string("multipart/form-data"),
        std::string("multipart/form-data; boundary="), std::string("multipart/form-data; boundary=\"a \""),
        std::string("multipart/form-data; boundary=a; boundary=b"), std::string("multipart/form-data; boundary=a\xff"),
        "multipart/form-data; boundary=" + std::string(71, 'x'), std::string("multipart/mixed; boundary=a")})
    EXPECT_FALSE(uploads::boundary_of(wrong)) << wrong;
}

}  // namespace multipart_test
