// The design language of the console, shown by its real components. For those who work on the console: it is served by
// design.mjs and is not part of the box, so its captions need no message files.
import { useSignal } from "@preact/signals";
import { render, type ComponentChildren } from "preact";
import { ApiError } from "../src/api/client";
import { loadLanguage, t } from "../src/app/i18n";
import { chooseTheme, theme, themes } from "../src/app/theme";
import { Badge } from "../src/components/badge";
import { Button } from "../src/components/button";
import { CodeBlock } from "../src/components/code_block";
import { Confirm } from "../src/components/confirm";
import { CopyButton } from "../src/components/copy_button";
import { EmptyState } from "../src/components/empty_state";
import { Checkbox, Field, Select, TextArea } from "../src/components/field";
import { Form } from "../src/components/form";
import { LineChart } from "../src/components/line_chart";
import { Link } from "../src/components/link";
import { Loaded, useLoad } from "../src/components/loaded";
import { Markdown } from "../src/components/markdown";
import { Meter } from "../src/components/meter";
import { Notice } from "../src/components/notice";
import { StackedChart } from "../src/components/stacked_chart";
import { State } from "../src/components/state";
import { Status } from "../src/components/status";
import { Table } from "../src/components/table";
import { Tabs } from "../src/components/tabs";
import { Time } from "../src/components/time";

const noon = Date.UTC(2026, 10, 25, 12);
const hour = 3_600_000;

function Design() {
  return (
    <main class="column design">
      <h1>Design of the console</h1>
      <div class="actions start" role="group" aria-label="Colours">
        {themes.map((one) => (
          <Button key={one} pressed={theme.value === one} onClick={() => chooseTheme(one)}>
            {one}
          </Button>
        ))}
      </div>
      <Colours />
      <Type />
      <Spacing />
      <Controls />
      <Forms />
      <States />
      <Content />
    </main>
  );
}

function Part({ title, children }: { title: string; children: ComponentChildren }) {
  const id = title.toLowerCase().replaceAll(" ", "-");
  return (
    <section class="card" aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      {children}
    </section>
  );
}

// What the style sheet declares for the whole page.
function variables(): string[] {
  const rules = [...document.styleSheets].flatMap((sheet) => [...sheet.cssRules]);
  const roots = rules.filter((rule): rule is CSSStyleRule => rule instanceof CSSStyleRule && rule.selectorText.includes(":root"));
  return [...new Set(roots.flatMap(({ style }) => [...style].filter((name) => name.startsWith("--"))))];
}

function Colours() {
  void theme.value;
  const values = getComputedStyle(document.documentElement);
  const colours = variables().filter((name) => CSS.supports("color", values.getPropertyValue(name).trim()));
  return (
    <Part title="Colours">
      <p class="quiet">By purpose. A tone only repeats what a word says.</p>
      <ul class="swatches">
        {colours.map((name) => (
          <li key={name}>
            <span class="swatch" style={{ background: `var(${name})` }} />
            <code>{name}</code>
          </li>
        ))}
      </ul>
    </Part>
  );
}

function Type() {
  return (
    <Part title="Type">
      <p class="as-h1">Title of a page</p>
      <h3>Title of a part</h3>
      <p>Text. Latin letters of Inter, others of the system's own typeface, at the size that the browser is set to.</p>
      <p class="quiet">Quiet text: what explains, and what is not looked for first.</p>
      <p>
        <code>code_and_names</code> <Link to="/design">a link</Link> <strong>strong</strong>
      </p>
    </Part>
  );
}

function Spacing() {
  return (
    <Part title="Spacing">
      <p class="quiet">Multiples of a quarter of the text's size.</p>
      {[0.25, 0.5, 0.75, 1, 1.5, 2].map((size) => (
        <p key={size} class="space">
          <span style={{ width: `${size}rem` }} /> <code>{size}rem</code>
        </p>
      ))}
    </Part>
  );
}

