import { signal } from "@preact/signals";
import type { ComponentType } from "preact";
import { useEffect, useRef } from "preact/hooks";
import * as account from "../account";
import { lost, restarting } from "../api/live";
import { Button } from "../components/button";
import { EmptyState, Loading } from "../components/empty_state";
import { Notice } from "../components/notice";
import { t } from "./i18n";
import { component, failed, match } from "./pages";
import { Palette } from "./palette";
import { location, parameter } from "./router";
import { Shortcuts } from "./shortcuts";
import { BottomBar, drawerOpen, Sidebar, TopBar } from "./sidebar";
import { Link } from "../components/link";
import { Mark } from "../components/mark";

export function Shell({ unreachable, onRetry }: { unreachable: string; onRetry: () => void }) {
  const main = useRef<HTMLElement>(null);
  const found = match(location.value.pathname);
  const title = found ? t(found.page.title) : t("page.missing");
  const shown = found?.page;
  useEffect(() => {
    document.title = shown && shown.path !== "/" ? `${title} · agentbox` : "agentbox";
  }, [title]);
  // A new page is read out from its beginning, unless it or the tour has put the focus itself.
  const first = useRef(true);
  useEffect(() => {
    const focused = document.activeElement;
    if (!first.current && !main.current?.contains(focused) && !focused?.closest(".tour")) main.current?.focus();
    first.current = false;
  }, [shown]);
  return (
    <>
      <a class="skip" href="#main">
        {t("shell.skip")}
      </a>
      {account.user.value && <Sidebar />}
      {drawerOpen.value && <div class="drawer-ground" onClick={() => (drawerOpen.value = false)} />}
      <div class={account.user.value ? "frame" : "frame open-frame"}>
        {account.user.value ? <TopBar /> : account.user.value === null && <OpenHead />}
        {lost.value && <ConnectionLost />}
        <main id="main" ref={main} tabIndex={-1}>
          <Page unreachable={unreachable} onRetry={onRetry} />
        </main>
      </div>
      {account.user.value && (
        <>
          <BottomBar />
          <Palette />
          <Shortcuts />
          <LazyTour />
        </>
      )}
    </>
  );
}

// The tour of the demo is loaded where one is on.
const tour = signal<ComponentType | undefined>(undefined);

function LazyTour() {
  const wanted = parameter("tour") !== "" || sessionStorage.getItem("agentbox.tour") !== null;
  useEffect(() => {
    if (wanted) void import("./tour").then((module) => (tour.value = module.Tour));
  }, [wanted]);
  const Tour = tour.value;
  return Tour ? <Tour /> : null;
}

// Above the pages that everybody sees.
function OpenHead() {
  return (
    <header class="open-head">
      <Link to="/" class="brand">
        <Mark /> agentbox
      </Link>
      {location.value.pathname !== "/login" && (
        <Link to="/login" class="button">
          {t("action.sign_in")}
        </Link>
      )}
    </header>
  );
}

// Above whatever page is shown, which stays as it is.
function ConnectionLost() {
  return (
    <div class="connection">
      <Notice kind="error">{restarting.value ? t("shell.restarting") : t("error.trying_again", { error: t("error.unreachable") })}</Notice>
    </div>
  );
}

function Page({ unreachable, onRetry }: { unreachable: string; onRetry: () => void }) {
  if (unreachable) {
    return (
      <div class="column">
        <EmptyState isPage title={unreachable} text={t("shell.unreachable_hint")} alert>
          <Button kind="primary" onClick={onRetry}>
            {t("action.retry")}
          </Button>
        </EmptyState>
      </div>
    );
  }
  const { user } = account;
  if (user.value === undefined) return null;
  const found = match(location.value.pathname);
  if (!found || !account.maySee(found.page.access)) {
    return (
      <div class="column">
        <EmptyState isPage title={t("page.missing")} text={t("shell.missing_hint")} />
      </div>
    );
  }
  if (found.page.access !== "all" && !user.value) return null;
  const Content = component(found.page);
  if (Content) return <Content key={found.id} id={found.id} />;
  if (failed.value === found.page) {
    return (
      <div class="column">
        <EmptyState isPage title={t("shell.stale")} text={t("shell.stale_hint")} alert>
          <Button kind="primary" onClick={() => window.location.reload()}>
            {t("action.reload")}
          </Button>
        </EmptyState>
      </div>
    );
  }
  return <Loading isPage />;
}
