#include "appliance/agent/semantic_search.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <boost/json.hpp>
#include <cmath>
#include <cstring>
#include <fstream>
#include <set>

#include "appliance/files/root.h"
#include "appliance/foundation/crypto/base64.h"
#include "appliance/foundation/crypto/random.h"
#include "web/client/fetch.h"
#include "web/json.h"
#include "web/log.h"

namespace agent_process {

namespace json = boost::json;

namespace {

constexpr std::size_t max_batch = 64, max_dimensions = 4'096, key_characters = 32;
constexpr std::size_t max_embedding_answer_bytes = 16u << 20;
constexpr std::chrono::seconds embedding_time{20};
constexpr double rank_offset = 60;  // of reciprocal rank fusion

double similarity(const std::vector<float>& left, const std::vector<float>& right) {
  if (left.size() != right.size()) return 0;
  double product = 0, left_square = 0, right_square = 0;
  for (std::size_t i = 0; i < left.size(); ++i) {
    product += double(left[i]) * double(right[i]);
    left_square += double(left[i]) * double(left[i]);
    right_square += double(right[i]) * double(right[i]);
  }
  const auto length = std::sqrt(left_square * right_square);
  return length > 0 ? product / length : 0;
}

std::optional<std::vector<float>> parse_vector(const json::value& item) {
  const auto* object = item.if_object();
  const auto* numbers = object ? web::array_member(*object, "embedding") : nullptr;
  if (!numbers || numbers->empty() || numbers->size() > max_dimensions) return std::nullopt;
  std::vector<float> vector;
  for (const auto& number : *numbers) {
    if (!number.is_number()) return std::nullopt;
    vector.push_back(number.to_number<float>());
  }
  return vector;
}

}  // namespace

SemanticSearch::SemanticSearch(const std::string& backend_url, std::string box_token, std::string model,
                               std::filesystem::path file, boost::asio::thread_pool& files)
    : url_(backend_url + "/v1/embeddings"),
      token_(std::move(box_token)),
      model_(std::move(model)),
      file_(std::move(file)),
      files_(files) {}

std::string SemanticSearch::key_of(std::string_view text) const {
  return crypto::sha256_hex(model_ + "\n" + std::string(text)).substr(0, key_characters);
}

web::Task<web::Result<std::vector<SemanticSearch::Vector>>> SemanticSearch::embed(
    std::vector<std::string> texts) const {
  json::object body{{"model", model_}};
  body["input"] = json::array(texts.begin(), texts.end());
  web::FetchRequest request{.url = url_, .method = "POST"};
  request.headers.emplace_back("Authorization", "Bearer " + token_);
  request.headers.emplace_back("Content-Type", "application/json");
  request.body = json::serialize(body);
  request.timeout = embedding_time;
  request.max_bytes = max_embedding_answer_bytes;
  const auto response = co_await web::fetch(std::move(request));
  if (!response) co_return web::unavailable(response.error().message);
  boost::system::error_code failed;
  const auto answer = json::parse(response->body, failed);
  const auto* object = failed ? nullptr : answer.if_object();
  const auto* data = object && response->status == 200 ? web::array_member(*object, "data") : nullptr;
  if (!data || data->size() != texts.size()) {
    const auto why = object ? web::string_at(answer, "/error/message") : std::string();
    co_return web::unavailable(why.empty() ? "status " + std::to_string(response->status) : why);
  }
  std::vector<Vector> vectors;
  for (const auto& item : *data) {
    auto vector = parse_vector(item);
    if (!vector) co_return web::unavailable("the embeddings are not lists of numbers");
    vectors.push_back(std::move(*vector));
  }
  co_return vectors;
}

void SemanticSearch::load() {
  std::ifstream lines(file_, std::ios::binary);
  for (std::string line; std::getline(lines, line);) {
    const auto space = line.find(' ');
    if (space != key_characters) continue;
    const auto bytes = crypto::from_base64(std::string_view(line).substr(space + 1));
    if (!bytes || bytes->empty() || bytes->size() % sizeof(float) != 0) continue;
    Vector vector(bytes->size() / sizeof(float));
    std::memcpy(vector.data(), bytes->data(), bytes->size());
    vectors_.emplace(line.substr(0, space), std::move(vector));
  }
}

// Losing the file costs one more call.
void SemanticSearch::save() const {
  std::string text;
  for (const auto& [key, vector] : vectors_) {
    const std::string_view bytes(reinterpret_cast<const char*>(vector.data()), vector.size() * sizeof(float));
    text += key + " " + crypto::to_base64(bytes) + "\n";
  }
  const auto next = file_.string() + ".new";
  const files::Descriptor out(::open(next.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!out || !files::write_all(out, text) || ::rename(next.c_str(), file_.c_str()) != 0)
    web::log::warning("embeddings_not_kept", {{"file", file_.string()}});
}

web::Task<web::Result<void>> SemanticSearch::embed_missing(const std::vector<Fact>& facts) {
  if (!std::exchange(is_loaded_, true)) {
    const auto read = [this] { load(); };
    co_await web::offload(files_, read);
  }
  std::set<std::string> current;
  std::vector<std::string> keys, texts;
  for (const auto& fact : facts) {
    auto key = key_of(fact.text);
    if (!vectors_.contains(key) && !current.contains(key)) {
      keys.push_back(key);
      texts.push_back(fact.text);
    }
    current.insert(std::move(key));
  }
  const auto removed = std::erase_if(vectors_, [&](const auto& entry) { return !current.contains(entry.first); });
  for (std::size_t at = 0; at < texts.size(); at += max_batch) {
    const auto end = std::min(texts.size(), at + max_batch);
    std::vector<std::string> batch(texts.begin() + std::ptrdiff_t(at), texts.begin() + std::ptrdiff_t(end));
    auto vectors = co_await embed(std::move(batch));
    if (!vectors) co_return vectors.error();
    for (std::size_t i = 0; i < vectors->size(); ++i) vectors_.insert_or_assign(keys[at + i], std::move((*vectors)[i]));
  }
  if (!texts.empty() || removed > 0) {
    const auto write = [this] { save(); };
    co_await web::offload(files_, write);
  }
  co_return web::Result<void>();
}

web::Task<web::Result<std::vector<Fact>>> SemanticSearch::search(std::string query, std::vector<Fact> facts) {
  if (facts.empty()) co_return facts;
  const auto embedded = co_await embed_missing(facts);
  if (!embedded) co_return embedded.error();
  std::vector<std::string> one{std::move(query)};
  const auto asked = co_await embed(std::move(one));
  if (!asked) co_return asked.error();
  std::vector<std::pair<double, const Fact*>> ranked;
  for (const auto& fact : facts)
    if (const auto found = vectors_.find(key_of(fact.text)); found != vectors_.end())
      ranked.emplace_back(similarity(asked->front(), found->second), &fact);
  std::stable_sort(ranked.begin(), ranked.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<Fact> similar;
  for (const auto& [likeness, fact] : ranked)
    if (similar.size() < max_similar && likeness > 0) similar.push_back(*fact);
  co_return similar;
}

std::vector<Fact> merge_ranked(const std::vector<Fact>& first, const std::vector<Fact>& second, std::size_t limit) {
  std::map<std::string, double> scores;
  std::vector<Fact> merged;
  for (const auto* list : {&first, &second})
    for (std::size_t i = 0; i < list->size(); ++i) {
      const auto [score, is_new] = scores.try_emplace((*list)[i].id, 0);
      score->second += 1 / (rank_offset + double(i));
      if (is_new) merged.push_back((*list)[i]);
    }
  std::stable_sort(merged.begin(), merged.end(),
                   [&](const Fact& a, const Fact& b) { return scores.at(a.id) > scores.at(b.id); });
  if (merged.size() > limit) merged.resize(limit);
  return merged;
}

}  // namespace agent_process
