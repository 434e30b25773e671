/** `agiraph up --unit`: what systemd or launchd needs to keep the daemon of a home running for this user, with the paths of this installation. */

import { binPath } from "../installation/bin-path.ts";
import { leanFlags } from "./ensure.ts";

export interface Unit {
  text: string;
  /** One line to install it. */
  install: string;
}

export interface UnitOptions {
  home: string;
  userHome: string;
  /** Of `up`, as they are typed. */
  options: readonly string[];
  node?: string;
}

export function unitFor(platform: string, { home, userHome, options, node = process.execPath }: UnitOptions): Unit {
  const command = [node, ...leanFlags, binPath(), "--home", home, "up", ...options];
  return platform === "darwin" ? launchd(command, home, userHome) : systemd(command, home, userHome);
}

/** The line that writes this very unit. */
const writing = (command: string[], path: string): string =>
  `${[...command, "--unit"].map(inShell).join(" ")} > ${inShell(path)}`;
const inShell = (word: string): string => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);

function systemd(command: string[], home: string, userHome: string): Unit {
  const quoted = command.map((word) => `"${word.replace(/[\\"]/g, "\\$&").replace(/[%$]/g, "$&$&")}"`);
  const folder = `${userHome}/.config/systemd/user`;
  return {
    install: `mkdir -p ${inShell(folder)} && ${writing(command, `${folder}/agiraph.service`)} && systemctl --user enable --now agiraph`,
    text: `[Unit]
Description=Agiraph daemon for ${home.replace(/[\n%]/g, " ")}
StartLimitIntervalSec=60
StartLimitBurst=5

[Service]
ExecStart=${quoted.join(" ")}
Restart=on-failure
RestartSec=2
TimeoutStopSec=12
# API keys: one NAME=value per line, chmod 600.
EnvironmentFile=-%h/.config/agiraph/env

[Install]
WantedBy=default.target
`,
  };
}

function launchd(command: string[], home: string, userHome: string): Unit {
  const escaped = (text: string) => text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
  const path = `${userHome}/Library/LaunchAgents/dev.agiraph.plist`;
  return {
    install: `${writing(command, path)} && launchctl bootstrap gui/$(id -u) ${inShell(path)}`,
    text: `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  <key>Label</key><string>dev.agiraph</string>
  <key>ProgramArguments</key>
  <array>
${command.map((word) => `    <string>${escaped(word)}</string>`).join("\n")}
  </array>
  <key>RunAtLoad</key><true/>
  <key>KeepAlive</key><dict><key>SuccessfulExit</key><false/></dict>
  <key>ExitTimeOut</key><integer>12</integer>
  <key>StandardErrorPath</key><string>${escaped(home)}/daemon.log</string>
</dict>
</plist>
`,
  };
}