function Controls() {
  const asking = useSignal(false);
  return (
    <Part title="Buttons, links, questions">
      <div class="actions start">
        <Button kind="primary" onClick={() => undefined}>
          Primary
        </Button>
        <Button onClick={() => undefined}>Plain</Button>
        <Button kind="danger" onClick={() => (asking.value = true)}>
          Danger
        </Button>
        <Button disabled onClick={() => undefined}>
          Disabled
        </Button>
        <Button pressed onClick={() => undefined}>
          Pressed
        </Button>
        <CopyButton text="copied" />
      </div>
      <Tabs
        label="Tabs"
        tabs={[
          { to: "/design", title: "Current", current: true },
          { to: "/design?tab=other", title: "Other", current: false },
        ]}
      />
      {asking.value && (
        <Confirm
          title="Delete Scout?"
          confirm={t("action.delete")}
          danger
          typed="Scout"
          onClose={() => (asking.value = false)}
          action={async () => (asking.value = false)}
        >
          <p>What cannot be undone wants its name typed.</p>
        </Confirm>
      )}
    </Part>
  );
}

function Forms() {
  return (
    <Part title="Forms">
      <p class="quiet">Sent, this form shows how a refusal stands beside its field.</p>
      <Form
        submit="Send"
        onSubmit={async () => {
          throw new ApiError("name is taken", 409, "", 0, {}, "name", " is taken");
        }}
      >
        <Field label="Name" name="name" hint="A hint says what is expected." defaultValue="Scout" />
        <TextArea label="Instructions" name="instructions" rows={3} />
        <Select label="Plan" name="plan">
          <option value="solo">solo</option>
          <option value="network">network</option>
        </Select>
        <Checkbox label="Start it at once" name="start" defaultChecked />
      </Form>
    </Part>
  );
}

function States() {
  const waiting = useLoad(() => new Promise<string>(() => undefined));
  const failed = useLoad(() => Promise.reject<string>(new ApiError("The box does not answer", 0)));
  return (
    <Part title="States">
      <p>
        <Badge>neutral</Badge> <Badge tone="good">good</Badge> <Badge tone="busy">busy</Badge> <Badge tone="bad">bad</Badge>
      </p>
      <p>
        <State tone="good">works</State> <State tone="busy">changes</State> <State tone="bad">failed</State>{" "}
        <State tone="rest">rests</State>
      </p>
      <p>
        {(["running", "provisioning", "stopped", "error"] as const).map((status) => (
          <Status key={status} agent={{ id: status, status }} />
        ))}
      </p>
      <Notice kind="hint">A hint: something to know or to do.</Notice>
      <Notice kind="error">An error: the box's own sentence.</Notice>
      <Meter label="Quota" share={0.4} text="40 of 100" />
      <Meter label="Quota, nearly used" share={0.85} text="85 of 100" />
      <Meter label="Quota, used" share={1} text="100 of 100" />
      <Loaded of={waiting}>{(text) => <p>{text}</p>}</Loaded>
      <Loaded of={failed}>{(text) => <p>{text}</p>}</Loaded>
      <EmptyState title="Nothing here yet" text="Why that is, and what to do about it.">
        <Button kind="primary" onClick={() => undefined}>
          Do it
        </Button>
      </EmptyState>
    </Part>
  );
}

const markdown = "**Bold**, `code`, and a list:\n\n1. first\n2. second\n";

function Content() {
  const wave = Array.from({ length: 48 }, (_, index) => ({ at: noon - (48 - index) * (hour / 2), value: 30 + 20 * Math.sin(index / 4) }));
  const days = Array.from({ length: 14 }, (_, index) => ({ label: `${index + 1} Nov`, parts: [(index * 7) % 11, (index * 5) % 7] }));
  return (
    <Part title="Content">
      <Table title="A table" columns={["Name", "Changed"]}>
        <tr>
          <th scope="row">Scout</th>
          <td>
            <Time at={new Date(noon).toISOString()} />
          </td>
        </tr>
      </Table>
      <CodeBlock language="python" text={'print("hello")  # a remark'} />
      <Markdown text={markdown} />
      <div class="charts">
        <StackedChart
          title="By day"
          series={["small", "large"]}
          stacks={days}
          text={(value) => `${value} calls`}
          axis={(value) => String(value)}
          limit={16}
          limitName="limit"
          unfinished
        />
        <LineChart
          title="Over a day"
          from={noon - 24 * hour}
          until={noon}
          gap={hour}
          points={wave}
          text={(value) => `${Math.round(value)} %`}
        />
      </div>
    </Part>
  );
}

await loadLanguage();
render(<Design />, document.getElementById("console")!);
