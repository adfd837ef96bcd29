// Finds remembered facts by their meaning, with a model for embeddings that the box offers (POST /v1/embeddings).
#pragma once

#include <boost/asio/thread_pool.hpp>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "appliance/agent/memory.h"
#include "web/result.h"
#include "web/task.h"

namespace agent_process {

// Vectors are kept beside the memory, so that each fact is embedded once for each text and model. Used from one io
// thread.
class SemanticSearch {
 public:
  static constexpr std::size_t max_similar = 10;

  // `file` is read at the first search. An empty model: searches find nothing.
  SemanticSearch(const std::string& backend_url, std::string box_token, std::string model, std::filesystem::path file,
                 boost::asio::thread_pool& files);

  bool is_configured() const { return !model_.empty(); }
  // The facts that are most similar to the query, best first, at most max_similar. unavailable, with the reason, when
  // the box does not embed.
  web::Task<web::Result<std::vector<Fact>>> search(std::string query, std::vector<Fact> facts);

 private:
  using Vector = std::vector<float>;

  web::Task<web::Result<std::vector<Vector>>> embed(std::vector<std::string> texts) const;
  web::Task<web::Result<void>> embed_missing(const std::vector<Fact>&);
  std::string key_of(std::string_view text) const;
  void load();
  void save() const;

  const std::string url_, token_, model_;
  const std::filesystem::path file_;
  boost::asio::thread_pool& files_;
  bool is_loaded_ = false;
  std::map<std::string, Vector, std::less<>> vectors_;  // by key_of(text)
};

// Both lists in one, without doubles: facts high in either come first.
std::vector<Fact> merge_ranked(const std::vector<Fact>& first, const std::vector<Fact>& second, std::size_t limit);

}  // namespace agent_process
