import { chooseLanguage, chosen, languageName, languages, t } from "../app/i18n";
import { chooseTheme, type Theme, theme, themes } from "../app/theme";
import { Select } from "../components/field";

// How the console looks in this browser.
export function Appearance() {
  return (
    <section class="card" aria-labelledby="appearance-title">
      <h2 id="appearance-title">{t("appearance.title")}</h2>
      <p class="quiet">{t("appearance.about")}</p>
      <div class="columns">
        <Select label={t("theme.title")} value={theme.value} onChange={(event) => chooseTheme(event.currentTarget.value as Theme)}>
          {themes.map((name) => (
            <option key={name} value={name}>
              {t(`theme.${name}`)}
            </option>
          ))}
        </Select>
        <Select label={t("appearance.language")} value={chosen.value} onChange={(event) => void chooseLanguage(event.currentTarget.value)}>
          <option value="">{t("appearance.browser")}</option>
          {languages.map((tag) => (
            <option key={tag} value={tag} lang={tag}>
              {languageName(tag)}
            </option>
          ))}
        </Select>
      </div>
    </section>
  );
}
