/** The entry of the page: signs in, opens the event stream, renders. */

import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { setProgram } from "../lib/command-line.ts";
import { prefetchPages } from "./prefetch.ts";
import { createPageRouter } from "./router.tsx";
import { Closed } from "./shell/closed.tsx";
import { toastStore } from "./shell/toasts.tsx";
import { createAnswers } from "./store/held.ts";
import { StoreContext } from "./store/hooks.ts";
import { browserStorage } from "./store/persisted-state.ts";
import { enter } from "./store/session.ts";
import { createStore } from "./store/store.ts";
import { createOutbox } from "./talk/outbox.ts";
import "@fontsource-variable/inter/opsz.css";
import "./style/index.css";

// The daemon says in the page how it is called where it runs (server/page.ts).
const called = document.querySelector<HTMLMetaElement>('meta[name="agiraph-program"]')?.content;
if (called) setProgram(called);
const { client, problem } = await enter();
const root = createRoot(document.getElementById("root")!);
if (problem) root.render(<Closed problem={problem} />);
else {
  const store = createStore(client);
  store.start();
  const tell = (text: string) => void toastStore.say({ look: "failure", text, stays: true });
  const answers = createAnswers({ client, store, storage: browserStorage(), tell });
  answers.start();
  const outbox = createOutbox(client, store, browserStorage());
  const router = createPageRouter();
  root.render(
    <StrictMode>
      <StoreContext value={{ store, client, answers, outbox }}>
        <RouterProvider router={router} />
      </StoreContext>
    </StrictMode>,
  );
  prefetchPages(router);
}
