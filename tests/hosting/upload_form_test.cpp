// The form of an upload: which fields it has, in which order, and when the agent is checked.
#include "appliance/hosting/uploads/form.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include "tests/support/temporary_folder.h"

namespace upload_form_test {

using testing::HasSubstr;

class UploadForm : public testing::Test {
 protected:
  struct Given {
    std::string agent, folder;  // of the query
  };

  // The stored form as "path=content" lines after the agent, or the error's message.
  std::string read(const std::string& body, const Given& given) {
    uploads::FormReader form("XX", [this](const std::string& agent) { return open(agent); });
    form.set_folder(given.folder);
    if (!given.agent.empty())
      if (auto set = form.set_agent(given.agent); !set) return set.error().message;
    for (std::string_view rest = body; !rest.empty(); rest.remove_prefix(std::min<std::size_t>(rest.size(), 3)))
      if (auto taken = form.take(rest.substr(0, 3)); !taken) return taken.error().message;
    auto incoming = form.finish();
    if (!incoming) return incoming.error().message;
    std::string told = incoming->agent;
    for (const auto& [path, offset, size] : incoming->files) {
      std::string content(size, '\0');
      EXPECT_EQ(::pread(incoming->content.file().get(), content.data(), size, off_t(offset)), ssize_t(size));
      told += " " + path + "=" + content;
    }
    return told;
  }
  std::string read(const std::string& body) { return read(body, {}); }

  static std::string field(const std::string& name, const std::string& value) {
    return "--XX\r\nContent-Disposition: form-data; name=" + name + "\r\n\r\n" + value + "\r\n";
  }
  static std::string file(const std::string& name, const std::string& content) {
    return field("file; filename=\"" + name + "\"", content);
  }
  static inline const std::string end = "--XX--";

  int opened = 0;

 private:
  web::Result<uploads::Incoming> open(const std::string& agent) {
    ++opened;
    if (agent != "ag_1") return web::not_found("no such agent");
    auto spool = files::Spool::make(folder.path());
    if (!spool) return spool.error();
    return uploads::Incoming{.agent = agent, .quota = 500 << 20, .content = std::move(*spool), .files = {}};
  }

  test_support::TemporaryFolder folder;
};

TEST_F(UploadForm, HasItsAgentFirstOrInTheQuery) {
  EXPECT_EQ(read(field("agentId", "ag_1") + file("a", "one") + file("b", "") + file("c", "three") + end),
            "ag_1 a=one b= c=three");
  EXPECT_EQ(read(field("path", "in") + field("agentId", "ag_1") + file("a", "one") + end), "ag_1 in/a=one");
  EXPECT_EQ(read(field("agentId", "ag_1") + file("a", "one") + field("path", "in/") + end), "ag_1 in/a=one");
  EXPECT_EQ(read(file("a", "one") + end, {.agent = "ag_1", .folder = "in"}), "ag_1 in/a=one");
  EXPECT_EQ(read(field("agentId", "ag_1") + field("note", "x") + file("a", "1") + end, {.agent = "ag_1", .folder = {}}),
            "ag_1 a=1");
  EXPECT_EQ(opened, 5);
  EXPECT_THAT(read(field("agentId", "ag_2") + file("a", "1") + end, {.agent = "ag_1", .folder = {}}),
              HasSubstr("agentId must be the same"));
  EXPECT_THAT(read(field("path", "there") + file("a", "1") + end, {.agent = "ag_1", .folder = "here"}),
              HasSubstr("path must be the same"));
}

TEST_F(UploadForm, IsReadNoFurtherWithoutAnAgent) {
  EXPECT_THAT(read(file("a", "one") + field("agentId", "ag_1") + end),
              HasSubstr("agentId is required before the files"));
  EXPECT_THAT(read(field("note", "x") + field("agentId", "ag_1") + end), HasSubstr("agentId is required before"));
  EXPECT_EQ(opened, 0);
  EXPECT_EQ(read(field("agentId", "ag_2") + "--XX\r\nthis is not even a form"), "no such agent");
  EXPECT_EQ(read("neither is this", {.agent = "ag_2", .folder = {}}), "no such agent");
  EXPECT_THAT(read(field("agentId", "") + file("a", "1") + end), HasSubstr("agentId is required"));
  EXPECT_THAT(read(end), HasSubstr("agentId is required"));
}

TEST_F(UploadForm, NamesTheFieldAtFault) {
  const auto agent = field("agentId", "ag_1");
  EXPECT_THAT(read(agent + agent + end), HasSubstr("agentId must be given once"));
  EXPECT_THAT(read(agent + field("path", "a") + field("path", "a") + end), HasSubstr("path must be given once"));
  EXPECT_THAT(read(agent + end), HasSubstr("file is required"));
  EXPECT_THAT(read(agent + file("", "x") + end), HasSubstr("file must have a name"));
  EXPECT_THAT(read(agent + field("path", std::string(5'000, 'p')) + end), HasSubstr("path is too long"));
  EXPECT_THAT(read(field("agentId", std::string(5'000, 'a'))), HasSubstr("agentId is too long"));
}

}  // namespace upload_form_test
