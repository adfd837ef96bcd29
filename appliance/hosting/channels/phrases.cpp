#include "appliance/hosting/channels/phrases.h"

#include "web/ascii.h"

namespace channels {

namespace {

std::string_view english(Phrase phrase) {
  switch (phrase) {
    case Phrase::pairing:
      return "I do not know you yet. Give this code to the person who runs me, who can then let you in: {}";
    case Phrase::paired:
      return "You can now talk to {}. /help lists what I understand.";
    case Phrase::linked:
      return "This account is now linked: {} knows you as its owner here. /help lists the commands.";
    case Phrase::daily_limit:
      return "That is all for today: the daily limit of messages is reached.";
    case Phrase::not_running:
      return "{} is not running at the moment. Your message is kept and will be answered later.";
    case Phrase::interrupted:
      return "I was interrupted twice while I answered. Please send the message again.";
    case Phrase::failed:
      return "Sorry, I could not answer.";
    case Phrase::stopped:
      return "Stopped.";
    case Phrase::nothing_to_stop:
      return "There is nothing to stop.";
    case Phrase::new_conversation:
      return "A new conversation begins.";
    case Phrase::status:
      return "Status: {}";
    case Phrase::model:
      return "Model: {}";
    case Phrase::help:
      return "I am {}. Write to me as to anyone.\n\n/new begins a new conversation\n/stop stops the answer\n"
             "/status tells how I am\n/model tells which model answers\n/help shows this";
    case Phrase::files_refused:
      return "I could not take this file: {}";
  }
  return {};
}

std::string_view german(Phrase phrase) {
  switch (phrase) {
    case Phrase::pairing:
      return "Ich kenne Sie noch nicht. Geben Sie diesen Code der Person, die mich betreibt, dann kann sie Sie "
             "zulassen: "
             "{}";
    case Phrase::paired:
      return "Sie können jetzt mit {} schreiben. /help zeigt, was ich verstehe.";
    case Phrase::linked:
      return "Dieses Konto ist verbunden: {} kennt Sie hier als Eigentümer. /help zeigt die Befehle.";
    case Phrase::daily_limit:
      return "Das war alles für heute: Die tägliche Zahl von Nachrichten ist erreicht.";
    case Phrase::not_running:
      return "{} läuft gerade nicht. Ihre Nachricht ist gespeichert und wird später beantwortet.";
    case Phrase::interrupted:
      return "Ich wurde beim Antworten zweimal unterbrochen. Bitte senden Sie die Nachricht noch einmal.";
    case Phrase::failed:
      return "Leider konnte ich nicht antworten.";
    case Phrase::stopped:
      return "Angehalten.";
    case Phrase::nothing_to_stop:
      return "Es gibt nichts anzuhalten.";
    case Phrase::new_conversation:
      return "Eine neue Unterhaltung beginnt.";
    case Phrase::status:
      return "Status: {}";
    case Phrase::model:
      return "Modell: {}";
    case Phrase::help:
      return "Ich bin {}. Schreiben Sie mir einfach.\n\n/new beginnt eine neue Unterhaltung\n/stop hält die Antwort "
             "an\n"
             "/status sagt, wie es mir geht\n/model sagt, welches Modell antwortet\n/help zeigt dies";
    case Phrase::files_refused:
      return "Ich konnte diese Datei nicht annehmen: {}";
  }
  return {};
}

}  // namespace

std::string phrase(Phrase phrase, std::string_view language, std::string_view argument) {
  std::string text(web::starts_ignoring_case(language, "de") ? german(phrase) : english(phrase));
  if (const auto at = text.find("{}"); at != std::string::npos) text.replace(at, 2, argument);
  return text;
}

}  // namespace channels
