/** The page for people: comes in, opens the stream, draws. */
import "./jitless.ts";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { createPageRouter } from "./router.tsx";
import { Closed } from "./shell/closed.tsx";
import { toasting } from "./shell/toasts.tsx";
import { createAnswers } from "./store/held.ts";
import { StoreContext } from "./store/hooks.ts";
import { enter } from "./store/session.ts";
import { createStore } from "./store/store.ts";
import "@fontsource-variable/inter/opsz.css";
import "./style/index.css";

const { client, problem } = await enter();
const root = createRoot(document.getElementById("root")!);
if (problem) root.render(<Closed problem={problem} />);
else {
  const store = createStore(client);
  store.start();
  const tell = (text: string) => void toasting.say({ look: "failure", text, stays: true });
  const answers = createAnswers({ client, store, storage: localStorage, tell });
  answers.start();
  root.render(
    <StrictMode>
      <StoreContext value={{ store, client, answers }}>
        <RouterProvider router={createPageRouter()} />
      </StoreContext>
    </StrictMode>,
  );
}
