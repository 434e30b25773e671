/** The frame of every page: the sidebar, the panel, the drawer, dialogs and toasts. */
import { Outlet } from "@tanstack/react-router";
import { DetailsDrawer, DrawerProvider } from "./drawer.tsx";
import { Help } from "./help.tsx";
import { KeysProvider } from "./keys.tsx";
import { Known } from "./known.tsx";
import { LinkBar } from "./link-bar.tsx";
import { Notices } from "./notices.tsx";
import { Palette } from "./palette.tsx";
import { PhoneBar } from "./phone-bar.tsx";
import { Sidebar } from "./sidebar.tsx";
import { Toasts } from "./toasts.tsx";
import { TrustBar } from "./trust-bar.tsx";

export function Shell() {
  return (
    <KeysProvider>
      <DrawerProvider>
        <a className="skip" href="#main">
          Skip to content
        </a>
        <div className="app">
          <Sidebar />
          <main className="main" id="main" tabIndex={-1}>
            <LinkBar />
            <TrustBar />
            <Known>
              <Outlet />
            </Known>
            <DetailsDrawer />
          </main>
        </div>
        <PhoneBar />
        <Palette />
        <Help />
        <Notices />
        <Toasts />
      </DrawerProvider>
    </KeysProvider>
  );
}
