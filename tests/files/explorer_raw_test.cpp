// Files as they are: types that no browser runs, validators that change with the file.
#include "appliance/files/explorer/raw.h"
#include "tests/files/explorer_fixture.h"

namespace explorer_raw_test {

using namespace explorer_tests;
using explorer::open_raw;
using explorer::raw_type;

class ExplorerRaw : public ExplorerTest {};

TEST_F(ExplorerRaw, NoContentTypeIsExecutable) {
  for (const auto* name : {"a.html", "a.htm", "a.js", "a.svg", "a.xml", "a.xhtml", "a.css", "a.md", "noext", ".png"}) {
    EXPECT_EQ(raw_type(name, "<script>alert(1)</script>"), "text/plain; charset=utf-8") << name;
    EXPECT_EQ(raw_type(name, std::string_view("<script>\0", 9)), "application/octet-stream") << name;
  }
  EXPECT_EQ(raw_type("a.PNG", "<script>"), "image/png");
  EXPECT_EQ(raw_type("a.pdf", "%PDF-1.7\n%\xe2\xe3\xcf\xd3"), "application/octet-stream");
  EXPECT_EQ(raw_type("a.txt", "\xff\xfe"), "application/octet-stream");
  EXPECT_EQ(raw_type("a.txt", "Gr\xc3"), "text/plain; charset=utf-8") << "the beginning may end inside a character";
  EXPECT_EQ(raw_type("a.txt", "Gr\xc3\xc3z"), "application/octet-stream");
}

TEST_F(ExplorerRaw, NamesInHeadersAreEscaped) {
  EXPECT_EQ(explorer::attachment("plan 1.bin"), "attachment; filename=\"plan 1.bin\"; filename*=UTF-8''plan%201.bin");
  EXPECT_EQ(explorer::attachment("a\"\r\n;ü"),
            "attachment; filename=\"a______\"; filename*=UTF-8''a%22%0D%0A%3B%C3%BC");
}

TEST_F(ExplorerRaw, EachVersionHasItsOwnEtag) {
  put(root / "a", "one");
  const auto first = open_raw(place, "a")->validators;
  EXPECT_EQ(first.etag.substr(0, 2), "W/") << "it was written just now: it may change unseen";
  put(root / "b", "one");
  EXPECT_NE(open_raw(place, "b")->validators.etag, first.etag);
  ASSERT_TRUE(explorer::write(place, "a", "two"));
  EXPECT_NE(open_raw(place, "a")->validators.etag, first.etag);
}

TEST_F(ExplorerRaw, RangesAreExact) {
  put(root / "a", "0123456789");
  const auto raw = open_raw(place, "a");
  EXPECT_EQ(raw->size, 10u);
  EXPECT_EQ(explorer::read_piece(raw->file, 3, 4), "3456");
  EXPECT_THROW(explorer::read_piece(raw->file, 8, 3), std::runtime_error) << "it must not be filled up";
}

TEST_F(ExplorerRaw, OpensRegularFilesBeneathTheRootOnly) {
  put(scratch.path() / "owner/secret.txt", "secret");
  fs::create_symlink("../secret.txt", root / "out");
  put(root / ".git/config", "");
  ASSERT_EQ(::mkfifo((root / "pipe").c_str(), 0600), 0);
  for (const auto* path : {"../secret.txt", "out", ".git/config", "git~1/config", "pipe", "", "/etc/passwd", "."}) {
    EXPECT_EQ(open_raw(place, path).error().kind, web::Kind::invalid) << path;
  }
  EXPECT_EQ(open_raw(place, "absent").error().kind, web::Kind::not_found);
}

}  // namespace explorer_raw_test
